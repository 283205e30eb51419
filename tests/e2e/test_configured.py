"""What a repository and its organisation configure, end to end."""

from __future__ import annotations

from app.standin import CheckRun
from tests.e2e.conftest import Story

CODE = {
    "lib.py": "def price(x):\n    return x\n",
    "use.py": "from lib import price\n\nprice(1)\n",
    "old/use.py": "from lib import price\n\nprice(1)\n",
}
CHANGE = {"lib.py": "def price(x, y):\n    return x\n"}


def said(run: CheckRun) -> str:
    return f"{run.output.get('summary')}\n{run.output.get('text')}"


def test_a_repository_configures_nothing(story: Story) -> None:
    configured = {".github/callsheet.yml": "ignore: [old/]\nconclusion: failure\ncallers: none\n"}
    shop = story.github.repository("acme/shop", CODE | configured)
    pull = shop.open_pull("Prices", CHANGE)
    story.tell(pull.opened())
    run = story.finished(pull)
    assert run.conclusion == "failure"
    assert "use.py:3" in said(run) and "old/use.py" not in said(run)
    assert "`.github/callsheet.yml`, line 3: `callers` must be a whole number" in said(run)


def test_what_the_base_branch_got_after_the_pull_request_branched_does_not_count(story: Story) -> None:
    shop = story.github.repository("acme/shop", CODE)
    pull = shop.open_pull("Prices", CHANGE | {".github/other.yml": "a: 1\n"})
    shop.push("main", {".github/callsheet.yml": "ignore: [old/]\n"})
    story.tell(pull.opened())
    assert "old/use.py" not in said(story.finished(pull))


def test_the_organisation_configures_nothing(story: Story) -> None:
    story.github.repository("acme/.github", {".github/callsheet.yml": "conclusion: success\n"})
    shop = story.github.repository("acme/shop", CODE)
    pull = shop.open_pull("Prices", CHANGE)
    story.tell(pull.opened())
    assert story.finished(pull).conclusion == "success"
