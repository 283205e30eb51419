"""`callsheet doctor`: looks at everything an installation needs, and says what to do about what is wrong.

Each check is a function of the settings that yields findings; none changes anything. The exit code is 0 when nothing is
wrong (warnings don't count), else 1.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

import httpx
import msgspec
from redis.exceptions import RedisError

from app.cli import DONE, FAILED, UsageError
from app.credentials import too_open
from worker.settings import MIB, Settings, SettingsError, secret_files

OLDEST_GIT: Final = (2, 32)
MOST_SKEW: Final = 30.0
"""Seconds that this machine's clock may differ from GitHub's. (A minute too early, and GitHub refuses our key.)"""
_CODES: Final[dict[int, str]] = {
    0: "GitHub could not connect: check DNS, firewall, TLS and proxy in front of the receiver",
    401: "the secrets differ: give the receiver the webhook secret of the App's settings page",
    404: "the webhook's address is not the receiver's: it must end in /webhooks",
    413: "a proxy in front of the receiver allows smaller bodies than GitHub sends (25 MB)",
    502: "a proxy runs, and the receiver behind it doesn't",
    503: "Redis was away, or the receiver was overloaded",
    504: "the receiver did not answer within ten seconds",
}
_NETWORK_FILE_SYSTEMS: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.glusterfs", "fuse.sshfs"})

Grade = Literal["ok", "warn", "wrong"]


class Finding(msgspec.Struct, frozen=True):
    """What a check saw, and what to do about it (for `ok`, nothing)."""

    grade: Grade
    what: str
    todo: str = ""

    def lines(self) -> str:
        """For the terminal."""
        return f"{self.grade:5} {self.what}" + (f"\n      -> {self.todo}" if self.todo else "")


class _Hook(msgspec.Struct):
    url: str = ""
    content_type: str = "form"
    insecure_ssl: str | float = "0"


class _Delivery(msgspec.Struct):
    guid: str
    status_code: int = 0
    event: str = ""


Check = Callable[[Settings, Mapping[str, str]], AsyncIterator[Finding]]


def doctor(env: Mapping[str, str] = os.environ) -> int:
    """`callsheet doctor`. Raises UsageError when the settings themselves are wrong."""
    try:
        settings = Settings.from_environment(env)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    return asyncio.run(_run(settings, env))


async def _run(settings: Settings, env: Mapping[str, str]) -> int:
    wrong = warned = 0
    async for finding in findings(settings, env):
        print(finding.lines(), flush=True)
        wrong += finding.grade == "wrong"
        warned += finding.grade == "warn"
    print(f"\n{wrong} wrong, {warned} to look at" if wrong or warned else "\nAll is well.")
    return FAILED if wrong else DONE


async def findings(settings: Settings, env: Mapping[str, str]) -> AsyncIterator[Finding]:
    """All checks, in the order in which one rests on the other."""
    checks: tuple[Check, ...] = (_credentials, _network, _app, _redis, _git, _disk)
    for check in checks:
        async for finding in check(settings, env):
            yield finding


async def _credentials(settings: Settings, env: Mapping[str, str]) -> AsyncIterator[Finding]:
    for demand in (settings.require_app, settings.require_webhook_secrets):
        try:
            demand()
        except SettingsError as error:
            yield Finding("wrong", "credentials", f"{error} `callsheet setup` registers an App and stores them.")
            return
    yield Finding("ok", f"credentials: App {settings.app_id}, key and webhook secret are there")
    for path in secret_files(env):
        if too_open(path):
            yield Finding("wrong", f"everybody can read {path}", f"chmod 600 {path}")


def now() -> float:
    """This machine's clock, seconds since the epoch."""
    return time.time()


async def _network(settings: Settings, _env: Mapping[str, str]) -> AsyncIterator[Finding]:
    verify: Any = str(settings.ca_bundle) if settings.ca_bundle is not None else True
    try:
        async with httpx.AsyncClient(timeout=15, verify=verify) as client:
            began = now()
            # Asking without a key is enough to be answered, and to be told the time.
            answer = await client.get(f"{settings.github_api_url}/app", headers={"User-Agent": "callsheet"})
            ended = now()
    except httpx.HTTPError as error:
        yield Finding(
            "wrong",
            f"network: {settings.github_api_url} could not be reached ({type(error).__name__})",
            "check CALLSHEET_GITHUB_URL, DNS, the firewall, HTTPS_PROXY and, for a CA of your own, CALLSHEET_CA_BUNDLE",
        )
        return
    yield Finding("ok", f"network: {settings.github_api_url} answers in {(ended - began) * 1000:.0f} ms")
    try:
        skew = (began + ended) / 2 - parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except (ValueError, TypeError):
        return
    if abs(skew) > MOST_SKEW:
        way = "ahead of" if skew > 0 else "behind"
        yield Finding("wrong", f"clock: {abs(skew):.0f} s {way} GitHub's", "let chrony or systemd-timesyncd set it")
    else:
        yield Finding("ok", "clock: within a few seconds of GitHub's")


