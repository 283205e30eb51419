// The errors that TypeScript finds in some files, as JSON.
//
// usage: node bench/typescript_errors.cjs TYPESCRIPT_JS ROOT < FILES (one path a line, relative to ROOT)
//
// Each file is checked with the options of the nearest tsconfig.json above it, files of one configuration together.
// Writes [{"path", "start", "end" (byte offsets), "rule" ("TS2554"), "message"}].
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(path.resolve(process.argv[2]));
const root = fs.realpathSync(process.argv[3]);

const files = fs.readFileSync(0, "utf8").split("\n").filter(Boolean).map((name) => path.join(root, name));
const byConfig = new Map();
for (const file of files) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists) || "";
  const known = config.startsWith(root) ? config : "";
  byConfig.set(known, [...(byConfig.get(known) || []), file]);
}

const found = [];
for (const [config, roots] of byConfig) {
  let options = {};
  if (config) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    options = ts.parseJsonConfigFileContent(read.config || {}, ts.sys, path.dirname(config), undefined, config).options;
  }
  options = { ...options, noEmit: true, skipLibCheck: true, composite: false, incremental: false };
  delete options.rootDir;
  const host = ts.createCompilerHost(options, true);
  const program = ts.createProgram(roots, options, host);
  for (const name of roots) {
    const source = program.getSourceFile(name);
    if (!source) continue;
    for (const each of program.getSemanticDiagnostics(source)) {
      if (each.start === undefined) continue;
      found.push({
        path: path.relative(root, name),
        start: Buffer.byteLength(source.text.slice(0, each.start)),
        end: Buffer.byteLength(source.text.slice(0, each.start + each.length)),
        rule: "TS" + each.code,
        message: ts.flattenDiagnosticMessageText(each.messageText, "\n"),
      });
    }
  }
}
process.stdout.write(JSON.stringify(found));
