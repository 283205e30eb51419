"""OpenTelemetry spans of briefings and errands, for who has a collector; else nothing, and nothing is imported.

OpenTelemetry's own variables say where spans go (OTEL_EXPORTER_OTLP_ENDPOINT and the rest). A span has a kind of
work and ids; of an error it has the kind and not the words, which may be of a pull request's making.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from worker.settings import SettingsError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

_tracer: Tracer | None = None


def set_up_tracing(env: Mapping[str, str]) -> Callable[[], None]:
    """Send spans from now on, when an endpoint is set; returns what sends the last ones and ends it.

    Raises SettingsError when OpenTelemetry isn't installed.
    """
    global _tracer
    endpoint = next((name for name in _ENDPOINTS if env.get(name, "").strip()), None)
    if endpoint is None:
        return lambda: None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError(
            f"{endpoint} is set, and OpenTelemetry is not installed: install the extra, callsheet[otel], build the "
            "image with --build-arg LOCK=otel, or unset it."
        ) from None
    named = {} if env.get("OTEL_SERVICE_NAME") else {"service.name": "callsheet-worker"}
    resource = Resource.create({**named, "service.version": importlib.metadata.version("callsheet")})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = provider.get_tracer("callsheet")

    def end() -> None:
        global _tracer
        _tracer = None
        provider.shutdown()

    return end


@contextlib.contextmanager
def span(name: str, **attributes: str | int) -> Iterator[None]:
    """A span around the block, inside the one that is open in this task; nothing where tracing isn't set up."""
    if _tracer is None:
        yield
        return
    from opentelemetry.trace import StatusCode

    about = {f"callsheet.{key}": value for key, value in attributes.items()}
    with _tracer.start_as_current_span(
        name, attributes=about, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield
        except BaseException as error:
            opened.set_status(StatusCode.ERROR, type(error).__name__)
            raise
