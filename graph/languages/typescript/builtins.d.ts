// The built-in types of JavaScript, the DOM, Node and React that inference follows values through.
// Not the real declarations: classes stand for interface and constructor in one, and a type that only has to be known
// as "not ours" has an empty body. Everything stands at the top level, where names are looked up.

declare class Object {
  static keys(o: any): string[];
  static values<T>(o: Record<string, T>): T[];
  static entries<T>(o: Record<string, T>): [string, T][];
  static fromEntries<T>(entries: Iterable<[string, T]>): Record<string, T>;
  static assign<T, U>(target: T, source: U, ...sources: any[]): T & U;
  static freeze<T>(o: T): T;
  static seal<T>(o: T): T;
  static create(o: any, properties?: any): any;
  static defineProperty<T>(o: T, key: string, attributes: any): T;
  static defineProperties<T>(o: T, properties: any): T;
  static getPrototypeOf(o: any): any;
  static setPrototypeOf<T>(o: T, prototype: any): T;
  static getOwnPropertyNames(o: any): string[];
  static getOwnPropertyDescriptor(o: any, key: string): any;
  static is(a: any, b: any): boolean;
}

declare class Function {
  name: string;
  length: number;
  prototype: any;
  apply(thisArg: any, args?: any): any;
  call(thisArg: any, ...args: any[]): any;
  bind(thisArg: any, ...args: any[]): any;
  toString(): string;
}

declare class Iterable<T> {
}
declare class Iterator<T> extends Iterable<T> {
  next(value?: any): IteratorResult<T>;
  return(value?: any): IteratorResult<T>;
  map<U>(callback: (value: T, index: number) => U): Iterator<U>;
  filter(callback: (value: T, index: number) => boolean): Iterator<T>;
  toArray(): T[];
}
declare class IteratorResult<T> {
  done: boolean;
  value: T;
}
declare class IterableIterator<T> extends Iterator<T> {
}
declare class Generator<T, R, N> extends Iterator<T> {
  throw(error: any): IteratorResult<T>;
}
declare class AsyncIterable<T> {
}
declare class AsyncIterator<T> extends AsyncIterable<T> {
  next(value?: any): Promise<IteratorResult<T>>;
}
declare class AsyncIterableIterator<T> extends AsyncIterator<T> {
}
declare class AsyncGenerator<T, R, N> extends AsyncIterator<T> {
  return(value?: any): Promise<IteratorResult<T>>;
  throw(error: any): Promise<IteratorResult<T>>;
}

declare class ReadonlyArray<T> extends Iterable<T> {
  length: number;
  at(index: number): T;
  concat(...items: any[]): T[];
  join(separator?: string): string;
  slice(start?: number, end?: number): T[];
  indexOf(item: T, from?: number): number;
  lastIndexOf(item: T, from?: number): number;
  includes(item: T, from?: number): boolean;
  every(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): boolean;
  some(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): boolean;
  forEach(callback: (value: T, index: number, array: T[]) => void, thisArg?: any): void;
  map<U>(callback: (value: T, index: number, array: T[]) => U, thisArg?: any): U[];
  filter(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): T[];
  find(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): T;
  findLast(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): T;
  findIndex(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): number;
  findLastIndex(predicate: (value: T, index: number, array: T[]) => boolean, thisArg?: any): number;
  reduce<U>(callback: (previous: U, current: T, index: number, array: T[]) => U, initial: U): U;
  reduceRight<U>(callback: (previous: U, current: T, index: number, array: T[]) => U, initial: U): U;
  flat(depth?: number): any[];
  flatMap<U>(callback: (value: T, index: number, array: T[]) => U[], thisArg?: any): U[];
  entries(): IterableIterator<[number, T]>;
  keys(): IterableIterator<number>;
  values(): IterableIterator<T>;
  toSorted(compare?: (a: T, b: T) => number): T[];
  toReversed(): T[];
  toSpliced(start: number, count?: number, ...items: T[]): T[];
  with(index: number, value: T): T[];
  toString(): string;
  toLocaleString(): string;
}
declare class Array<T> extends ReadonlyArray<T> {
  constructor(...items: T[]);
  static from<T, U>(items: Iterable<T>, map?: (value: T, index: number) => U): T[];
  static of<T>(...items: T[]): T[];
  static isArray(value: any): boolean;
  push(...items: T[]): number;
  pop(): T;
  shift(): T;
  unshift(...items: T[]): number;
  splice(start: number, count?: number, ...items: T[]): T[];
  sort(compare?: (a: T, b: T) => number): T[];
  reverse(): T[];
  fill(value: T, start?: number, end?: number): T[];
  copyWithin(target: number, start: number, end?: number): T[];
}
declare class ArrayLike<T> extends Iterable<T> {
  length: number;
}

