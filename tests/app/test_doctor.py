"""`callsheet doctor`: what is wrong is found, and what to do is said."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.doctor import Finding, file_system, findings
from app.standin import StandIn
from tests import openapi
from worker.settings import Settings


@pytest.fixture
def env(github: StandIn, redis_url: str, tmp_path: Path) -> dict[str, str]:
    return github.environment() | {
        "REDIS_URL": redis_url,
        "CALLSHEET_CACHE_DIR": str(tmp_path),
        "CALLSHEET_DISK_BUDGET_MIB": "64",
        "CALLSHEET_DISK_FREE_MIB": "1",
    }


async def examined(env: dict[str, str]) -> list[Finding]:
    return [finding async for finding in findings(Settings.from_environment(env), env)]


async def wrong(env: dict[str, str]) -> dict[str, str]:
    return {finding.what: finding.todo for finding in await examined(env) if finding.grade != "ok"}


async def test_a_good_installation_is_complained_about(env: dict[str, str], github: StandIn) -> None:
    github.world.registration.hook["url"] = "https://callsheet.example.com/webhooks"
    found = await wrong(env)
    # The Redis of these tests keeps nothing.
    assert set(found) == {"Redis: what it holds does not survive its restart"}
    refused = [exchange for exchange in github.world.exchanges if exchange.status < 400]
    assert [text for exchange in refused for text in openapi.problems(exchange)] == []


Change = Callable[[dict[str, str], StandIn, Path], None]


def _without_key(env: dict[str, str], _github: StandIn, _tmp: Path) -> None:
    del env["CALLSHEET_PRIVATE_KEY"]


def _readable_secret(env: dict[str, str], github: StandIn, tmp: Path) -> None:
    secret = tmp / "webhook-secret"
    secret.write_text(github.world.webhook_secret)
    secret.chmod(0o644)
    del env["CALLSHEET_WEBHOOK_SECRET"]
    env["CALLSHEET_WEBHOOK_SECRET_FILE"] = str(secret)


def _unreachable(env: dict[str, str], _github: StandIn, _tmp: Path) -> None:
    env["CALLSHEET_GITHUB_API_URL"] = "http://127.0.0.1:1"


def _wrong_id(env: dict[str, str], _github: StandIn, _tmp: Path) -> None:
    env["CALLSHEET_APP_ID"] = "12"


def _no_checks(_env: dict[str, str], github: StandIn, _tmp: Path) -> None:
    github.world.permissions["checks"] = "read"


def _wrong_hook(_env: dict[str, str], github: StandIn, _tmp: Path) -> None:
    github.world.registration.hook["url"] = "https://callsheet.example.com/hooks"


def _other_hook(env: dict[str, str], github: StandIn, _tmp: Path) -> None:
    github.world.registration.hook["url"] = "https://old.example.com/webhooks"
    env["CALLSHEET_PUBLIC_URL"] = "https://callsheet.example.com"


def _form_hook(_env: dict[str, str], github: StandIn, _tmp: Path) -> None:
    github.world.registration.hook |= {"url": "https://callsheet.example.com/webhooks", "content_type": "form"}


def _no_redis(env: dict[str, str], _github: StandIn, _tmp: Path) -> None:
    env["REDIS_URL"] = "redis://127.0.0.1:1/0"


def _full_disk(env: dict[str, str], _github: StandIn, _tmp: Path) -> None:
    env["CALLSHEET_DISK_FREE_MIB"] = "999999999"


def _no_cache_directory(env: dict[str, str], _github: StandIn, tmp: Path) -> None:
    (tmp / "file").write_text("")
    env["CALLSHEET_CACHE_DIR"] = str(tmp / "file")


def _no_git(env: dict[str, str], _github: StandIn, _tmp: Path) -> None:
    env["WITHOUT_GIT"] = "1"


@pytest.mark.parametrize(
    ("change", "what", "todo"),
    [
        (_without_key, "credentials", "CALLSHEET_PRIVATE_KEY is not set"),
        (_readable_secret, "everybody can read", "chmod 600"),
        (_unreachable, "could not be reached", "CALLSHEET_CA_BUNDLE"),
        (_wrong_id, "GitHub does not accept the key", "must belong together"),
        (_no_checks, "lacks the permission checks: write", "let an organisation owner accept it"),
        (_wrong_hook, "sent to https://callsheet.example.com/hooks", "at /webhooks only"),
        (_other_hook, "sent to https://old.example.com/webhooks", "CALLSHEET_PUBLIC_URL says"),
        (_form_hook, "sent as form", "application/json"),
        (_no_redis, "Redis: it does not answer", "check REDIS_URL"),
        (_full_disk, "MiB free", "make room"),
        (_no_cache_directory, "nothing can be written", "CALLSHEET_CACHE_DIR"),
        (_no_git, "git: it can't be run", "install git"),
    ],
)
async def test_what_is_wrong_is_not_found(
    env: dict[str, str],
    github: StandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Change,
    what: str,
    todo: str,
) -> None:
    change(env, github, tmp_path)
    if env.pop("WITHOUT_GIT", ""):
        monkeypatch.setenv("PATH", str(tmp_path))
    found = [(text, help_) for text, help_ in (await wrong(env)).items() if what in text or what in help_]
    assert found, await wrong(env)
    assert any(todo in help_ for _, help_ in found), found


async def test_a_clock_that_is_wrong_is_not_noticed(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.doctor.now", lambda: time.time() + 300)
    assert any(
        text.startswith(tuple(f"clock: {each} s ahead" for each in range(297, 302))) for text in await wrong(env)
    )


async def test_failed_deliveries_are_not_explained(env: dict[str, str], github: StandIn) -> None:
    github.world.registration.hook["url"] = "https://callsheet.example.com/webhooks"
    shop = github.repository("acme/shop", {"a.py": "x = 1\n"})
    pull = shop.open_pull("Change", {"a.py": "x = 2\n"})
    github.deliver(pull.opened(), to="http://127.0.0.1:1/webhooks", seconds=1)
    found = await wrong(env)
    assert any("could not connect" in todo for todo in found.values()), found


async def test_a_secret_is_printed(env: dict[str, str], github: StandIn) -> None:
    env["CALLSHEET_APP_ID"] = "12"
    text: Any = "\n".join(finding.lines() for finding in await examined(env))
    assert github.world.webhook_secret not in text
    assert "PRIVATE KEY-----" not in text


def test_a_network_file_system_is_taken_for_a_local_one(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda1 / ext4 rw 0 0\nserver:/export /var/cache nfs4 rw 0 0\ntmpfs /var/cachet tmpfs rw 0 0\n"
    )
    assert file_system(Path("/var/cache/callsheet"), mounts) == "nfs4"
    assert file_system(Path("/var/cachet/x"), mounts) == "tmpfs"
    assert file_system(Path("/home"), mounts) == "ext4"
    assert file_system(Path("/home"), tmp_path / "none") is None
