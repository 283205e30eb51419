"""Fixtures of the app's tests: a stand-in for GitHub, a Redis of their own, and a receiver to talk to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from app.embedded_redis import EmbeddedRedis
from app.receiver import make_receiver
from app.standin import StandIn
from worker.settings import Secret, Settings

SECRET = "the secret of these tests"


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with EmbeddedRedis() as redis:
        yield redis.url


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    return Settings(
        app_id=77,
        webhook_secret=Secret(SECRET),
        redis_url=Secret(redis_url),
        cache_dir=tmp_path,
        max_body_bytes=200_000,
    )


@pytest_asyncio.fixture
async def receiver(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    app = make_receiver(settings)
    async with app.router.lifespan_context(app):
        await app.state.receiver.redis.flushdb()
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://receiver") as client:
            client.receiver = app.state.receiver  # type: ignore[attr-defined]
            yield client


@pytest.fixture
def github() -> Iterator[StandIn]:
    with StandIn.start() as stand_in:
        yield stand_in
