"""What must never be read in a log."""

from __future__ import annotations

import json
import logging

import pytest
import structlog

from worker.logs import basic_credential, redact, set_up_logging
from worker.settings import Secret

LONG = "ghs_12345_eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJleHAiOjE3MDAwMDAwMDB9.Sig-na_ture" + "x" * 400


@pytest.mark.parametrize(
    "text",
    [
        f"fatal: could not read from https://x-access-token:{LONG}@github.com/a/b.git",
        f"Authorization: Basic {basic_credential(LONG)}",
        f"authorization=token {LONG}",
        f"the token {LONG} leaked",
        f"http.extraheader=AUTHORIZATION: basic {basic_credential(LONG)}",
        f"'{LONG}'",
        "redis://:hunter2hunter2@host:6379/0",
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nhunter2 cut off",
        "Bearer eyJhbGciOi.hunter2hunter2.hunter2",
        "github_pat_11ABCDEFG_hunter2hunter2",
    ],
)
def test_credentials_are_taken_out_whatever_they_look_like(text: str) -> None:
    clean = redact(text)
    for secret in (LONG, "Sig-na_ture", basic_credential(LONG), "hunter2"):
        assert secret not in clean


def test_a_known_secret_of_any_shape_is_taken_out() -> None:
    assert "plain words" not in redact("it is plain words here", [Secret("plain words")])
    assert basic_credential("plain words") not in redact(basic_credential("plain words"), [Secret("plain words")])


@pytest.mark.parametrize(
    "text", ["Callers from main at abc1234", "src/api.py:12 basic usage", "the base is token based"]
)
def test_ordinary_words_stay(text: str) -> None:
    assert redact(text) == text


def test_log_lines_are_json_and_redacted_wherever_they_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        set_up_logging("info", "json")
        structlog.get_logger("worker").info("fetched", token="ghs_secretsecret", url=f"https://a:{LONG}@h/x", n=3)
        logging.getLogger("arq.worker").warning("job %s failed", {"authorization": LONG, "nested": [LONG]})
        try:
            raise RuntimeError(f"with {LONG}")
        except RuntimeError:
            structlog.get_logger("worker").exception("crashed")
        logging.getLogger("httpx").info("HTTP Request: GET https://x")
    finally:
        root.handlers[:], root.level = handlers, level
        structlog.reset_defaults()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"].split(" ")[0] for line in lines] == ["fetched", "job", "crashed"]
    assert lines[0]["n"] == 3
    assert lines[0]["token"] == "[redacted]"
    assert "RuntimeError" in lines[2]["exception"]
    assert "Sig-na_ture" not in json.dumps(lines)
    assert "secretsecret" not in json.dumps(lines)
