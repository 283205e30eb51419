"""Hostile and odd files, end to end: each has its right outcome, in little time, and costs nobody else their answer.

The cases are those that broke comparable tools: nesting, one-line bundles, size, encodings, line ends, file names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.index import LONGEST_LINE
from graph.snapshot import SIZE_LIMIT
from tests.graph.changed_core import NEW, OLD, timed, with_change
from tests.graph.repositories import Content
from tests.graph.stories import Repo

DEPTH = 16_384


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repo]:
    with timed(tmp_path) as made:
        yield made


# ---------------------------------------------------------------------------------------------------- deep nesting

DEEP = {
    "deep.py": "from core import meet\n\nx = " + "(" * DEPTH + "1" + ")" * DEPTH + "\nmeet(1)  # CALLER\n",
    "lists.py": "from core import meet\n\nx = " + "[" * DEPTH + "]" * DEPTH + "\nmeet(1)  # CALLER\n",
    "calls.py": "from core import meet\n\nx = " + "f(" * 4000 + "1" + ")" * 4000 + "\nmeet(1)  # CALLER\n",
    "minus.py": "from core import meet\n\nx = " + "-" * DEPTH + "1\nmeet(1)  # CALLER\n",
    "chain.py": "from core import meet\n\nx = a" + ".b()" * 8000 + "\nmeet(1)  # CALLER\n",
    "sum.py": "from core import meet\n\nx = (" + " +\n".join(["'a'"] * 15_000) + ")\nmeet(1)  # CALLER\n",
    "branches.py": "from core import meet\n\nif a:\n    pass\n"
    + "".join(f"elif a == {n}:\n    pass\n" for n in range(3000))
    + "meet(1)  # CALLER\n",
    "flat.py": "from core import meet\n\nx = [" + ", ".join(map(str, range(15_512))) + "]\nmeet(1)  # CALLER\n",
    "bool.py": "from core import meet\n\nx = " + " and ".join(["a"] * 10_000) + "\nmeet(1)  # CALLER\n",
    "braces.ts": "import { meet } from './core';\n" + "{" * DEPTH + "}" * DEPTH + "\nmeet(1); // CALLER\n",
    "parens.ts": "import { meet } from './core';\nlet x = "
    + "(" * DEPTH
    + "1"
    + ")" * DEPTH
    + ";\nmeet(1); // CALLER\n",
    "ifs.ts": "import { meet } from './core';\n" + "if (a) {\n" * 3000 + "}\n" * 3000 + "meet(1); // CALLER\n",
    "branches.ts": "import { meet } from './core';\n" + "if (a) {}\nelse " * 8000 + "{}\nmeet(1); // CALLER\n",
    "sum.ts": "import { meet } from './core';\nconst x = " + " +\n".join(["'a'"] * 15_000) + ";\nmeet(1); // CALLER\n",
    "arrow.ts": "import { meet } from './core';\nconst x = " + "() => " * 8000 + "1;\nmeet(1); // CALLER\n",
    "types.ts": "import { meet } from './core';\ntype X = "
    + "A<" * 6000
    + "B"
    + ">" * 6000
    + ";\nmeet(1); // CALLER\n",
    "jsx.tsx": "import { meet } from './core';\nconst x = " + "<a>" * 4000 + "</a>" * 4000 + ";\nmeet(1); // CALLER\n",
    "chain.ts": "import { meet } from './core';\nconst x = a" + ".b()" * 8000 + ";\nmeet(1); // CALLER\n",
    "comma.js": "const { meet } = require('./core');\nlet x = ("
    + ", ".join(["1"] * 15_512)
    + ");\nmeet(1); // CALLER\n",
}


def test_files_that_nest_deeply_end_the_run_or_lose_their_callers(repo: Repo) -> None:
    with_change(repo, {**DEEP, "use.py": "from core import meet\n\nmeet(1)  # CALLER\n"})
    brief = repo.brief()
    assert brief.callers("meet", "core.py") == [each for each in repo.marked() if ".py:" in each]
    assert brief.callers("meet", "core.ts") == [each for each in repo.marked() if ".py:" not in each]


def test_changed_files_that_nest_deeply_lose_their_changes(repo: Repo) -> None:
    last = "\ndef last_{}(a):\n    return {}\n"
    last_ts = "\nexport function last_{}(a) {{ return {}; }}\n"
    before: dict[str, Content] = {}
    after: dict[str, Content] = {}
    for name, text in DEEP.items():
        stem, _, ending = name.partition(".")
        more = last if ending == "py" else last_ts
        before[name] = text.replace("// CALLER", "").replace("# CALLER", "") + more.format(stem + ending, 1)
        after[name] = text.replace("// CALLER", "").replace("# CALLER", "") + more.format(stem + ending, 2)
    use = "import chain\nimport flat\n\nchain.last_chainpy(1)  # CALLER:chainpy\nflat.last_flatpy(1)  # CALLER:flatpy\n"
    script = "import { last_typests } from './types';\nlast_typests(1); // CALLER:typests\n"
    repo.commit({**before, "user.py": use, "user.ts": script}).commit(after)
    brief = repo.brief()
    assert brief.changes() == {f"last_{name.replace('.', '')}": "body" for name in DEEP}
    for name in ("chainpy", "flatpy", "typests"):
        assert brief.callers(f"last_{name}") == repo.marked(name)


def test_a_call_inside_deep_nesting_is_lost(repo: Repo) -> None:
    repo.commit(
        {
            "core.py": "def meet(a):  # TARGET\n    return a\n",
            "use.py": "from core import meet\n\nx = " + "(" * 3000 + "\nmeet(1)  # CALLER\n" + ")" * 3000 + "\n",
            "use.ts": "meet(1);\n",
        }
    )
    assert repo.callers() == repo.marked()


# --------------------------------------------------------------------------------------------------- size and bundles


def test_a_minified_bundle_is_read_or_passed_over_in_silence(repo: Repo) -> None:
    bundle = "import{meet}from'./core';" + "var a=meet(1);" * (LONGEST_LINE // 10)
    with_change(repo, {"bundle.js": bundle, "use.ts": "import { meet } from './core';\nmeet(1); // CALLER\n"})
    repo.commit({"bundle.js": bundle + "a;"})
    brief = repo.brief()
    assert brief.callers("meet", "core.ts") == repo.marked()
    assert "minified" in brief.not_checked()["bundle.js"]
    assert brief.file("bundle.js").symbols == ()


def test_a_short_bundle_on_one_line_is_not_read(repo: Repo) -> None:
    with_change(repo, {"small.js": "const{meet}=require('./core');" + "meet(1);" * 100 + " // CALLER"})
    assert repo.brief().callers("meet", "core.ts") == repo.marked()


def test_a_minified_bundle_in_lines_is_taken_for_what_somebody_wrote(repo: Repo) -> None:
    bundle = "const{meet}=require('./core');\n" + ("function j(a){return meet(a)}j(1);k=2;" * 60 + "\n") * 20
    with_change(repo, {"bundle.js": bundle, "use.ts": "import { meet } from './core';\nmeet(1); // CALLER\n"})
    repo.commit({"bundle.js": bundle + "j(2);"})
    brief = repo.brief()
    assert brief.callers("meet", "core.ts") == repo.marked()
    assert "minified" in brief.not_checked()["bundle.js"]
    assert brief.file("bundle.js").symbols == ()


def test_a_file_over_the_limit_stops_the_others_or_is_not_named(repo: Repo) -> None:
    huge = "from core import meet\n" + "meet(1)\n" * (SIZE_LIMIT // 8 + 1)
    with_change(repo, {"huge.py": huge, "use.py": "from core import meet\n\nmeet(1)  # CALLER\n"})
    repo.commit({"huge.py": huge + "\n"})
    brief = repo.brief()
    assert brief.callers("meet", "core.py") == repo.marked()
    assert "larger than" in brief.not_checked()["huge.py"]


def test_an_import_of_a_huge_asset_opens_it(repo: Repo) -> None:
    with_change(
        repo,
        {
            "film.mp4": b"\0" * (SIZE_LIMIT + 1),
            "use.ts": "import film from './film.mp4';\nimport { meet } from './core';\nmeet(film); // CALLER\n",
        },
    )
    brief = repo.brief()
    assert brief.callers("meet", "core.ts") == repo.marked()


def test_thousands_of_definitions_and_calls_take_for_ever(repo: Repo) -> None:
    calls = "".join(f"def f{n}():\n    return meet({n})  # CALLER\n\n\n" for n in range(3000))
    with_change(repo, {"many.py": "from core import meet\n\n\n" + calls})
    assert repo.brief().callers("meet", "core.py") == repo.marked()


@pytest.mark.parametrize(
    "text",
    ["<script \n" * 60_000, "<script>\n" * 60_000, "<style>\n<!--\n" * 60_000, "{{ a\n" * 60_000],
    ids=["tags", "scripts", "styles", "expressions"],
)
def test_a_template_is_read_again_from_each_of_its_parts(repo: Repo, text: str) -> None:
    script = "<script>\nimport { meet } from './core';\nmeet(1); // CALLER\n</script>\n<template>\n"
    with_change(repo, {"page.vue": script + text})
    assert repo.brief().callers("meet", "core.ts") == repo.marked()


def test_the_parameters_of_a_function_type_are_listed_for_each_of_them(repo: Repo) -> None:
    names = [f"a{number}" for number in range(8_000)]
    types = ",\n".join(f"{each}: number" for each in names)
    head = f"const f: ({types}) => void = (" + ",\n".join(names) + ") => {\n"
    with_change(repo, {"b.ts": "import { meet } from './core';\n" + head + "  meet(a1); // CALLER\n};\n"})
    assert repo.brief().callers("meet", "core.ts") == repo.marked()


@pytest.mark.parametrize("tags", ["@param {\n" * 430, "@param {\n" * 190 + "}\n" * 190], ids=["open", "closed"])
def test_a_comment_is_read_again_from_each_of_its_braces(repo: Repo, tags: str) -> None:
    text = "".join(f"/** {tags} */\nexport function f{number}(a) {{ return a; }}\n" for number in range(200))
    files: dict[str, Content] = {f"a{number}.js": text for number in range(4)}
    repo.commit({**files, "use.js": "import { f1 } from './a0';\nf1(1); // CALLER\n"})
    repo.commit({path: text.replace("(a)", "(a, b)") for path in files})
    assert repo.brief().callers("f1", "a0.js") == repo.marked()


def test_functions_within_functions_are_read_for_each_around_them(repo: Repo) -> None:
    text = "".join(f"function f{number}(a, b) {{\n" + "  if (c) c();\n" * 10 for number in range(300)) + "}" * 300
    files: dict[str, Content] = {f"a{number}.js": f"export {text}\n" for number in range(4)}
    repo.commit({**files, "use.js": "import { f0 } from './a0';\nf0(1); // CALLER\n"})
    repo.commit({path: f"export {text.replace('(a, b)', '(a, b, d)')}\n" for path in files})
    assert repo.brief().callers("f0", "a0.js") == repo.marked()


# ------------------------------------------------------------------------------------------------------------ encodings


def test_a_byte_that_is_no_utf8_drops_the_file(repo: Repo) -> None:
    with_change(
        repo,
        {
            "latin.py": b"# caf\xe9\nfrom core import meet\n\nx = '\xff\xfe'\nmeet(1)  # CALLER\n",
            "latin.ts": b"// caf\xe9\nimport { meet } from './core';\nconst x = '\xe9';\nmeet(1); // CALLER\n",
        },
    )
    brief = repo.brief()
    assert brief.callers("meet", "core.py") == [each for each in repo.marked() if ".py" in each]
    assert brief.callers("meet", "core.ts") == [each for each in repo.marked() if ".ts" in each]


def test_a_definition_beside_a_bad_byte_is_dropped(repo: Repo) -> None:
    before = b"# caf\xe9\ndef one():\n    return '\xe9'\n\n\ndef two():\n    return 2\n"
    repo.commit({"m.py": before, "use.py": "from m import one, two\n\none()\ntwo()\n"}).commit(
        {"m.py": before.replace(b"2\n", b"3\n").replace(b"\\xe9'", b"\xea'")}
    )
    assert repo.brief().callers("two") == ["use.py:4"]


def test_a_byte_order_mark_hides_the_first_import_or_moves_the_lines(repo: Repo) -> None:
    mark = b"\xef\xbb\xbf"
    with_change(
        repo,
        {
            "tsconfig.json": mark + b'{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
            "bom.py": mark + b"from core import meet\nmeet(1)  # CALLER\n",
            "bom.ts": mark + b"import { meet } from '@/core';\nmeet(1); // CALLER\n",
        },
    )
    brief = repo.brief()
    assert [*brief.callers("meet", "core.py"), *brief.callers("meet", "core.ts")] == repo.marked()


def test_a_definition_on_the_line_of_a_byte_order_mark_is_lost(repo: Repo) -> None:
    mark = b"\xef\xbb\xbf"
    repo.commit({"m.py": mark + OLD.encode(), "use.py": "import m\n\nm.meet(1)  # CALLER\n"}).commit(
        {"m.py": mark + NEW.encode()}
    )
    brief = repo.brief()
    assert brief.symbol("meet").line == 1
    assert brief.callers("meet") == repo.marked()


def test_a_utf16_file_is_taken_for_source(repo: Repo) -> None:
    repo.commit({"wide.py": "x = 1\n".encode("utf-16")}).commit({"wide.py": "x = 2\n".encode("utf-16")})
    assert "UTF-16" in repo.brief().not_checked()["wide.py"]


def test_a_flip_of_line_ends_changes_every_symbol(repo: Repo) -> None:
    text = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(5))
    repo.commit({"m.py": text.replace("\n", "\r\n").encode()}).commit({"m.py": text.replace("return 3", "return 33")})
    assert repo.brief().changes() == {"f3": "body"}


def test_a_carriage_return_stays_in_a_name_or_a_specifier(repo: Repo) -> None:
    with_change(
        repo,
        {
            "win.py": b"import core\r\nfrom core import meet\r\n\r\nmeet(1)  # CALLER\r\ncore.meet(2)  # CALLER\r\n",
            "win.ts": b"import { meet } from './core';\r\nmeet(1); // CALLER\r\n",
        },
    )
    brief = repo.brief()
    assert [*brief.callers("meet", "core.py"), *brief.callers("meet", "core.ts")] == repo.marked()


def test_lone_carriage_returns_count_as_lines(repo: Repo) -> None:
    """Git and the review page see one line, so everything is on line 1."""
    with_change(repo, {"mac.ts": b"import { meet } from './core';\rmeet(1);\rmeet(2);\r"})
    assert repo.brief().callers("meet", "core.ts") == ["mac.ts:1"]


def test_a_nul_byte_makes_source_binary(repo: Repo) -> None:
    with_change(
        repo,
        {
            "nul.ts": b"import { meet } from './core';\nconst x = '\0';\nmeet(1); // CALLER\n",
            "nul.py": b"from core import meet\n\nx = '\0'\nmeet(1)  # CALLER\n",
        },
    )
    brief = repo.brief()
    assert [*brief.callers("meet", "core.py"), *brief.callers("meet", "core.ts")] == repo.marked()


def test_a_changed_file_with_a_nul_byte_has_no_changes(repo: Repo) -> None:
    """Git calls such a file binary and shows no lines of it."""
    before = b"const z = '\0';\nexport function meet(a: number) {\n  return a;\n}\n"
    repo.commit({"m.ts": before, "use.ts": "import { meet } from './m';\nmeet(1); // CALLER\n"}).commit(
        {"m.ts": before.replace(b"return a", b"return a + 1")}
    )
    brief = repo.brief()
    assert brief.changes() == {"meet": "body"}
    assert brief.callers("meet") == repo.marked()


@pytest.mark.parametrize("content", [b"", b"\n", b"# only a comment\n", b"\xef\xbb\xbf", b"\0", b"\xff", b"\r", b"'''"])
def test_an_empty_or_nearly_empty_file_fails_the_briefing(repo: Repo, content: bytes) -> None:
    with_change(
        repo,
        {
            "empty.py": content,
            "empty.ts": content,
            "pkg/__init__.py": content,
            "pkg/a.py": "def one():\n    return 1\n",
            "use.py": "from pkg.a import one\nfrom core import meet\n\none()\nmeet(1)  # CALLER\n",
        },
    )
    repo.commit({"pkg/a.py": "def one():\n    return 2\n", "empty.py": content + b"\n", "empty.ts": None})
    brief = repo.brief()
    assert brief.callers("meet", "core.py") == repo.marked()
    assert brief.callers("one") == ["use.py:4"]


# ------------------------------------------------------------------------------------------------------- names of files

NAMES = [
    b"with space.py",
    b'with"quote.py',
    b"with'quote.py",
    b"with\nnewline.py",
    b"with\ttab.py",
    b"with\\backslash.py",
    b"caf\xc3\xa9.py",
    b"\xe5\x90\x88\xe8\xa8\x88.py",
    b"bad\xff\xfebyte.py",
    b"-dash.py",
    b":(glob)colon.py",
    b"*.py",
    b"[a].py",
    b"a:b.py",
    b"$(touch x).py",
    b"dir with space/and 'quote'/x.py",
]


def test_files_of_such_names_are_lost_or_renamed(repo: Repo) -> None:
    paths = [name.decode("utf-8", "surrogateescape") for name in NAMES]
    before = b"from core import meet\n\n\ndef own():\n    return 1\n\n\nmeet(1)\n"
    with_change(repo, dict.fromkeys(NAMES, before))
    assert sorted(repo.brief(0, 1).callers("meet", "core.py")) == sorted(f"{path}:8" for path in paths)
    repo.commit({name: before.replace(b"return 1", b"return 2") for name in NAMES})
    brief = repo.brief()
    assert [[symbol.qualified for symbol in brief.file(path).symbols] for path in paths] == [["own"]] * len(paths)


@pytest.mark.parametrize("name", NAMES)
def test_the_move_of_a_file_of_such_a_name_is_lost(repo: Repo, name: bytes) -> None:
    new = b"moved-" + name.split(b"/")[-1]
    repo.commit({name: OLD}).commit({name: None, new: OLD})
    brief = repo.brief()
    assert brief.file(new.decode("utf-8", "surrogateescape")).old_path == name.decode("utf-8", "surrogateescape")


def test_a_specifier_with_spaces_and_letters_outside_ascii_finds_nothing(repo: Repo) -> None:
    repo.commit(
        {
            "my lib/größe.ts": "export default function sizeOf() {} // TARGET\n",
            "a.ts": "import s from './my lib/größe';\ns(); // CALLER\n",
        }
    )
    assert repo.callers() == repo.marked()


@pytest.mark.parametrize(
    "text",
    [
        "export function f(opts) {\n  opts = { ...opts, x: 1 };\n  opts.go(1);\n}\n",
        "let p = { x: 1 };\np = { ...p, z: 2 };\np.go(1);\n",
        "let p = { x: 1 };\np = { x: p.x };\np.x.go(1);\n",
        "let p = { x: 1 }, q = {};\np = { ...q };\nq = { ...p };\np.go(1);\nq.go(1);\n",
        "const p = { x: p.x };\np.x.go(1);\n",
    ],
)
@pytest.mark.parametrize("path", ["b.js", "b.ts"])
def test_a_value_made_of_itself_fails_the_file(repo: Repo, path: str, text: str) -> None:
    target = "export function go(n) { return n; }\n"
    repo.commit({"a.js": target, path: f"import {{ go }} from './a.js';\ngo(2); // CALLER\n{text}"}).commit(
        {"a.js": target.replace("return n", "return n + 1")}
    )
    brief = repo.brief()
    assert brief.not_checked() == {}
    assert brief.briefing.incomplete is None
    assert brief.callers("go") == repo.marked()


@pytest.mark.parametrize(
    "text",
    [
        "class C:\n    __call__: 'C'\n\n\nc = C()\nc()().go_on()\n",
        "class C:\n    def __iter__(self):\n        return D()\n\n\n"
        "class D:\n    def __iter__(self):\n        return C()\n\n\nfor x in C():\n    x.go_on()\n",
    ],
)
def test_classes_that_give_themselves_fail_the_file(repo: Repo, text: str) -> None:
    target = "class G:\n    def go_on(self):\n        return 1\n"
    repo.commit({"a.py": target, "b.py": text}).commit({"a.py": target.replace("1", "2")})
    brief = repo.brief()
    assert brief.briefing.incomplete is None
    assert [each.partition(":")[0] for each in brief.callers("G.go_on")] == ["b.py"]