declare class ReadonlyMap<K, V> extends Iterable<[K, V]> {
  size: number;
  get(key: K): V;
  has(key: K): boolean;
  forEach(callback: (value: V, key: K, map: Map<K, V>) => void, thisArg?: any): void;
  entries(): IterableIterator<[K, V]>;
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
}
declare class Map<K, V> extends ReadonlyMap<K, V> {
  constructor(entries?: Iterable<[K, V]>);
  set(key: K, value: V): Map<K, V>;
  delete(key: K): boolean;
  clear(): void;
  static groupBy(items: any, callback: any): Map<any, any>;
}
declare class WeakMap<K, V> {
  get(key: K): V;
  set(key: K, value: V): WeakMap<K, V>;
  has(key: K): boolean;
  delete(key: K): boolean;
}
declare class ReadonlySet<T> extends Iterable<T> {
  size: number;
  has(value: T): boolean;
  forEach(callback: (value: T, again: T, set: Set<T>) => void, thisArg?: any): void;
  entries(): IterableIterator<[T, T]>;
  keys(): IterableIterator<T>;
  values(): IterableIterator<T>;
  union(other: any): Set<T>;
  intersection(other: any): Set<T>;
  difference(other: any): Set<T>;
  isSubsetOf(other: any): boolean;
  isSupersetOf(other: any): boolean;
}
declare class Set<T> extends ReadonlySet<T> {
  constructor(values?: Iterable<T>);
  add(value: T): Set<T>;
  delete(value: T): boolean;
  clear(): void;
}
declare class WeakSet<T> {
  add(value: T): WeakSet<T>;
  has(value: T): boolean;
  delete(value: T): boolean;
}
declare class WeakRef<T> {
  constructor(value: T);
  deref(): T;
}
declare class Record<K, V> {
}

declare class PromiseLike<T> {
  then<U>(fulfilled?: (value: T) => U | PromiseLike<U>, rejected?: (reason: any) => any): PromiseLike<U>;
}
declare class Promise<T> {
  constructor(executor: (resolve: (value: T) => void, reject: (reason?: any) => void) => void);
  then<U>(fulfilled?: (value: T) => U | PromiseLike<U>, rejected?: (reason: any) => any): Promise<U>;
  catch(rejected?: (reason: any) => any): Promise<T>;
  finally(callback?: () => void): Promise<T>;
  static resolve<T>(value?: T): Promise<T>;
  static reject(reason?: any): Promise<never>;
  static all<T>(values: Iterable<T>): Promise<Awaited<T>[]>;
  static allSettled(values: any): Promise<any[]>;
  static race<T>(values: Iterable<T>): Promise<Awaited<T>>;
  static any<T>(values: Iterable<T>): Promise<Awaited<T>>;
  static withResolvers<T>(): any;
}

