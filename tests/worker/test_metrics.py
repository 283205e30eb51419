"""Metrics: what they count, and that their labels are from short lists."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from worker import metrics
from worker.limits import Rate
from worker.settings import SettingsError


def samples() -> dict[tuple[str, tuple[str, ...]], float]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.values()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_an_event_nobody_knows_makes_a_series_of_its_own() -> None:
    assert metrics.event_label("pull_request") == "pull_request"
    assert {metrics.event_label(f"event_{number}") for number in range(1000)} == {"other"}


def test_ten_thousand_installations_make_ten_thousand_series() -> None:
    metrics.note_rates({number: Rate(number, 5000, 2_000_000_000) for number in range(10_000)})
    shown = [labels for (name, labels) in samples() if name == "callsheet_github_rate_remaining"]
    assert 0 < len(shown) <= metrics.MOST_INSTALLATIONS


def test_a_phase_that_fails_is_not_measured() -> None:
    def count() -> float:
        return samples().get(("callsheet_briefing_seconds_count", ("fetch",)), 0.0)

    before = count()
    with pytest.raises(ValueError), metrics.phase("fetch"):
        raise ValueError
    assert count() == before + 1


def test_the_disk_is_not_shown(tmp_path: Path) -> None:
    metrics.note_disk(tmp_path, {tmp_path / "1": 10, tmp_path / "2": 32})
    found = samples()
    assert found["callsheet_disk_bytes", ("clones",)] == 42
    assert found["callsheet_clones", ()] == 2
    assert found["callsheet_disk_bytes", ("free",)] > 0


def test_a_worker_serves_no_metrics() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server, thread = metrics.serve_metrics("127.0.0.1", port)
    try:
        answer = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False)
        assert "callsheet_briefings_total" in answer.text or "callsheet_briefings" in answer.text
        assert "process_resident_memory_bytes" in answer.text
        with pytest.raises(SettingsError, match="another CALLSHEET_METRICS_PORT"):
            metrics.serve_metrics("127.0.0.1", port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
