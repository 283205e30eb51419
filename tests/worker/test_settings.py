"""Settings: what an operator gets wrong, and what must never be seen."""

from __future__ import annotations

import base64
import pickle
from pathlib import Path

import pytest

from worker.settings import VARIABLES, Secret, Settings, SettingsError, derived_api_url

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"


def test_nothing_set_gives_the_documented_defaults(tmp_path: Path) -> None:
    settings = Settings.from_environment({"HOME": str(tmp_path)})
    assert settings.redis_url is None
    assert settings.github_api_url == "https://api.github.com"
    assert settings.cache_dir == tmp_path / ".cache" / "callsheet"
    assert settings.analysis_seconds == 60
    assert settings.max_body_bytes == 26 * 1024 * 1024


def test_every_variable_is_documented_and_every_documented_one_is_read() -> None:
    read: set[str] = set()

    class Spy(dict[str, str]):
        def get(self, key: str, default: str = "") -> str:  # type: ignore[override]
            read.add(key)
            return default

    Settings.from_environment(Spy())
    documented = set(VARIABLES) | {f"{name}_FILE" for name in VARIABLES}
    assert read - documented == {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}
    assert set(VARIABLES) <= read


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CALLSHEET_APP_ID", "my-app"),
        ("CALLSHEET_APP_ID", "0"),
        ("CALLSHEET_PORT", "70000"),
        ("CALLSHEET_MAX_JOBS", "٣"),
        ("CALLSHEET_ANALYSIS_SECONDS", "1_0"),
        ("CALLSHEET_GITHUB_URL", "github.example.com"),
        ("CALLSHEET_GITHUB_URL", "http://github.example.com"),
        ("CALLSHEET_GITHUB_API_URL", "https://user:hunter2@github.example.com/api/v3"),
        ("CALLSHEET_GITHUB_URL", "https://github.example.com:99999999"),
        ("CALLSHEET_CA_BUNDLE", "/no/such/file.pem"),
        ("CALLSHEET_PRIVATE_KEY", "not a key"),
        ("CALLSHEET_PRIVATE_KEY_FILE", "/no/such/key.pem"),
        ("CALLSHEET_LOG_LEVEL", "loud"),
        ("REDIS_URL", "http://localhost:6379"),
    ],
)
def test_a_wrong_value_is_refused_by_name_and_without_showing_secrets(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment({variable: value})
    assert variable in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_secret_given_twice_is_refused() -> None:
    with pytest.raises(SettingsError, match="CALLSHEET_WEBHOOK_SECRET_FILE"):
        Settings.from_environment({"CALLSHEET_WEBHOOK_SECRET": "a", "CALLSHEET_WEBHOOK_SECRET_FILE": "/x"})


def test_secrets_come_from_files_without_their_last_line_end(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush\n")
    (tmp_path / "key.pem").write_text(PEM + "\n")
    settings = Settings.from_environment(
        {
            "CALLSHEET_WEBHOOK_SECRET_FILE": str(tmp_path / "secret"),
            "CALLSHEET_WEBHOOK_SECRET_PREVIOUS": "older",
            "CALLSHEET_PRIVATE_KEY_FILE": str(tmp_path / "key.pem"),
            "CALLSHEET_APP_ID": " 77\n",
        }
    )
    assert [secret.reveal() for secret in settings.require_webhook_secrets()] == ["hush", "older"]
    app_id, key = settings.require_app()
    assert app_id == 77
    assert key.reveal() == PEM + "\n"


@pytest.mark.parametrize("form", [PEM.replace("\n", "\\n"), base64.b64encode(PEM.encode()).decode()])
def test_a_key_squeezed_into_one_line_is_understood(form: str) -> None:
    key = Settings.from_environment({"CALLSHEET_PRIVATE_KEY": form}).private_key
    assert key is not None
    assert key.reveal() == PEM + "\n"


def test_settings_never_show_a_secret() -> None:
    settings = Settings.from_environment(
        {
            "CALLSHEET_WEBHOOK_SECRET": "hush",
            "REDIS_URL": "redis://:topsecret@host:6379/0",
            "CALLSHEET_PRIVATE_KEY": PEM,
        }
    )
    shown = f"{settings} {settings!r} {settings.redis_url} {settings.redis_url!s:>40}"
    for secret in ("hush", "topsecret", "MIIabc"):
        assert secret not in shown
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hush"))


@pytest.mark.parametrize(
    ("web", "api"),
    [
        ("https://github.com", "https://api.github.com"),
        ("https://octo.ghe.com", "https://api.octo.ghe.com"),
        ("https://git.example.com", "https://git.example.com/api/v3"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000/api/v3"),
    ],
)
def test_the_api_address_is_derived_from_the_web_address(web: str, api: str) -> None:
    assert derived_api_url(web) == api
    assert Settings.from_environment({"CALLSHEET_GITHUB_URL": web + "/"}).github_api_url == api


def test_what_a_process_needs_is_named_when_it_is_missing() -> None:
    settings = Settings.from_environment({})
    for require, variable in (
        (settings.require_app, "CALLSHEET_APP_ID"),
        (settings.require_webhook_secrets, "CALLSHEET_WEBHOOK_SECRET"),
        (settings.require_redis, "REDIS_URL"),
    ):
        with pytest.raises(SettingsError, match=variable):
            require()