declare class String extends Iterable<string> {
  length: number;
  static fromCharCode(...codes: number[]): string;
  static fromCodePoint(...codes: number[]): string;
  static raw(template: any, ...substitutions: any[]): string;
  at(index: number): string;
  charAt(position: number): string;
  charCodeAt(position: number): number;
  codePointAt(position: number): number;
  concat(...strings: string[]): string;
  endsWith(search: string, end?: number): boolean;
  includes(search: string, from?: number): boolean;
  indexOf(search: string, from?: number): number;
  lastIndexOf(search: string, from?: number): number;
  localeCompare(that: string, locales?: any, options?: any): number;
  match(pattern: any): string[];
  matchAll(pattern: any): IterableIterator<string[]>;
  normalize(form?: string): string;
  padEnd(length: number, fill?: string): string;
  padStart(length: number, fill?: string): string;
  repeat(count: number): string;
  replace(pattern: any, replacement: any): string;
  replaceAll(pattern: any, replacement: any): string;
  search(pattern: any): number;
  slice(start?: number, end?: number): string;
  split(separator: any, limit?: number): string[];
  startsWith(search: string, from?: number): boolean;
  substring(start: number, end?: number): string;
  substr(start: number, length?: number): string;
  toLowerCase(): string;
  toUpperCase(): string;
  toLocaleLowerCase(): string;
  toLocaleUpperCase(): string;
  toString(): string;
  trim(): string;
  trimEnd(): string;
  trimStart(): string;
  valueOf(): string;
}
declare class Number {
  static isInteger(value: any): boolean;
  static isFinite(value: any): boolean;
  static isNaN(value: any): boolean;
  static isSafeInteger(value: any): boolean;
  static parseFloat(text: string): number;
  static parseInt(text: string, radix?: number): number;
  static MAX_SAFE_INTEGER: number;
  static MIN_SAFE_INTEGER: number;
  static MAX_VALUE: number;
  static EPSILON: number;
  toFixed(digits?: number): string;
  toPrecision(digits?: number): string;
  toExponential(digits?: number): string;
  toString(radix?: number): string;
  toLocaleString(locales?: any, options?: any): string;
  valueOf(): number;
}
declare class Boolean {
  toString(): string;
  valueOf(): boolean;
}
declare class BigInt {
  toString(radix?: number): string;
}
declare class Symbol {
  description: string;
  static for(key: string): symbol;
  toString(): string;
}
declare class RegExp {
  constructor(pattern: any, flags?: string);
  source: string;
  flags: string;
  global: boolean;
  lastIndex: number;
  exec(text: string): RegExpExecArray;
  test(text: string): boolean;
  toString(): string;
}
declare class RegExpExecArray extends Array<string> {
  index: number;
  input: string;
  groups: Record<string, string>;
}
declare class RegExpMatchArray extends Array<string> {
  index: number;
  input: string;
  groups: Record<string, string>;
}
declare class Date {
  constructor(value?: any, month?: number, day?: number, hours?: number, minutes?: number, seconds?: number, ms?: number);
  static now(): number;
  static parse(text: string): number;
  static UTC(...parts: number[]): number;
  getTime(): number;
  getFullYear(): number;
  getMonth(): number;
  getDate(): number;
  getDay(): number;
  getHours(): number;
  getMinutes(): number;
  getSeconds(): number;
  getMilliseconds(): number;
  getTimezoneOffset(): number;
  getUTCFullYear(): number;
  getUTCMonth(): number;
  getUTCDate(): number;
  getUTCHours(): number;
  setTime(value: number): number;
  setFullYear(year: number): number;
  setMonth(month: number): number;
  setDate(day: number): number;
  setHours(hours: number, minutes?: number, seconds?: number, ms?: number): number;
  setMinutes(minutes: number): number;
  setSeconds(seconds: number): number;
  setMilliseconds(ms: number): number;
  toISOString(): string;
  toJSON(): string;
  toString(): string;
  toDateString(): string;
  toTimeString(): string;
  toUTCString(): string;
  toLocaleString(locales?: any, options?: any): string;
  toLocaleDateString(locales?: any, options?: any): string;
  toLocaleTimeString(locales?: any, options?: any): string;
  valueOf(): number;
}
declare class Error {
  constructor(message?: string, options?: any);
  name: string;
  message: string;
  stack: string;
  cause: any;
  code: any;
  toString(): string;
  static captureStackTrace(target: any, constructor?: any): void;
}
declare class TypeError extends Error {
}
declare class RangeError extends Error {
}
declare class SyntaxError extends Error {
}
declare class ReferenceError extends Error {
}
declare class EvalError extends Error {
}
declare class URIError extends Error {
}
declare class AggregateError extends Error {
  errors: any[];
}
declare class DOMException extends Error {
}
declare class ArrayBuffer {
  byteLength: number;
  slice(begin: number, end?: number): ArrayBuffer;
  static isView(value: any): boolean;
}
declare class SharedArrayBuffer extends ArrayBuffer {
}
declare class DataView {
  buffer: ArrayBuffer;
  byteLength: number;
  byteOffset: number;
  getUint8(offset: number): number;
  getUint16(offset: number, little?: boolean): number;
  getUint32(offset: number, little?: boolean): number;
  setUint8(offset: number, value: number): void;
  setUint16(offset: number, value: number, little?: boolean): void;
  setUint32(offset: number, value: number, little?: boolean): void;
}
declare class TypedArray extends ReadonlyArray<number> {
  buffer: ArrayBuffer;
  byteLength: number;
  byteOffset: number;
  set(values: any, offset?: number): void;
  subarray(begin?: number, end?: number): TypedArray;
  sort(compare?: (a: number, b: number) => number): TypedArray;
  fill(value: number, start?: number, end?: number): TypedArray;
  static from(values: any): TypedArray;
  static of(...values: number[]): TypedArray;
}
declare class Uint8Array extends TypedArray {
}
declare class Uint8ClampedArray extends TypedArray {
}
declare class Uint16Array extends TypedArray {
}
declare class Uint32Array extends TypedArray {
}
declare class Int8Array extends TypedArray {
}
declare class Int16Array extends TypedArray {
}
declare class Int32Array extends TypedArray {
}
declare class Float32Array extends TypedArray {
}
declare class Float64Array extends TypedArray {
}
declare class BigInt64Array extends TypedArray {
}
declare class BigUint64Array extends TypedArray {
}
declare class Proxy<T> {
}
declare class FinalizationRegistry {
  register(target: any, held: any, token?: any): void;
}

