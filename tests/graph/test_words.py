"""Each kind of word that the search follows is needed: taken away, a caller is lost.

One repository per kind, in which that word alone leads to a caller. The first half of every test finds the caller, the
second takes the step away and must not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graph.callers import CallerSearch, Target
from graph.candidates import Candidates
from graph.languages.python.modules import PythonModules
from graph.languages.typescript.modules import TypeScriptModules
from graph.world import Repository, World
from tests.graph.stories import Repo

Take = Callable[[pytest.MonkeyPatch], None]


def fast(repo: Repo) -> list[str]:
    """The callers of the definition marked TARGET, found the fast way only: the ways differ here on purpose."""
    ((path, line),) = repo.lines("TARGET")
    with Repository(repo.path, None) as opened:
        world = World(opened.snapshot(repo.sha(-1)), opened.reader)
        facts = world.program.facts(path)
        (index,) = (n for n, each in enumerate(facts.definitions) if each.line == line)
        target = Target(path, (index,))
        world.candidates(target.path).prefetch(world.callers(target.path).first_words(target))
        return sorted(
            {
                f"{site.path}:{site.line}"
                for site in world.callers(target.path).find(target).sites
                if site.kind != "import"
            }
        )


def no_aliases_of_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallerSearch, "_own_exports", lambda *_: None)
    monkeypatch.setattr(CallerSearch, "_denotes", lambda *_: False)


def no_aliases_of_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallerSearch, "_imported", lambda *_: None)


def no_aliases_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallerSearch, "_alias", lambda *_: -1)


def no_subclasses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallerSearch, "subclasses", lambda *_: [])


def no_importers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Candidates, "importers", lambda *_: ())


def no_module_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for modules in (PythonModules, TypeScriptModules):
        monkeypatch.setattr(modules, "words", lambda *_: frozenset())


def no_dotted_importers(monkeypatch: pytest.MonkeyPatch) -> None:
    for modules in (PythonModules, TypeScriptModules):
        monkeypatch.setattr(modules, "dotted_importers", lambda *_: ())


def no_yielders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CallerSearch, "_yielding", lambda *_: set())


def no_keys_but_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_the_class(search: CallerSearch, target: Target) -> frozenset[str]:
        facts = search._program.facts(target.path)
        return frozenset({facts.definitions[search._owner(target)].name})

    monkeypatch.setattr(CallerSearch, "_keys", only_the_class)


WORDS: dict[str, tuple[Take, dict[str, str]]] = {
    "the name in an export list": (
        no_aliases_of_exports,
        {
            "a.ts": "function inner() {} // TARGET\nexport { inner as outer };\n",
            "use.ts": "import { outer } from './a';\nouter(); // CALLER\n",
        },
    ),
    "the name that a barrel gives": (
        no_aliases_of_imports,
        {
            "a.ts": "export function inner() {} // TARGET\n",
            "index.ts": "export { inner as outer } from './a';\n",
            "use.ts": "import { outer } from './index';\nouter(); // CALLER\n",
        },
    ),
    "the name that a package gives": (
        no_aliases_of_imports,
        {
            "p/a.py": "def inner():  # TARGET\n    pass\n",
            "p/__init__.py": "from .a import inner as outer\n",
            "use.py": "from p import outer\n\nouter()  # CALLER\n",
        },
    ),
    "the name of a value that is it": (
        no_aliases_of_values,
        {
            "a.py": "def inner():  # TARGET\n    pass\n\n\nouter = inner  # CALLER\n",
            "use.py": "from a import outer\n\nouter()  # CALLER\n",
        },
    ),
    "the subclass without a constructor of its own": (
        no_subclasses,
        {
            "a.py": "class Base:\n    def __init__(self, x):  # TARGET\n        pass\n",
            "b.py": "from a import Base\n\n\nclass Leaf(Base):\n    pass\n",
            "use.py": "from b import Leaf\n\nLeaf(1)  # CALLER\n",
        },
    ),
    "the importers of a default export": (
        no_importers,
        {
            "dial.ts": "export default function inner() {} // TARGET\n",
            "use.ts": "import anything from './dial';\nanything(); // CALLER\n",
        },
    ),
    "the module's word": (
        no_module_words,
        {
            "dial.ts": "export default function inner() {} // TARGET\n",
            "use.ts": "import anything from './dial';\nanything(); // CALLER\n",
        },
    ),
    "the alias of a tsconfig": (
        no_module_words,
        {
            "tsconfig.json": '{ "compilerOptions": { "paths": { "#dials": ["./src/dial/index.ts"] } } }',
            "src/dial/index.ts": "export default function inner() {} // TARGET\n",
            "use.ts": "import anything from '#dials';\nanything(); // CALLER\n",
        },
    ),
    "files whose specifier is only dots": (
        no_dotted_importers,
        {
            "kit/index.ts": "export default function inner() {} // TARGET\n",
            "kit/use.ts": "import anything from '.';\nanything(); // CALLER\n",
        },
    ),
    "the subclass of a class whose method has a common name": (
        no_keys_but_the_class,
        {
            "a.py": "class Base:\n    def get(self):  # TARGET\n        pass\n",
            "b.py": "from a import Base\n\n\nclass Leaf(Base):\n    pass\n",
            "use.py": "from b import Leaf\n\nLeaf().get()  # CALLER\n",
        },
    ),
    "the function that yields the class of a common name": (
        no_yielders,
        {
            "a.py": "class Store:\n    def get(self):  # TARGET\n        pass\n\n\ndef make_store() -> Store: ...\n",
            "use.py": "from a import make_store\n\nmake_store().get()  # CALLER\n",
        },
    ),
    "the value that holds the class of a common name": (
        no_yielders,
        {
            "a.ts": "export class Store {\n  get() {} // TARGET\n}\nexport const shared = new Store();\n",
            "use.ts": "import { shared } from './a';\nshared.get(); // CALLER\n",
        },
    ),
}


@pytest.mark.parametrize(("take", "files"), WORDS.values(), ids=WORDS.keys())
def test_a_kind_of_word_is_followed_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, take: Take, files: dict[str, str]
) -> None:
    repo = Repo(tmp_path).commit(files)
    assert repo.callers() == repo.marked()
    assert fast(repo) == repo.marked()
    take(monkeypatch)
    assert set(fast(repo)) < set(repo.marked())


def test_the_words_of_a_file_are_read_from_its_comments_and_strings(tmp_path: Path) -> None:
    """The search finds words anywhere; only those that stand in code are looked at."""
    repo = Repo(tmp_path).commit(
        {
            "a.py": "def inner_one():  # TARGET\n    pass\n",
            "note.py": '# inner_one\nx = \'inner_one()\'\n"""inner_one()"""\n',
        }
    )
    assert fast(repo) == []


@pytest.mark.parametrize("name", ["naïve_sum", "größe", "合計", "été", "x"])
def test_a_name_outside_ascii_is_not_found_by_its_word(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path).commit(
        {
            "a.py": f"def {name}():  # TARGET\n    pass\n",
            "use.py": f"from a import {name}\n\n{name}()  # CALLER\n",
            "not.py": f"{name}2 = 1\nz{name} = 2\n",
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize("name", ["$store", "a$", "_$_", "$"])
def test_a_name_with_a_dollar_is_not_found_by_its_word(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path).commit(
        {
            "a.ts": f"export const {name} = () => 1; // TARGET\n",
            "use.ts": f"import {{ {name} }} from './a';\n{name}(); // CALLER\n",
            "not.ts": f"export const {name}x = 1, x{name} = 2;\n",
        }
    )
    assert repo.callers() == repo.marked()


def test_a_private_name_is_not_found_by_its_word(tmp_path: Path) -> None:
    repo = Repo(tmp_path).commit(
        {
            "a.ts": (
                "export class A {\n  #sum() {} // TARGET\n  go() { this.#sum(); } // CALLER\n}\nclass B { #sum() {} }\n"
            )
        }
    )
    assert repo.callers() == repo.marked()


def test_a_file_that_imports_by_strings_too_is_no_importer_of_what_it_imports(repo: Repo) -> None:
    files = {
        "lib/__init__.py": "",
        "lib/util.py": "def total(a):\n    return a\n",
        "app/__init__.py": "",
        "app/a.py": "b = 1\n",
        "app/x.py": "from .a import b\nimport importlib\nm = importlib.import_module('json')\nfrom lib.util import *\n",
        "app/y.py": "from app.x import total\ntotal(1)  # CALLER\n",
    }
    repo.commit(files).commit({"lib/util.py": "def total(a, b=1):\n    return a\n"})
    assert repo.brief().callers("total") == repo.marked(rev=0)  # the same in every way
