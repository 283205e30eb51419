"""A whole service in one process: the real receiver and workers, a real Redis, the stand-in for GitHub over HTTP.

Only the analysis is replaced: what a briefing says is not what these stories are about.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import msgspec
from arq.connections import ArqRedis

from app.receiver import make_receiver
from app.standin import CheckRun, Event, Pull, Repository, StandIn
from tests import openapi
from worker.analysis import AnalysisRequest, Answer, Failure
from worker.errands import ERRAND_QUEUE, Errand, ask_errand
from worker.github import AppClient
from worker.job import Tools
from worker.jobs import QUEUE_NAME, redis_pool
from worker.main import build_errand_worker, build_worker
from worker.records import Record, read_record
from worker.settings import Secret, Settings

FILES = {"shop/prices.py": "def price():\n    return 1\n", "shop/orders.py": "from shop.prices import price\nprice()\n"}


class Analyst:
    """In place of the child process: it says that `price` was changed, and that shop/orders.py calls it."""

    def __init__(self) -> None:
        self.requests: list[AnalysisRequest] = []
        self.summary = "the summary"
        self.staleness: str | None = None
        self.meanwhile: Callable[[], Any] | None = None

    async def __call__(self, request: AnalysisRequest, *, fds: tuple[int, ...]) -> Answer | Failure:
        self.requests.append(request)
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            outcome = meanwhile()
            if asyncio.iscoroutine(outcome):
                await outcome
        return Answer(
            title=f"briefing {len(self.requests)}",
            summary=self.summary,
            text="the text",
            annotations=[],
            conclusion="neutral",
            head_sha=request.head,
            base_sha=request.base_sha,
            merge_base=request.merge_base,
            graph_from="merge" if request.merge else "head",
            incomplete=None,
            names=("price",),
            paths=("shop/orders.py", "shop/prices.py"),
            staleness=self.staleness,
        )


class Service:
    """The service, in the words of what happens at GitHub and what is found there afterwards."""

    def __init__(self, github: StandIn, settings: Settings, redis: ArqRedis, receiver: httpx.AsyncClient) -> None:
        self.github, self.settings, self.redis, self.receiver = github, settings, redis, receiver
        self.analyst = Analyst()
        self.tools = Tools(settings=settings, app=AppClient(settings), analyse=self.analyst)

    def change(self, **settings: Any) -> None:
        """Change settings of the workers that start from now on."""
        self.settings = msgspec.structs.replace(self.settings, **settings)
        self.tools = Tools(settings=self.settings, app=self.tools.app, analyse=self.analyst)

    def shop(self, name: str = "acme/shop") -> Repository:
        return self.github.repository(name, FILES)

    def pull(self, shop: Repository, number: int = 1, **more: Any) -> Pull:
        """A pull request whose test merge is there at the first question."""
        files = more.pop("files", {"shop/prices.py": f"def price(currency):\n    return {number}\n"})
        pull = shop.open_pull(f"Change {number}", files, branch=f"topic-{number}", **more)
        pull.reads_until_merged = 0
        return pull

    async def tell(self, event: Event, guid: str | None = None) -> Any:
        """Deliver a webhook to the receiver, which has to take it; its answer."""
        body = json.dumps(event.payload).encode()
        key = self.github.world.webhook_secret.encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event.name,
            "X-GitHub-Delivery": guid or str(uuid.uuid4()),
            "X-Hub-Signature-256": "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest(),
        }
        answer = await self.receiver.post("/webhooks", content=body, headers=headers)
        assert answer.status_code == 202, answer.text
        return answer.json()

    async def ask(self, errand: Errand) -> None:
        """Ask for an errand."""
        await ask_errand(self.redis, errand)

    async def work(self, seconds: float = 30.0) -> None:
        """Run workers until everything that is due is done. What is deferred stays."""
        workers = (
            build_worker(self.settings, await redis_pool(self.settings), self.tools),
            build_errand_worker(await redis_pool(self.settings), self.tools),
        )
        for worker in workers:
            worker.poll_delay_s = 0.02
        running = [asyncio.create_task(worker.async_run()) for worker in workers]
        try:
            async with asyncio.timeout(seconds):
                quiet = 0
                while quiet < 3:
                    await asyncio.sleep(0.03)
                    due = 0
                    for queue in (QUEUE_NAME, ERRAND_QUEUE):
                        due += await self.redis.zcount(queue, "-inf", time.time() * 1000 + 400)
                    quiet = 0 if due or any(worker.tasks for worker in workers) else quiet + 1
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            for worker in workers:
                await worker.close()

    async def deferred(self) -> int:
        """How many jobs and errands wait for their time."""
        return int(await self.redis.zcard(QUEUE_NAME)) + int(await self.redis.zcard(ERRAND_QUEUE))

    async def an_hour_passes(self) -> None:
        """The budgets of the hour are over, and what waits is due."""
        self.tools.app.rates.clear()
        for pattern in ("callsheet:budget-*", "callsheet:rate:*", "callsheet:pause:*"):
            async for key in self.redis.scan_iter(match=pattern):
                await self.redis.delete(key)
        for queue in (QUEUE_NAME, ERRAND_QUEUE):
            for member in await self.redis.zrange(queue, 0, -1):
                await self.redis.zadd(queue, {member: 1.0})

    async def briefed(self, pull: Pull) -> CheckRun:
        """Tell that the pull request was opened, let the workers work, and give its one check run."""
        await self.tell(pull.opened())
        await self.work()
        return self.only_run(pull)

    def only_run(self, pull: Pull, head: str | None = None) -> CheckRun:
        """The one check run on the pull request's head."""
        runs = pull.check_runs(head)
        assert len(runs) == 1, runs
        return runs[0]

    async def record(self, pull: Pull) -> Record | None:
        """What Redis remembers of the pull request's briefing."""
        return await read_record(self.redis, self.settings.github_host, pull.repository.id, pull.number)

    def requests(self, method: str, part: str) -> list[str]:
        """The paths of the requests GitHub had that hold `part`."""
        return [each.path for each in self.github.world.exchanges if each.method == method and part in each.path]

    def check_contract(self) -> None:
        """Everything that was said must be as GitHub describes it."""
        found = [text for exchange in self.github.world.exchanges for text in openapi.problems(exchange)]
        assert not found, "\n".join(found)


@contextlib.asynccontextmanager
async def running_service(settings: Settings, redis: ArqRedis) -> AsyncIterator[Service]:
    """A service of its own, with nothing in it."""
    with StandIn.start() as github:
        settings = msgspec.structs.replace(
            settings,
            github_url=github.url,
            github_api_url=github.api_url,
            app_id=github.world.app_id,
            private_key=Secret(github.world.private_key_pem),
            webhook_secret=Secret(github.world.webhook_secret),
            stale_delay_seconds=0.0,
        )
        app = make_receiver(settings)
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://receiver") as client,
        ):
            service = Service(github, settings, redis, client)
            yield service
            service.check_contract()