declare class Math {
  static abs(x: number): number;
  static ceil(x: number): number;
  static floor(x: number): number;
  static round(x: number): number;
  static trunc(x: number): number;
  static sign(x: number): number;
  static max(...values: number[]): number;
  static min(...values: number[]): number;
  static random(): number;
  static sqrt(x: number): number;
  static pow(x: number, y: number): number;
  static hypot(...values: number[]): number;
  static sin(x: number): number;
  static cos(x: number): number;
  static tan(x: number): number;
  static atan2(y: number, x: number): number;
  static log(x: number): number;
  static log2(x: number): number;
  static log10(x: number): number;
  static exp(x: number): number;
  static PI: number;
}
declare class JSON {
  static parse(text: string, reviver?: any): any;
  static stringify(value: any, replacer?: any, space?: any): string;
}
declare class Reflect {
  static get(target: any, key: any): any;
  static set(target: any, key: any, value: any): boolean;
  static has(target: any, key: any): boolean;
  static apply(target: any, thisArg: any, args: any): any;
  static construct(target: any, args: any, newTarget?: any): any;
  static ownKeys(target: any): string[];
  static getMetadata(key: any, target: any, property?: any): any;
  static defineMetadata(key: any, value: any, target: any, property?: any): void;
  static hasMetadata(key: any, target: any, property?: any): boolean;
}
declare class Intl {
  static NumberFormat: any;
  static DateTimeFormat: any;
  static Collator: any;
}
declare class Console {
  log(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  info(...data: any[]): void;
  debug(...data: any[]): void;
  trace(...data: any[]): void;
  table(data: any): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string): void;
  count(label?: string): void;
  assert(condition: any, ...data: any[]): void;
  dir(item: any): void;
  clear(): void;
}
declare const console: Console;
declare function parseInt(text: string, radix?: number): number;
declare function parseFloat(text: string): number;
declare function isNaN(value: any): boolean;
declare function isFinite(value: any): boolean;
declare function encodeURIComponent(text: any): string;
declare function decodeURIComponent(text: string): string;
declare function encodeURI(text: string): string;
declare function decodeURI(text: string): string;
declare function structuredClone<T>(value: T): T;
declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): any;
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): any;
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): any;
declare function clearTimeout(id: any): void;
declare function clearInterval(id: any): void;
declare function clearImmediate(id: any): void;
declare function queueMicrotask(callback: () => void): void;
declare function requestAnimationFrame(callback: (time: number) => void): number;
declare function cancelAnimationFrame(id: number): void;
declare function requestIdleCallback(callback: (deadline: any) => void, options?: any): number;
declare function fetch(input: any, init?: any): Promise<Response>;
declare function alert(message?: any): void;
declare function confirm(message?: string): boolean;
declare function prompt(message?: string, value?: string): string;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function getComputedStyle(element: Element, pseudo?: string): CSSStyleDeclaration;

// -- URLs, requests, streams ------------------------------------------------------------------------------------------

declare class URLSearchParams extends Iterable<[string, string]> {
  constructor(init?: any);
  size: number;
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, key: string) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  toString(): string;
}
declare class URL {
  constructor(url: any, base?: any);
  hash: string;
  host: string;
  hostname: string;
  href: string;
  origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  searchParams: URLSearchParams;
  username: string;
  static createObjectURL(value: any): string;
  static revokeObjectURL(url: string): void;
  static canParse(url: string, base?: string): boolean;
  toString(): string;
  toJSON(): string;
}
declare class Headers extends Iterable<[string, string]> {
  constructor(init?: any);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, key: string) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare class Body {
  body: ReadableStream;
  bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array>;
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
}
declare class Request extends Body {
  constructor(input: any, init?: any);
  headers: Headers;
  method: string;
  url: string;
  signal: AbortSignal;
  clone(): Request;
}
declare class Response extends Body {
  constructor(body?: any, init?: any);
  headers: Headers;
  ok: boolean;
  redirected: boolean;
  status: number;
  statusText: string;
  type: string;
  url: string;
  clone(): Response;
  static error(): Response;
  static json(data: any, init?: any): Response;
  static redirect(url: any, status?: number): Response;
}
declare class Blob {
  constructor(parts?: any, options?: any);
  size: number;
  type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  slice(start?: number, end?: number, type?: string): Blob;
  stream(): ReadableStream;
  text(): Promise<string>;
}
declare class File extends Blob {
  name: string;
  lastModified: number;
}
declare class FormData extends Iterable<[string, any]> {
  append(name: string, value: any, file?: string): void;
  delete(name: string): void;
  get(name: string): any;
  getAll(name: string): any[];
  has(name: string): boolean;
  set(name: string, value: any, file?: string): void;
  entries(): IterableIterator<[string, any]>;
}
declare class AbortSignal extends EventTarget {
  aborted: boolean;
  reason: any;
  throwIfAborted(): void;
  static timeout(ms: number): AbortSignal;
  static any(signals: any): AbortSignal;
}
declare class AbortController {
  signal: AbortSignal;
  abort(reason?: any): void;
}
declare class ReadableStream extends AsyncIterable<any> {
  cancel(reason?: any): Promise<void>;
  getReader(options?: any): any;
  pipeThrough(transform: any, options?: any): ReadableStream;
  pipeTo(destination: any, options?: any): Promise<void>;
  tee(): [ReadableStream, ReadableStream];
}
declare class WritableStream {
  close(): Promise<void>;
  getWriter(): any;
}
declare class TransformStream {
  readable: ReadableStream;
  writable: WritableStream;
}
declare class TextEncoder {
  encode(text?: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label?: string, options?: any);
  decode(input?: any, options?: any): string;
}

