"""Rules for every test run: a test that is skipped or expected to fail is a failure, so that green means tested."""

from __future__ import annotations

import pytest

_not_run: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Begin with an empty list, also when several runs share a process."""
    _not_run.clear()


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A module that skips itself as a whole."""
    if report.skipped:
        _not_run.append(report.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test that skips itself, or is expected to fail."""
    if report.skipped or hasattr(report, "wasxfail"):
        _not_run.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the run when anything was skipped."""
    if _not_run and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run."""
    if _not_run:
        terminalreporter.section("not run, which fails the run", red=True)
        for nodeid in _not_run:
            terminalreporter.line(f"{nodeid}: repair what it needs, or remove the test")