async def _app(settings: Settings, _env: Mapping[str, str]) -> AsyncIterator[Finding]:
    # Imported here: githubkit is slow to import, and the checks before this one should answer at once.
    from worker.answers import GitHubError, Gone, Refused
    from worker.github import AppClient

    try:
        app = AppClient(settings)
        lacking = await app.check()
    except SettingsError:
        return  # said already
    except (Refused, Gone) as error:  # 404: there is no App of that id
        todo = "CALLSHEET_APP_ID and CALLSHEET_PRIVATE_KEY must belong together, and the clock must be right"
        yield Finding("wrong", f"App: GitHub does not accept the key ({error})", todo)
        return
    except GitHubError as error:
        yield Finding("wrong", f"App: {error}", "try again; https://www.githubstatus.com says how GitHub is")
        return
    yield Finding("ok", "App: GitHub accepts its key")
    for lack in lacking:
        grade: Grade = "wrong" if "permission" in lack or "pull_request:" in lack else "warn"
        yield Finding(
            grade, lack, "change it on the App's page, and let an organisation owner accept it (docs/install.md)"
        )
    if not lacking:
        yield Finding("ok", "App: it has the permissions and events that are needed")
    try:
        hook = msgspec.json.decode((await app.reply("GET", "app/hook/config")).body, type=_Hook)
        installations = msgspec.json.decode((await app.reply("GET", "app/installations?per_page=100")).body)
        deliveries = msgspec.json.decode(
            (await app.reply("GET", "app/hook/deliveries?per_page=50")).body, type=list[_Delivery]
        )
    except (GitHubError, msgspec.MsgspecError) as error:
        yield Finding("warn", f"App: its webhook could not be looked at ({error})", "look at the App's page on GitHub")
        return
    for finding in (*_of_hook(settings, hook), _of_installations(installations), _of_deliveries(deliveries)):
        yield finding


def _of_hook(settings: Settings, hook: _Hook) -> list[Finding]:
    found = []
    expected = f"{settings.public_url}/webhooks" if settings.public_url else None
    if not hook.url:
        found.append(Finding("wrong", "webhook: the App has none", "set its address on the App's page: .../webhooks"))
    elif not urlsplit(hook.url).path.endswith("/webhooks"):
        found.append(Finding("wrong", f"webhook: sent to {hook.url}", "the receiver takes them at /webhooks only"))
    elif expected is not None and hook.url != expected:
        found.append(Finding("wrong", f"webhook: sent to {hook.url}", f"CALLSHEET_PUBLIC_URL says {expected}"))
    else:
        found.append(Finding("ok", f"webhook: sent to {hook.url}"))
    if hook.content_type != "json":
        todo = "both work; application/json on the App's page is smaller"
        found.append(Finding("warn", f"webhook: sent as {hook.content_type}", todo))
    if str(hook.insecure_ssl) not in ("0", "0.0"):
        found.append(
            Finding("warn", "webhook: GitHub does not verify TLS", "enable SSL verification on the App's page")
        )
    return found


def _of_installations(found: Any) -> Finding:
    if not found:
        return Finding("warn", "App: installed nowhere", "press Install App on the App's page")
    suspended = sum(1 for each in found if isinstance(each, dict) and each.get("suspended_at"))
    more = f", {suspended} of them suspended" if suspended else ""
    return Finding("ok", f"App: {len(found)}{'+' if len(found) == 100 else ''} installations{more}")


