"""Secrets that are replaced while a process runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from worker.rotation import LOOK_SECONDS, RotatingSettings
from worker.settings import Settings, SettingsError, secret_files


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        self.now += LOOK_SECONDS + 0.1
        return self.now


def rotating(env: dict[str, str]) -> RotatingSettings:
    return RotatingSettings(Settings.from_environment(env), env, Clock())


def secrets(of: RotatingSettings) -> list[str]:
    return [secret.reveal() for secret in of.now().webhook_secrets]


def test_a_new_secret_counts_only_after_a_restart(tmp_path: Path) -> None:
    current, previous = tmp_path / "webhook-secret", tmp_path / "webhook-secret-previous"
    current.write_text("old")
    here = rotating({"CALLSHEET_CREDENTIALS_DIR": str(tmp_path)})
    assert secrets(here) == ["old"]
    previous.write_text("old")
    current.write_text("new\n")
    assert secrets(here) == ["new", "old"]
    previous.unlink()
    assert secrets(here) == ["new"]


def test_a_mounted_secret_that_is_swapped_is_not_noticed(tmp_path: Path) -> None:
    """Kubernetes replaces the directory a link leads to."""
    for version in ("one", "two"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "secret").write_text(version)
    (tmp_path / "data").symlink_to("one")
    here = rotating({"CALLSHEET_WEBHOOK_SECRET_FILE": str(tmp_path / "data" / "secret")})
    (tmp_path / "fresh").symlink_to("two")
    (tmp_path / "fresh").replace(tmp_path / "data")
    assert secrets(here) == ["two"]


@pytest.mark.parametrize("broken", ["", "gone", "\ud800"])
def test_a_file_in_the_middle_of_a_change_costs_the_secret(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "webhook-secret"
    file.write_text("first")
    here = rotating({"CALLSHEET_WEBHOOK_SECRET_FILE": str(file)})
    if broken == "gone":
        file.unlink()
    else:
        file.write_bytes(broken.encode("utf-8", "surrogatepass"))
    with capture_logs() as events:
        assert secrets(here) == ["first"]
    assert [event["event"] for event in events] == ["secrets_not_read"]
    file.write_text("second")
    assert secrets(here) == ["second"]


def test_a_secret_in_the_environment_is_looked_for_in_files(tmp_path: Path) -> None:
    (tmp_path / "webhook-secret").write_text("of the file")
    env = {"CALLSHEET_CREDENTIALS_DIR": str(tmp_path), "CALLSHEET_WEBHOOK_SECRET": "of the environment"}
    assert secrets(rotating(env)) == ["of the environment"]
    assert secret_files(env) == ()


def test_the_files_are_looked_at_for_every_webhook(tmp_path: Path) -> None:
    file = tmp_path / "webhook-secret"
    file.write_text("first")
    env = {"CALLSHEET_WEBHOOK_SECRET_FILE": str(file)}
    here = RotatingSettings(Settings.from_environment(env), env, lambda: 5.0)
    file.write_text("second")
    assert secrets(here) == ["first"]


def test_a_wrong_app_id_in_a_file_is_believed(tmp_path: Path) -> None:
    (tmp_path / "app-id").write_text("seven")
    with pytest.raises(SettingsError, match="CALLSHEET_APP_ID must be a whole number"):
        Settings.from_environment({"CALLSHEET_CREDENTIALS_DIR": str(tmp_path)})
