"""Spans: sent when a collector is named, and with no more in them than ids."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.worker.service import Service
from worker.settings import SettingsError
from worker.tracing import set_up_tracing, span


class Collector:
    """Takes spans as a collector does."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server.server_port}"}

    def spans(self) -> list[Span]:
        return [
            each
            for body in self.bodies
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for each in scope.spans
        ]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    running = Collector()
    thread = threading.Thread(target=running.server.serve_forever)
    thread.start()
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    yield running
    running.server.shutdown()
    thread.join()
    running.server.server_close()


async def test_a_briefing_leaves_no_trace_at_the_collector(service: Service, collector: Collector) -> None:
    end = set_up_tracing(collector.environment)
    pull = service.pull(service.shop())
    await service.briefed(pull)
    end()
    spans = collector.spans()
    (briefing,) = [each for each in spans if each.name == "briefing"]
    phases = {each.name for each in spans if each.trace_id == briefing.trace_id} - {"briefing"}
    assert phases == {f"briefing.{name}" for name in ("total", "merge", "fetch", "checkout", "analysis", "publish")}
    about = {each.key: each.value.int_value or each.value.string_value for each in briefing.attributes}
    assert about["callsheet.repository"] == pull.repository.id
    assert (about["callsheet.pull"], about["callsheet.reason"]) == (1, "opened")
    assert b"callsheet-worker" in b"".join(collector.bodies)
    assert not any(token.encode() in body for token in service.github.world.tokens for body in collector.bodies)


def test_a_span_repeats_what_an_error_says(collector: Collector) -> None:
    end = set_up_tracing(collector.environment)
    with pytest.raises(ValueError), span("briefing", repository=7):
        raise ValueError("words of somebody else")
    end()
    (failed,) = collector.spans()
    assert (failed.status.code, failed.status.message) == (2, "ValueError")
    assert b"words of somebody else" not in b"".join(collector.bodies)


def test_without_a_collector_opentelemetry_is_loaded() -> None:
    program = (
        "import sys, worker.main; from worker.tracing import set_up_tracing, span\n"
        "set_up_tracing({'OTEL_EXPORTER_OTLP_ENDPOINT': ' '})()\n"
        "with span('briefing', repository=1): pass\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_extra_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match=r"callsheet\[otel\]"):
        set_up_tracing({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
