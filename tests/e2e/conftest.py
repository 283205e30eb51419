"""An installation as in production: receiver, worker, Redis and git over HTTP, with a stand-in for GitHub."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
import redis

from app.demo.installation import LocalInstallation
from app.demo.story import open_sample_pull
from app.standin import CheckRun, Delivery, Event, Pull, StandIn
from tests import openapi
from worker.jobs import wish_key


class Story:
    """One installation, in the words of what people do with it."""

    def __init__(self, here: LocalInstallation) -> None:
        self.here = here
        self._redis = redis.Redis(unix_socket_path=here.redis.url.removeprefix("unix://"))

    @property
    def github(self) -> StandIn:
        """The stand-in."""
        return self.here.github

    def tell(self, event: Event) -> Delivery:
        """Deliver a webhook that the receiver has to take."""
        delivery = self.github.deliver(event)
        assert delivery.status == 202, delivery.answer
        assert delivery.seconds < 5
        return delivery

    def finished(self, pull: Pull, *, head: str | None = None, seconds: float = 60) -> CheckRun:
        """Wait until the pull request has exactly one check run at its head (or `head`), and that is complete."""
        runs = self.here.wait_for(
            lambda: [run for run in pull.check_runs(head) if run.status == "completed"],
            f"{pull.repository.full_name}#{pull.number} has a finished check run",
            seconds,
        )
        assert len(pull.check_runs(head)) == 1
        return runs[0]

    def settle(self, pull: Pull, seconds: float = 60) -> None:
        """Wait until everything that was asked for the pull request has been answered."""
        self.here.wait_for(lambda: self._is_settled(pull), "all that was asked is answered", seconds)

    def _is_settled(self, pull: Pull) -> bool:
        key = wish_key(pull.repository.id, pull.number)
        asked, answered = self._redis.hmget(key, ["generation", "briefed"])  # type: ignore[misc]
        # Errands that are due may ask for briefings; those for later are the clock's.
        errands = self._redis.zcount("callsheet:errands", "-inf", time.time() * 1000)
        busy = (
            errands
            or self._redis.zcard("callsheet:queue")
            or self._redis.exists(f"callsheet:turn:{pull.repository.id}:{pull.number}")
        )
        return asked is not None and asked == answered and not busy

    def close(self) -> None:
        """Close what it holds."""
        self._redis.close()


@pytest.fixture
def installation() -> Iterator[LocalInstallation]:
    """Stand-in and Redis."""
    with checked_installation() as here:
        yield here


@contextmanager
def checked_installation(settings: Mapping[str, str] | None = None) -> Iterator[LocalInstallation]:
    """An installation; at its end, everything that was said to GitHub is held against GitHub's own description."""
    with LocalInstallation.start(settings) as here:
        yield here
        here.stop_processes()
        secrets = [*here.github.world.tokens, here.github.world.webhook_secret]
        assert [secret for secret in secrets if secret in here.logs()] == []
        found = [text for exchange in here.github.world.exchanges for text in openapi.problems(exchange)]
        assert found == []


@pytest.fixture
def story(installation: LocalInstallation) -> Iterator[Story]:
    """The installation with one receiver and one worker."""
    installation.start_receiver()
    installation.start_worker()
    made = Story(installation)
    yield made
    made.close()


@pytest.fixture
def pull(story: Story) -> Pull:
    """The demo's pull request, open and not yet told."""
    return open_sample_pull(story.github)
