"""Fixtures of the worker's tests: a real redis-server, settings on a temporary directory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from arq.connections import ArqRedis
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.redis_server import running_redis
from tests.worker.git_server import GitServer, git_server
from tests.worker.service import Service, running_service
from tests.worker.upstream import Upstream
from worker.clones import Clone, clone_at
from worker.git import GitRunner
from worker.jobs import redis_pool
from worker.settings import Secret, Settings

TOKEN = "ghs_77_test.tok-en_with.parts"


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with running_redis() as url:
        yield url


@pytest.fixture(scope="session")
def private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    return Settings(
        app_id=77, redis_url=Secret(redis_url), cache_dir=tmp_path / "cache", disk_free_mib=0, git_seconds=60.0
    )


@pytest_asyncio.fixture
async def redis(settings: Settings) -> AsyncIterator[ArqRedis]:
    pool = await redis_pool(settings)
    await pool.flushdb()
    yield pool
    await pool.aclose()


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    return Upstream(tmp_path / "remote" / "acme" / "shop.git")


@pytest.fixture
def server(upstream: Upstream, tmp_path: Path) -> Iterator[GitServer]:
    with git_server(tmp_path / "remote", TOKEN) as running:
        yield running


@pytest.fixture
def clone(server: GitServer, tmp_path: Path) -> Clone:
    return clone_at(tmp_path / "cache", "127.0.0.1:80", 900, f"{server.url}/acme/shop.git")


@pytest.fixture
def runner() -> GitRunner:
    return GitRunner(seconds=60.0)


@pytest_asyncio.fixture
async def service(settings: Settings, redis: ArqRedis, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Service]:
    """The whole service in one process, with pauses that don't matter to a test left out."""
    monkeypatch.setattr("worker.github._PAUSES", (0.01, 0.01))
    monkeypatch.setattr("worker.merge.POLL_PAUSES", (0.01, 0.01))
    monkeypatch.setattr("worker.brief._PAUSES", (0.05,))
    monkeypatch.setattr("worker.brief._jitter", lambda most: 0.0)
    monkeypatch.setattr("worker.upkeep._PAUSE", 0.02)
    async with running_service(settings, redis) as running:
        yield running
