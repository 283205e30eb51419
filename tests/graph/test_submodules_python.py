"""Modules of a package that the package itself imports by name: who still asks for them when they are gone."""

from __future__ import annotations

import pytest

from tests.graph.repositories import Content
from tests.graph.stories import Repo

STRIP = "class Strip:\n    def load(self):\n        return 1\n"
USE = "from addons import strip\n\n\ndef test_it():\n    assert strip.Strip().load()\n"

PACKAGES = {
    "by its full name": "from addons import other, strip\n",
    "by a dot": "from . import other, strip\n",
    "by its path": "import addons.strip as strip\n",
    "under its own name": "from addons import strip as strip\n",
    "from a package of its own": "from .inner import strip\n",
}


def _tree(package: str) -> dict[str, Content]:
    return {
        "addons/__init__.py": package,
        "addons/strip.py": STRIP,
        "addons/other.py": "",
        "addons/inner/__init__.py": "from .. import strip\n",
        "use.py": USE,
    }


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES.keys())
@pytest.mark.parametrize("moved", [False, True], ids=["deleted", "moved"])
def test_a_module_that_is_gone_is_found_since_its_package_imports_it(repo: Repo, package: str, moved: bool) -> None:
    gone: dict[str, Content] = {"addons/strip.py": None}
    repo.commit(_tree(package)).commit(gone | ({"addons/strip2.py": STRIP} if moved else {}))
    assert "use.py:1" in repo.brief().stale_imports()
    assert "addons/inner/__init__.py:1" in repo.brief().stale_imports()


@pytest.mark.parametrize(
    "package",
    [
        "from addons import strip2 as strip\n",
        "try:\n    from . import strip\nexcept ImportError:\n    strip = None\n",
        "from .strip2 import *\n",
        "def __getattr__(name):\n    return 1\n",
    ],
    ids=["moved on", "a value instead", "a star", "any name"],
)
def test_a_package_that_has_the_name_by_other_means_is_said_to_lack_it(repo: Repo, package: str) -> None:
    repo.commit(_tree("from . import strip\n")).commit(
        {
            "addons/strip.py": None,
            "addons/strip2.py": STRIP + "\n\nstrip = Strip()\n",
            "addons/__init__.py": package,
        }
    )
    assert "use.py:1" not in repo.brief().stale_imports()
