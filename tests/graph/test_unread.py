"""Files outside the diff that may use what changed and could not be read: they are named, a few of them."""

from __future__ import annotations

from graph.snapshot import SIZE_LIMIT
from tests.graph.stories import Repo

MINIFIED = "export const x = 1;" + "a=compute_tax(1);" * 4000 + "\n"
LARGE = "# compute_tax\n" + "x = 1\n" * (SIZE_LIMIT // 6 + 10)
BROKEN = "import { compute_tax } from './tax';\nexport function f( { compute_tax(1 ;;; }} ][\nexport const y = 1;\n"
TAX = "export function compute_tax(amount: number) {\n  return amount;\n}\n"


def test_a_minified_or_broken_file_that_names_what_changed_is_passed_over_in_silence(repo: Repo) -> None:
    repo.commit(
        {
            "tax.ts": TAX,
            "min.js": MINIFIED,
            "broken.ts": BROKEN,
            "unrelated.min.js": "export const y = 1;" + "b=other_name(1);" * 4000 + "\n",
            "unrelated.ts": "export function ( { ;;; }} ][\n",
            "use.ts": "import { compute_tax } from './tax';\ncompute_tax(1);\n",
        }
    ).commit({"tax.ts": TAX.replace("return amount", "return amount * 2")})
    found = repo.brief().not_checked()
    assert set(found) == {"min.js", "broken.ts"}
    assert "minified" in found["min.js"]
    assert "could not be parsed" in found["broken.ts"]
    assert all(why.startswith("outside the diff, with a changed name in it: ") for why in found.values())


def test_a_file_past_the_size_limit_is_passed_over_in_silence(repo: Repo) -> None:
    repo.commit(
        {
            "tax.py": "def compute_tax():\n    return 1\n",
            "large.py": LARGE,
            "other.py": LARGE.replace("compute_tax", "compute_tax_of"),
        }
    ).commit({"tax.py": "def compute_tax():\n    return 2\n"})
    assert list(repo.brief().not_checked()) == ["large.py"]


def test_hundreds_of_bundles_fill_the_page(repo: Repo) -> None:
    repo.commit({"tax.ts": TAX, **{f"dist/{number}.js": MINIFIED for number in range(8)}}).commit(
        {"tax.ts": TAX.replace("return amount", "return amount * 2")}
    )
    found = repo.brief().not_checked()
    assert list(found) == [f"dist/{number}.js" for number in range(5)]
    assert "and 3 more files outside the diff" in found["dist/4.js"]


def test_what_is_in_the_diff_is_said_twice(repo: Repo) -> None:
    repo.commit({"tax.ts": TAX, "min.js": MINIFIED}).commit(
        {"tax.ts": TAX.replace("return amount", "return amount * 2"), "min.js": MINIFIED + "\n"}
    )
    assert list(repo.brief().not_checked()) == ["min.js"]