def _of_deliveries(deliveries: list[_Delivery]) -> Finding:
    newest: dict[str, _Delivery] = {}
    for delivery in deliveries:  # newest first
        newest.setdefault(delivery.guid, delivery)
    failed = [each for each in newest.values() if not 200 <= each.status_code < 300]
    if not failed:
        return Finding("ok", f"webhook: the last {len(newest)} deliveries arrived")
    code = max({each.status_code for each in failed}, key=[each.status_code for each in failed].count)
    todo = _CODES.get(code, "the App's Advanced page shows what was answered")
    grade: Grade = "wrong" if failed[0] is next(iter(newest.values())) else "warn"
    return Finding(grade, f"webhook: {len(failed)} of the last {len(newest)} deliveries failed, most with {code}", todo)


async def _redis(settings: Settings, _env: Mapping[str, str]) -> AsyncIterator[Finding]:
    from worker.jobs import live_workers, queue_age, redis_pool

    if settings.redis_url is None:
        todo = "`callsheet serve` starts one whose queue does not survive a restart; REDIS_URL names a lasting one"
        yield Finding("warn", "Redis: none is set", todo)
        return
    try:
        redis = await redis_pool(settings, timeout_seconds=5.0)
        try:
            async with asyncio.timeout(10):
                information = cast(dict[str, Any], await redis.info())
                workers, age = await live_workers(redis), await queue_age(redis)
        finally:
            await redis.aclose()
    except (RedisError, OSError, TimeoutError, SettingsError) as error:
        todo = "check REDIS_URL, its password, and that the server runs and can be reached from here"
        yield Finding("wrong", f"Redis: it does not answer ({type(error).__name__})", todo)
        return
    yield Finding("ok", f"Redis {information.get('redis_version', '')}: it answers; {workers} workers live")
    if information.get("maxmemory_policy", "noeviction") != "noeviction":
        yield Finding(
            "wrong",
            f"Redis: it may throw jobs away (maxmemory-policy {information['maxmemory_policy']})",
            "set maxmemory-policy noeviction",
        )
    if not information.get("aof_enabled") and settings.redis_url is not None:
        todo = "set appendonly yes; without it a restart of Redis leaves lost jobs to the next reconciliation"
        yield Finding("warn", "Redis: what it holds does not survive its restart", todo)
    if age > settings.ready_queue_seconds:
        yield Finding("wrong", f"queue: the oldest job is {age:.0f} s old", "run more workers (docs/capacity.md)")


async def _git(_settings: Settings, _env: Mapping[str, str]) -> AsyncIterator[Finding]:
    try:
        said = (
            await asyncio.to_thread(
                subprocess.run, ["git", "--version"], capture_output=True, text=True, timeout=20, check=True
            )
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        yield Finding("wrong", "git: it can't be run", "install git 2.32 or newer")
        return
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST_GIT:
        yield Finding("wrong", f"git: {said} is too old", "install git 2.32 or newer")
    else:
        yield Finding("ok", said)


async def _disk(settings: Settings, _env: Mapping[str, str]) -> AsyncIterator[Finding]:
    cache = settings.cache_dir
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=cache):
            pass
    except OSError as error:
        yield Finding("wrong", f"disk: nothing can be written in {cache} ({error.strerror})", "set CALLSHEET_CACHE_DIR")
        return
    kind = file_system(cache.resolve(), Path("/proc/mounts"))
    if kind in _NETWORK_FILE_SYSTEMS:
        yield Finding("wrong", f"disk: {cache} is on {kind}", "locks need a local disk: set CALLSHEET_CACHE_DIR")
    usage = shutil.disk_usage(cache)
    free, wanted = usage.free // MIB, settings.disk_budget_mib + settings.disk_free_mib
    if free < settings.disk_free_mib:
        yield Finding("wrong", f"disk: {free} MiB free in {cache}", "make room, or lower CALLSHEET_DISK_FREE_MIB")
    elif usage.total // MIB < wanted:
        todo = "lower CALLSHEET_DISK_BUDGET_MIB: clones go only when the budget or the free space is used up"
        yield Finding("warn", f"disk: {usage.total // MIB} MiB, and the budget with the free space is {wanted}", todo)
    else:
        yield Finding("ok", f"disk: {free} MiB free in {cache}")


def file_system(path: Path, mounts: Path) -> str | None:
    """The kind of file system a path is on; None where that can't be told."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    best: tuple[int, str | None] = (-1, None)
    for line in lines:
        fields = line.split(" ")
        if len(fields) > 2:
            point = fields[1].replace("\\040", " ")
            if str(path) == point or str(path).startswith(point.rstrip("/") + "/"):
                best = max(best, (len(point), fields[2]), key=lambda each: each[0])
    return best[1]