// -- The DOM ------------------------------------------------------------------------------------------------------

declare class EventTarget {
  addEventListener(type: string, listener: any, options?: any): void;
  removeEventListener(type: string, listener: any, options?: any): void;
  dispatchEvent(event: Event): boolean;
}
declare class Event {
  constructor(type: string, init?: any);
  type: string;
  target: EventTarget;
  currentTarget: EventTarget;
  defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
  composedPath(): EventTarget[];
}
declare class CustomEvent<T> extends Event {
  detail: T;
}
declare class UIEvent extends Event {
}
declare class MouseEvent extends UIEvent {
  clientX: number;
  clientY: number;
  button: number;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}
declare class PointerEvent extends MouseEvent {
  pointerId: number;
  pointerType: string;
}
declare class WheelEvent extends MouseEvent {
}
declare class DragEvent extends MouseEvent {
  dataTransfer: DataTransfer;
}
declare class TouchEvent extends UIEvent {
  touches: any;
  changedTouches: any;
}
declare class KeyboardEvent extends UIEvent {
  key: string;
  code: string;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}
declare class ClipboardEvent extends Event {
  clipboardData: DataTransfer;
}
declare class FocusEvent extends UIEvent {
}
declare class InputEvent extends UIEvent {
}
declare class MessageEvent<T> extends Event {
  data: T;
  origin: string;
  ports: MessagePort[];
}
declare class ErrorEvent extends Event {
  message: string;
  error: any;
}
declare class PopStateEvent extends Event {
}
declare class StorageEvent extends Event {
}
declare class HashChangeEvent extends Event {
}
declare class BeforeUnloadEvent extends Event {
}
declare class DataTransfer {
  files: FileList;
  items: any;
  types: string[];
  getData(format: string): string;
  setData(format: string, data: string): void;
}
declare class FileList extends ArrayLike<File> {
  item(index: number): File;
}
declare class Node extends EventTarget {
  childNodes: NodeList;
  firstChild: Node;
  lastChild: Node;
  nextSibling: Node;
  previousSibling: Node;
  nodeName: string;
  nodeType: number;
  ownerDocument: Document;
  parentElement: HTMLElement;
  parentNode: Node;
  textContent: string;
  appendChild<T>(node: T): T;
  cloneNode(deep?: boolean): Node;
  contains(other: Node): boolean;
  hasChildNodes(): boolean;
  insertBefore<T>(node: T, before: Node): T;
  removeChild<T>(node: T): T;
  replaceChild<T>(node: Node, child: T): T;
  getRootNode(): Node;
}
declare class NodeList extends ArrayLike<Element> {
  item(index: number): Element;
  forEach(callback: (value: Element, index: number) => void): void;
}
declare class HTMLCollection extends ArrayLike<Element> {
  item(index: number): Element;
}
declare class Element extends Node {
  attributes: any;
  children: HTMLCollection;
  classList: DOMTokenList;
  className: string;
  clientHeight: number;
  clientWidth: number;
  id: string;
  innerHTML: string;
  outerHTML: string;
  scrollTop: number;
  scrollLeft: number;
  scrollHeight: number;
  scrollWidth: number;
  shadowRoot: any;
  tagName: string;
  after(...nodes: any[]): void;
  append(...nodes: any[]): void;
  before(...nodes: any[]): void;
  closest(selector: string): Element;
  getAttribute(name: string): string;
  getBoundingClientRect(): DOMRect;
  getElementsByClassName(name: string): HTMLCollection;
  getElementsByTagName(name: string): HTMLCollection;
  hasAttribute(name: string): boolean;
  insertAdjacentElement(where: string, element: Element): Element;
  insertAdjacentHTML(where: string, text: string): void;
  matches(selector: string): boolean;
  prepend(...nodes: any[]): void;
  querySelector(selector: string): HTMLElement;
  querySelectorAll(selector: string): NodeList;
  remove(): void;
  removeAttribute(name: string): void;
  replaceChildren(...nodes: any[]): void;
  replaceWith(...nodes: any[]): void;
  scrollIntoView(options?: any): void;
  scrollTo(x?: any, y?: any): void;
  setAttribute(name: string, value: string): void;
  setPointerCapture(id: number): void;
  releasePointerCapture(id: number): void;
  toggleAttribute(name: string, force?: boolean): boolean;
  animate(keyframes: any, options?: any): any;
}
declare class DOMTokenList extends ArrayLike<string> {
  add(...tokens: string[]): void;
  contains(token: string): boolean;
  remove(...tokens: string[]): void;
  replace(token: string, other: string): boolean;
  toggle(token: string, force?: boolean): boolean;
}
declare class DOMRect {
  x: number;
  y: number;
  width: number;
  height: number;
  top: number;
  right: number;
  bottom: number;
  left: number;
}
declare class DOMMatrix {
}
declare class DOMPoint {
}
declare class DOMParser {
  parseFromString(text: string, type: string): Document;
}
declare class XMLSerializer {
  serializeToString(node: Node): string;
}
declare class CSSStyleDeclaration {
  getPropertyValue(name: string): string;
  removeProperty(name: string): string;
  setProperty(name: string, value: string, priority?: string): void;
}
declare class CSSStyleSheet {
  insertRule(rule: string, index?: number): number;
  deleteRule(index: number): void;
  replaceSync(text: string): void;
}
declare class HTMLElement extends Element {
  accessKey: string;
  dataset: Record<string, string>;
  dir: string;
  hidden: boolean;
  innerText: string;
  offsetHeight: number;
  offsetLeft: number;
  offsetParent: Element;
  offsetTop: number;
  offsetWidth: number;
  style: CSSStyleDeclaration;
  tabIndex: number;
  title: string;
  blur(): void;
  click(): void;
  focus(options?: any): void;
}
declare class HTMLAnchorElement extends HTMLElement {
  href: string;
  download: string;
}
declare class HTMLButtonElement extends HTMLElement {
}
declare class HTMLBodyElement extends HTMLElement {
}
declare class HTMLCanvasElement extends HTMLElement {
  width: number;
  height: number;
  getContext(kind: string, options?: any): CanvasRenderingContext2D;
  toBlob(callback: (blob: Blob) => void, type?: string, quality?: number): void;
  toDataURL(type?: string, quality?: number): string;
}
declare class OffscreenCanvas extends EventTarget {
  getContext(kind: string, options?: any): any;
}
declare class HTMLDivElement extends HTMLElement {
}
declare class HTMLDialogElement extends HTMLElement {
  showModal(): void;
  close(value?: string): void;
}
declare class HTMLFormElement extends HTMLElement {
  submit(): void;
  reset(): void;
}
declare class HTMLHeadElement extends HTMLElement {
}
declare class HTMLHeadingElement extends HTMLElement {
}
declare class HTMLHtmlElement extends HTMLElement {
}
declare class HTMLIFrameElement extends HTMLElement {
  contentDocument: Document;
  contentWindow: Window;
  src: string;
}
declare class HTMLImageElement extends HTMLElement {
  src: string;
  width: number;
  height: number;
  naturalWidth: number;
  naturalHeight: number;
  decode(): Promise<void>;
}
declare class Image extends HTMLImageElement {
}
declare class HTMLInputElement extends HTMLElement {
  checked: boolean;
  files: FileList;
  value: string;
  select(): void;
  setSelectionRange(start: number, end: number): void;
}
declare class HTMLLabelElement extends HTMLElement {
}
declare class HTMLLIElement extends HTMLElement {
}
declare class HTMLLinkElement extends HTMLElement {
}
declare class HTMLMediaElement extends HTMLElement {
  play(): Promise<void>;
  pause(): void;
}
declare class HTMLAudioElement extends HTMLMediaElement {
}
declare class HTMLVideoElement extends HTMLMediaElement {
}
declare class HTMLMetaElement extends HTMLElement {
}
declare class HTMLOptionElement extends HTMLElement {
}
declare class HTMLParagraphElement extends HTMLElement {
}
declare class HTMLPreElement extends HTMLElement {
}
declare class HTMLScriptElement extends HTMLElement {
}
declare class HTMLSelectElement extends HTMLElement {
  value: string;
}
declare class HTMLSpanElement extends HTMLElement {
}
declare class HTMLStyleElement extends HTMLElement {
}
declare class HTMLTableElement extends HTMLElement {
}
declare class HTMLTemplateElement extends HTMLElement {
}
declare class HTMLTextAreaElement extends HTMLElement {
  value: string;
  selectionStart: number;
  selectionEnd: number;
  select(): void;
  setSelectionRange(start: number, end: number): void;
}
declare class HTMLUListElement extends HTMLElement {
}
declare class SVGElement extends Element {
  style: CSSStyleDeclaration;
  dataset: Record<string, string>;
}
declare class SVGSVGElement extends SVGElement {
}
declare class SVGPathElement extends SVGElement {
}
declare class CanvasRenderingContext2D {
  canvas: HTMLCanvasElement;
  font: string;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  beginPath(): void;
  bezierCurveTo(...points: number[]): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  clip(path?: any): void;
  closePath(): void;
  drawImage(image: any, ...numbers: number[]): void;
  fill(path?: any): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  getImageData(x: number, y: number, width: number, height: number): any;
  lineTo(x: number, y: number): void;
  measureText(text: string): any;
  moveTo(x: number, y: number): void;
  quadraticCurveTo(...points: number[]): void;
  rect(x: number, y: number, width: number, height: number): void;
  restore(): void;
  rotate(angle: number): void;
  roundRect(...values: any[]): void;
  save(): void;
  scale(x: number, y: number): void;
  setLineDash(segments: number[]): void;
  setTransform(...values: any[]): void;
  stroke(path?: any): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  strokeText(text: string, x: number, y: number): void;
  translate(x: number, y: number): void;
}
declare class Path2D {
}
declare class Document extends Node {
  activeElement: Element;
  body: HTMLElement;
  cookie: string;
  documentElement: HTMLElement;
  fonts: any;
  head: HTMLElement;
  hidden: boolean;
  location: Location;
  title: string;
  visibilityState: string;
  addEventListener(type: string, listener: any, options?: any): void;
  createElement(tag: string): HTMLElement;
  createElementNS(namespace: string, tag: string): Element;
  createTextNode(text: string): Node;
  createDocumentFragment(): DocumentFragment;
  createRange(): any;
  elementFromPoint(x: number, y: number): Element;
  execCommand(command: string): boolean;
  getElementById(id: string): HTMLElement;
  getElementsByClassName(name: string): HTMLCollection;
  getElementsByTagName(name: string): HTMLCollection;
  getSelection(): any;
  querySelector(selector: string): HTMLElement;
  querySelectorAll(selector: string): NodeList;
  hasFocus(): boolean;
}
declare class DocumentFragment extends Node {
  append(...nodes: any[]): void;
  querySelector(selector: string): HTMLElement;
}
declare class ShadowRoot extends DocumentFragment {
}
declare class Storage {
  length: number;
  clear(): void;
  getItem(key: string): string;
  key(index: number): string;
  removeItem(key: string): void;
  setItem(key: string, value: string): void;
}
declare class Location {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  origin: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  assign(url: string): void;
  reload(): void;
  replace(url: string): void;
  toString(): string;
}
declare class History {
  length: number;
  state: any;
  back(): void;
  forward(): void;
  go(delta?: number): void;
  pushState(data: any, title: string, url?: any): void;
  replaceState(data: any, title: string, url?: any): void;
}
declare class Navigator {
  clipboard: any;
  language: string;
  platform: string;
  userAgent: string;
}
declare class Performance {
  now(): number;
  mark(name: string, options?: any): any;
  measure(name: string, from?: any, to?: any): any;
}
declare class WebSocket extends EventTarget {
  constructor(url: any, protocols?: any);
  readyState: number;
  url: string;
  close(code?: number, reason?: string): void;
  send(data: any): void;
}
declare class Worker extends EventTarget {
  constructor(url: any, options?: any);
  postMessage(message: any, transfer?: any): void;
  terminate(): void;
}
declare class MessagePort extends EventTarget {
  postMessage(message: any, transfer?: any): void;
  start(): void;
  close(): void;
}
declare class MessageChannel {
  port1: MessagePort;
  port2: MessagePort;
}
declare class BroadcastChannel extends EventTarget {
  constructor(name: string);
  postMessage(message: any): void;
  close(): void;
}
declare class XMLHttpRequest extends EventTarget {
  open(method: string, url: string, asynchronous?: boolean): void;
  send(body?: any): void;
  setRequestHeader(name: string, value: string): void;
  abort(): void;
}
declare class FileReader extends EventTarget {
  result: any;
  readAsArrayBuffer(blob: Blob): void;
  readAsDataURL(blob: Blob): void;
  readAsText(blob: Blob): void;
}
declare class EventSource extends EventTarget {
  close(): void;
}
declare class MutationObserver {
  constructor(callback: any);
  disconnect(): void;
  observe(target: Node, options?: any): void;
}
declare class ResizeObserver {
  constructor(callback: any);
  disconnect(): void;
  observe(target: Element, options?: any): void;
  unobserve(target: Element): void;
}
declare class IntersectionObserver {
  constructor(callback: any, options?: any);
  disconnect(): void;
  observe(target: Element): void;
  unobserve(target: Element): void;
}
declare class FontFace {
  load(): Promise<FontFace>;
}
declare class MediaQueryList extends EventTarget {
  matches: boolean;
}
declare class ImageData {
}
declare class ImageBitmap {
}
declare class Window extends EventTarget {
  document: Document;
  history: History;
  innerHeight: number;
  innerWidth: number;
  localStorage: Storage;
  location: Location;
  navigator: Navigator;
  parent: Window;
  sessionStorage: Storage;
  close(): void;
  focus(): void;
  getSelection(): any;
  matchMedia(query: string): MediaQueryList;
  open(url?: any, target?: string, features?: string): Window;
  postMessage(message: any, target?: any): void;
  scrollTo(x?: any, y?: any): void;
}
declare const document: Document;
declare const localStorage: Storage;
declare const sessionStorage: Storage;
declare const location: Location;
declare const history: History;
declare const navigator: Navigator;
declare const performance: Performance;

