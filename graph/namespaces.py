"""What a module-level name stands for, followed through imports, re-exports and stars. Works on facts alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

from graph.facts import FileFacts, Import
from graph.languages.base import GlobalModules, PackageModules, Resolved
from graph.program import Program
from graph.types import Denotation, External, Missing, ModuleObject, PackageObject, Symbol, Unresolved

MAX_HOPS = 32
"""Steps through imports, exports and stars from one name, one or two for each file; a longer chain (or a cycle) ends
as not found."""


class Exported(tuple[str, int]):
    """(path, offset) of an exported expression that has no name of its own."""


_Found: TypeAlias = tuple[Denotation | Exported, ...]
_UNCUT = MAX_HOPS + 2


class _Trail:
    """One question's way through imports and re-exports. What it has met is not gone through again: a cycle ends there,
    and barrels that share barrels cost no more than their number.

    `settled`: key -> what was found and how many steps that took, of all questions: answers that did not depend on
    where the question came from.
    """

    def __init__(self, settled: dict[tuple[str, str], tuple[_Found, int]]) -> None:
        self.depth = 0
        self._settled = settled
        self._known: dict[tuple[str, str], tuple[_Found, int]] = {}
        self._cut = _UNCUT  # the lowest depth whose step, still under way, an answer was made without
        self._height = 0

    def step(self, key: tuple[str, str], further: Callable[[], _Found]) -> _Found:
        """`further()`, once for a key; nothing for one that is under way, or too far."""
        settled = self._settled.get(key)
        if settled is not None and self.depth + settled[1] <= MAX_HOPS:
            self._height = max(self._height, settled[1])
            return settled[0]
        known = self._known.get(key)
        if known is not None:
            self._cut = min(self._cut, known[1])
            return known[0]
        if self.depth > MAX_HOPS:
            self._cut = -1
            return ()
        mine, outer_cut, outer_height = self.depth, self._cut, self._height
        self._cut, self._height = _UNCUT, 0
        self._known[key] = (), mine
        self.depth += 1
        found = further()
        self.depth -= 1
        cut, height = self._cut, self._height + 1
        if cut >= mine:  # nothing above had a part in it
            cut = _UNCUT
            self._settled[key] = found, height
        self._known[key] = found, cut
        self._cut, self._height = min(outer_cut, cut), max(outer_height, height)
        return found


class Namespaces:
    """Names of modules. Every answer is a pure function of the tree, whatever was asked before."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._settled: dict[tuple[str, str], tuple[_Found, int]] = {}
        self._resolved: dict[tuple[str, str], Resolved] = {}
        self._in_module: dict[tuple[str, str], tuple[Denotation | Exported, ...]] = {}
        self._imported: dict[tuple[str, str], tuple[Import, ...]] = {}
        self._imports_by_local: dict[str, dict[str, tuple[Import, ...]]] = {}
        self._in_packages: dict[tuple[str, str], tuple[Symbol, ...]] = {}

    def resolve(self, path: str, module: str) -> Resolved:
        """What a module specifier written in `path` means."""
        key = (path, module)
        if key not in self._resolved:
            modules = self._program.modules(path)
            self._resolved[key] = modules.resolve(path, module) if modules else Resolved()
        return self._resolved[key]

    def imports_of(self, path: str, local: str) -> tuple[Import, ...]:
        """The module-level imports that bind `local` in the file at `path`."""
        table = self._imports_by_local.get(path)
        if table is None:
            collected: dict[str, list[Import]] = {}
            for each in self._program.facts(path).imports:
                if each.local is not None and each.top:
                    collected.setdefault(each.local, []).append(each)
            table = {name: tuple(found) for name, found in collected.items()}
            self._imports_by_local[path] = table
        found_here = table.get(local, ())
        if found_here or self._program.packages(path) is None:
            return found_here
        table[local] = self._by_package_name(path, local)
        return table[local]

    def _by_package_name(self, path: str, local: str) -> tuple[Import, ...]:
        """Imports without an alias, which bind what the imported package calls itself: likely ones first."""
        unnamed = [
            each
            for each in self._program.facts(path).imports
            if each.local is None and each.kind == "import" and each.top
        ]
        unnamed.sort(key=lambda each: each.module.rpartition("/")[2] != local)
        for each in unnamed:
            if self.resolve(path, each.module).name == local:
                return (each,)
        return ()

    def in_file(self, path: str, name: str) -> tuple[Denotation | Exported, ...]:
        """What `name` means at the top level of the file at `path`, seen from inside; or in every file, by its full
        name."""
        if name.startswith("\\"):
            return self._by_full_name(path, name)
        return self._own(path, name, _Trail(self._settled)) or self._ambient(path, name)

    def _by_full_name(self, path: str, name: str) -> tuple[Denotation, ...]:
        """The definitions of a full name (`\\App\\Order`, `\\App\\total()`)."""
        modules = cast("GlobalModules | None", self._program.modules(path))
        stub = self._program.builtins(path)
        short = name.rpartition("\\")[2].rstrip("()#")
        function = name.endswith("()")
        found: list[Symbol] = []
        for declaring in modules.declaring(path, name) if modules is not None else ():
            facts = self._program.facts(declaring)
            names = self._program.members(declaring).get(-1, {})
            indices = names.get(short) or next((i for each, i in names.items() if each.lower() == short.lower()), ())
            fitting = [i for i in indices if (facts.definitions[i].kind == "function") == function]
            if len(fitting) > 1:
                whole = name.strip("\\()#").lower()
                exact = [i for i in fitting if _full_name(facts, i).lower() == whole]
                fitting = exact or fitting
            found.extend(Symbol(declaring, index) for index in fitting)
            if found:
                return tuple(found)
        if name.count("\\") == 1 or function:
            indices = self._program.members(stub).get(-1, {}).get(short, ()) if stub else ()
            fitting = [i for i in indices if (self._program.facts(stub).definitions[i].kind == "function") == function]
            if fitting:
                return tuple(Symbol(stub, index) for index in fitting)
        return (External(name.lstrip("\\")),)

    def member(self, path: str, name: str) -> tuple[Denotation | Exported, ...]:
        """What `name` means to another file that takes it from the module at `path`; Missing when there is none."""
        key = (path, name)
        found = self._in_module.get(key)
        if found is None:
            found = self._exported(path, name, _Trail(self._settled)) or (Missing(path, name),)
            self._in_module[key] = found
        return found

    def follow(self, path: str, imported: Import, trail: _Trail | None = None) -> tuple[Denotation | Exported, ...]:
        """What an import brings in."""
        trail = trail or _Trail(self._settled)
        resolved = self.resolve(path, imported.module)
        if resolved.external:
            return self._external(path, imported.module, imported.name)
        if imported.name is None:
            return self._whole(path, imported.module, resolved, trail)
        found: list[Denotation | Exported] = []
        for target in resolved.paths:
            found.extend(self._exported(target, imported.name, trail))
            if found:
                break
        if found:
            return tuple(found)
        submodule = self._submodule(path, resolved, imported.name)
        if submodule is not None:
            return (submodule,)
        if resolved.paths:
            return (Missing(resolved.paths[0], imported.name),)
        return (Unresolved(f"{imported.module}.{imported.name}"),)

    def whole_module(self, path: str, module: str) -> tuple[Denotation | Exported, ...]:
        """What the module specifier means as a value."""
        resolved = self.resolve(path, module)
        if resolved.external:
            return (External(module),)
        return self._whole(path, module, resolved, _Trail(self._settled))

    def submodule_of(self, path: str, module: ModuleObject | PackageObject, name: str) -> tuple[Denotation, ...]:
        """The submodule `name` of a module or package, as read by an attribute in the file at `path`."""
        modules = self._program.modules(module.path if isinstance(module, ModuleObject) else path)
        if modules is None:
            return ()
        where = module.path if isinstance(module, ModuleObject) else module.directory
        found = modules.submodule(where, name)
        return () if found is None else (as_module(found),)

    def stars(self, path: str) -> Iterator[tuple[str, Import]]:
        """The modules whose names the file takes over whole, last first: (path, import)."""
        for each in reversed(self._program.facts(path).imports):
            if each.kind == "star" and each.top:
                for target in self.resolve(path, each.module).paths:
                    if target != path:
                        yield target, each

    def finds(self, path: str, imported: Import, *, submodule: bool = False) -> bool:
        """Whether an import that found a file of the repository still finds one. `submodule`: it was the imported name
        that meant the file (`from package import module`)."""
        resolved = self.resolve(path, imported.module)
        if resolved.external:
            language = self._program.language(path)
            return language is not None and imported.module.split(".")[0] in language.builtin_modules
        if imported.name is not None and (submodule or not resolved.paths):
            named = any(self._has(target, imported.name) for target in resolved.paths)
            return named or self._submodule(path, resolved, imported.name) is not None
        return bool(resolved.paths) or resolved.package is not None

    def _has(self, path: str, name: str) -> bool:
        """Whether others get something as `name` from the module at `path`: a package that imports a module of its own
        that is gone has no such name, though it binds one."""
        found = self._exported(path, name, _Trail(self._settled))
        return any(not isinstance(each, Missing | Unresolved) for each in found) or bool(
            self._program.members(path).get(-1, {}).get("__getattr__")
        )

    # ------------------------------------------------------------------------------------------------------- parts

    def _external(self, path: str, module: str, name: str | None) -> tuple[Denotation, ...]:
        language = self._program.language(path)
        stub = self._program.builtins(path)
        if language is not None and stub and module in language.builtin_modules:
            if name is None:
                return (External(module),)
            held = f"{module.rpartition('/')[2]}_{name}" if language.package_scope else name
            indices = self._program.members(stub).get(-1, {}).get(held, ())
            if indices:
                return tuple(Symbol(stub, index) for index in indices)
        return (External(module if name is None else f"{module}.{name}"),)

    def external_member(self, path: str, external: External, name: str) -> tuple[Denotation, ...]:
        """`name` of something from outside, read in the file at `path`."""
        if external.instance:
            return (External(f"{external.name}.{name}"),)
        return self._external(path, external.name, name)

    def _submodule(self, path: str, resolved: Resolved, name: str) -> Denotation | None:
        modules = self._program.modules(path)
        if modules is None:
            return None
        for where in (*resolved.paths, *((resolved.package,) if resolved.package is not None else ())):
            found = modules.submodule(where, name)
            if found is not None:
                return as_module(found)
        return None

    def _whole(self, path: str, module: str, resolved: Resolved, trail: _Trail) -> tuple[Denotation | Exported, ...]:
        for target in resolved.paths:
            if resolved.name is not None:
                return (ModuleObject(target),)
            replaced = self._exported(target, "=", trail)
            return replaced or (ModuleObject(target),)
        if self._program.packages(path) is not None:
            return (External(module),)  # files that are made when it is built
        if resolved.package is not None:
            return (PackageObject(resolved.package),)
        return (Unresolved(module),)

    def _own(self, path: str, name: str, trail: _Trail) -> tuple[Denotation | Exported, ...]:
        """Definitions and imports of that name in the file itself (and in those that share its scope)."""
        found: list[Denotation | Exported] = [
            Symbol(path, index) for index in self._program.members(path).get(-1, {}).get(name, ())
        ]
        packages = self._program.packages(path)
        if packages is not None:
            return tuple(found) or self._of_package(path, packages, name, trail)
        for imported in self.imports_of(path, name):
            found.extend(self._follow_guarded(path, imported, name, trail))
        if found:
            return tuple(found)
        modules = self._program.modules(path)
        if modules is not None:
            for sibling in modules.siblings(path):
                found.extend(
                    Symbol(sibling, index) for index in self._program.members(sibling).get(-1, {}).get(name, ())
                )
        if found:
            return tuple(found)
        language = self._program.language(path)
        if language is not None and not language.explicit_exports:
            return self._through_stars(path, name, trail)
        return ()

    def _of_package(
        self, path: str, packages: PackageModules, name: str, trail: _Trail
    ) -> tuple[Denotation | Exported, ...]:
        """A name of a package's scope, seen from one of its files: the file's imports, the other files, dot imports."""
        for imported in self.imports_of(path, name):
            return self._follow_guarded(path, imported, name, trail)
        if self._is_builtin_type(path, name):
            return ()
        return self.in_package(path, name) or self._through_stars(path, name, trail)

    def in_package(self, path: str, name: str) -> tuple[Symbol, ...]:
        """The definitions of that name in all files of the package that the file at `path` is part of."""
        packages = self._program.packages(path)
        files = packages.package(path) if packages is not None else (path,)
        key = (files[0], name)
        known = self._in_packages.get(key)
        if known is None:
            known = self._in_packages[key] = tuple(
                Symbol(each, index)
                for each in files
                if packages is None or packages.may_declare(each, name, method=False)
                for index in self._program.members(each).get(-1, {}).get(name, ())
            )
        return known

    def _is_builtin_type(self, path: str, name: str) -> bool:
        stub = self._program.builtins(path)
        indices = self._program.members(stub).get(-1, {}).get(name, ()) if stub else ()
        return any(self._program.facts(stub).definitions[index].kind not in ("function", "method") for index in indices)

    def _ambient(self, path: str, name: str) -> tuple[Denotation, ...]:
        stub = self._program.builtins(path)
        if stub:
            indices = self._program.members(stub).get(-1, {}).get(name, ())
            if indices:
                return tuple(Symbol(stub, index) for index in indices)
        if self._program.packages(path) is not None:
            return (External(name),)  # what no file of the repository declares comes from outside
        return (Unresolved(name),)

    def _exported(self, path: str, name: str, trail: _Trail) -> tuple[Denotation | Exported, ...]:
        """What other files get as `name`; empty when the module has no such name."""
        return trail.step((path, name), lambda: self._exported_anew(path, name, trail))

    def _exported_anew(self, path: str, name: str, trail: _Trail) -> tuple[Denotation | Exported, ...]:
        language = self._program.language(path)
        if language is None:
            return ()
        if language.package_scope:
            return self.in_package(path, name)
        if not language.explicit_exports:
            return self._own(path, name, trail)
        facts = self._program.facts(path)
        found: list[Denotation | Exported] = []
        for export in facts.exports:
            if export.exported != name:
                continue
            if export.local is None:
                found.append(Exported((path, export.at)))
            elif own := self._own(path, export.local, trail):
                found.extend(own)
            else:
                found.append(Exported((path, export.at)))
        for imported in facts.imports:
            if imported.exported_as == name and imported.kind != "star":
                found.extend(self.follow(path, imported, trail))
        if found:
            return tuple(found)
        if name == "default" and any(export.exported == "=" for export in facts.exports):
            return self._exported(path, "=", trail)
        return self._through_stars(path, name, trail) if name not in ("default", "=") else ()

    def _through_stars(self, path: str, name: str, trail: _Trail) -> tuple[Denotation | Exported, ...]:
        def further() -> tuple[Denotation | Exported, ...]:
            for target, _ in self.stars(path):
                language = self._program.language(target)
                if language is None or not language.exports_star(self._program.facts(target), name):
                    continue
                found = self._exported(target, name, trail)
                if found:
                    return found
            return ()

        return trail.step(("*" + path, name), further)

    def _follow_guarded(
        self, path: str, imported: Import, name: str, trail: _Trail
    ) -> tuple[Denotation | Exported, ...]:
        return trail.step(("=" + path + ":" + str(imported.at), name), lambda: self.follow(path, imported, trail))


def as_module(found: str) -> ModuleObject | PackageObject:
    """A submodule's path as a denotation: a path that ends in "/" is a package without a file of its own."""
    return PackageObject(found.rstrip("/")) if found.endswith("/") else ModuleObject(found)


def _full_name(facts: FileFacts, index: int) -> str:
    """The full name of a definition of a language with `global_names`, without the leading backslash."""
    qualified = facts.definitions[index].qualified
    return qualified if "\\" in qualified or not facts.package else f"{facts.package}\\{qualified}"