// -- Node -----------------------------------------------------------------------------------------------------------

declare class Buffer extends Uint8Array {
  static alloc(size: number, fill?: any): Buffer;
  static allocUnsafe(size: number): Buffer;
  static byteLength(value: any, encoding?: string): number;
  static compare(a: any, b: any): number;
  static concat(list: any, length?: number): Buffer;
  static from(value: any, encoding?: any, length?: number): Buffer;
  static isBuffer(value: any): boolean;
  compare(other: any): number;
  copy(target: any, start?: number): number;
  equals(other: any): boolean;
  readUInt8(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  toString(encoding?: string, start?: number, end?: number): string;
  write(text: string, offset?: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
}
declare class EventEmitter {
  addListener(event: any, listener: any): this;
  emit(event: any, ...args: any[]): boolean;
  eventNames(): any[];
  listenerCount(event: any): number;
  listeners(event: any): any[];
  off(event: any, listener: any): this;
  on(event: any, listener: any): this;
  once(event: any, listener: any): this;
  prependListener(event: any, listener: any): this;
  removeAllListeners(event?: any): this;
  removeListener(event: any, listener: any): this;
  setMaxListeners(n: number): this;
}
declare class Process extends EventEmitter {
  arch: string;
  argv: string[];
  env: Record<string, string>;
  execPath: string;
  exitCode: number;
  pid: number;
  platform: string;
  stderr: any;
  stdin: any;
  stdout: any;
  version: string;
  versions: Record<string, string>;
  chdir(directory: string): void;
  cwd(): string;
  exit(code?: number): never;
  hrtime(time?: any): any;
  kill(pid: number, signal?: any): boolean;
  memoryUsage(): any;
  nextTick(callback: (...args: any[]) => void, ...args: any[]): void;
  uptime(): number;
}
declare const process: Process;

// -- React ------------------------------------------------------------------------------------------------------------

declare class RefObject<T> {
  current: T;
}
declare class MutableRefObject<T> {
  current: T;
}
declare class Context<T> {
  Provider: any;
  Consumer: any;
  displayName: string;
}
declare class Component<P, S> {
  constructor(props: P);
  props: P;
  state: S;
  context: any;
  refs: any;
  setState(state: any, callback?: () => void): void;
  forceUpdate(callback?: () => void): void;
  render(): any;
  componentDidMount(): void;
  componentDidUpdate(props: P, state: S, snapshot?: any): void;
  componentWillUnmount(): void;
  shouldComponentUpdate(props: P, state: S): boolean;
  componentDidCatch(error: Error, info: any): void;
}
declare class PureComponent<P, S> extends Component<P, S> {
}
declare function createContext<T>(value: T): Context<T>;
declare function useState<S>(initial?: S | (() => S)): [S, (next: S | ((previous: S) => S)) => void];
declare function useReducer<S, A>(
  reducer: (state: S, action: A) => S, initial: S, init?: any
): [S, (action: A) => void];
declare function useRef<T>(initial?: T): MutableRefObject<T>;
declare function useContext<T>(context: Context<T>): T;
declare function useMemo<T>(factory: () => T, dependencies?: any): T;
declare function useEffect(effect: () => any, dependencies?: any): void;
declare function useLayoutEffect(effect: () => any, dependencies?: any): void;
declare function useInsertionEffect(effect: () => any, dependencies?: any): void;
declare function useImperativeHandle(ref: any, create: () => any, dependencies?: any): void;
declare function useTransition(): [boolean, (callback: () => void) => void];
declare function useDeferredValue<T>(value: T): T;
declare function useSyncExternalStore<T>(subscribe: any, snapshot: () => T, server?: () => T): T;
declare function useId(): string;

// Utility types: what they give is worked out by name; here they are only somebody else's.
declare type Omit<T, K> = T;
declare type Pick<T, K> = T;
declare type Partial<T> = T;
declare type Required<T> = T;
declare type Readonly<T> = T;
declare type NonNullable<T> = T;
declare type Exclude<T, U> = T;
declare type Extract<T, U> = T;
declare type ReturnType<T> = unknown;
declare type Parameters<T> = unknown;
declare type ConstructorParameters<T> = unknown;
declare type InstanceType<T> = unknown;
declare type Awaited<T> = T;
