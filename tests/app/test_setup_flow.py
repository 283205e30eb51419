"""`callsheet setup`: GitHub's manifest flow, from the printed address to the stored credentials."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import pytest_asyncio

from app.cli import CommandFailed
from app.credentials import is_filled
from app.setup import Setup, made_manifest, registration_url, setup
from app.standin import StandIn
from tests import openapi
from worker.settings import Settings

ROOT = Path(__file__).parent.parent.parent
PORT = 4711


@pytest.fixture
def flow(github: StandIn, tmp_path: Path) -> Setup:
    settings = Settings(
        github_url=github.url, github_api_url=github.api_url, public_url="https://callsheet.example.com"
    )
    return Setup(settings, tmp_path / "credentials", PORT)


@pytest_asyncio.fixture
async def browser(flow: Setup) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=flow.app())
    async with httpx.AsyncClient(transport=transport, base_url=flow.here) as client:
        yield client


async def to_github(flow: Setup, browser: httpx.AsyncClient, **more: str) -> str:
    """Fill in the page, press the buttons here and at GitHub, and return where GitHub sends the browser."""
    assert (await browser.get(flow.address)).status_code == 200
    fields = {"token": flow.token, "name": "Callsheet", "url": "https://callsheet.example.com/"} | more
    page = await browser.post("/start", data=fields)
    assert page.status_code == 200, page.text
    action = html.unescape(re.findall(r'action="([^"]+)"', page.text)[0])
    manifest = html.unescape(re.findall(r'name="manifest" value="([^"]+)"', page.text)[0])
    async with httpx.AsyncClient(trust_env=False) as outside:
        answer = await outside.post(action, data={"manifest": manifest})
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


@pytest.mark.parametrize("organisation", ["", "acme"])
async def test_the_credentials_are_not_stored_or_others_can_read_them(
    flow: Setup, browser: httpx.AsyncClient, github: StandIn, organisation: str
) -> None:
    back = await to_github(flow, browser, organisation=organisation)
    page = await browser.get(back)
    assert page.status_code == 200
    assert f"{github.url}/apps/callsheet-demo/installations/new" in page.text
    assert flow.finished.is_set()
    assert flow.directory.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in flow.directory.iterdir()} == {"app-id", "private-key.pem", "webhook-secret"}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in flow.directory.iterdir())
    read = Settings.from_environment({"CALLSHEET_CREDENTIALS_DIR": str(flow.directory)})
    assert read.app_id == github.world.app_id
    assert read.require_app()[1].reveal() == github.world.private_key_pem
    assert [secret.reveal() for secret in read.webhook_secrets] == [github.world.webhook_secret]
    assert github.world.webhook_secret not in page.text
    found = [text for exchange in github.world.exchanges for text in openapi.problems(exchange)]
    assert found == []


async def test_the_page_goes_on_after_the_app_is_configured(flow: Setup, browser: httpx.AsyncClient) -> None:
    back = await to_github(flow, browser)
    await browser.get(back)
    before = (flow.directory / "app-id").read_text()
    for answer in (await browser.get(back), await browser.get(flow.address), await browser.post("/start", data={})):
        assert answer.status_code == 410
    assert (flow.directory / "app-id").read_text() == before


@pytest.mark.parametrize("change", ["state", "no state", "before"])
async def test_an_answer_that_was_not_asked_for_here_is_believed(
    flow: Setup, browser: httpx.AsyncClient, github: StandIn, change: str
) -> None:
    if change == "before":
        back = f"{flow.here}/registered?code=abc&state="
    else:
        code = parse_qs(urlsplit(await to_github(flow, browser)).query)["code"][0]
        back = f"{flow.here}/registered?code={code}" + ("&state=of-somebody-else" if change == "state" else "")
    assert (await browser.get(back)).status_code == 403
    assert not is_filled(flow.directory)
    assert not flow.finished.is_set()


async def test_a_state_counts_twice(flow: Setup, browser: httpx.AsyncClient, github: StandIn) -> None:
    back = await to_github(flow, browser)
    github.faults.refuse("POST", "/conversions", status=500)
    assert (await browser.get(back)).status_code == 502
    assert (await browser.get(back)).status_code == 403
    assert not is_filled(flow.directory)


@pytest.mark.parametrize("address", ["/", "/?token=", "/?token=guessed", "/?token=%F0%9F%98%80"])
async def test_somebody_without_the_token_sees_the_page(flow: Setup, browser: httpx.AsyncClient, address: str) -> None:
    answer = await browser.get(address)
    assert answer.status_code == 403
    assert flow.token not in answer.text


async def test_a_page_under_another_name_reaches_it(flow: Setup, browser: httpx.AsyncClient) -> None:
    answer = await browser.get(flow.address, headers={"Host": f"evil.example:{PORT}"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"url": "http://callsheet.example.com"}, "must begin with https://"),
        ({"url": "https://u:p@example.com"}, "must begin with https://"),
        ({"name": " "}, "1 to 34 characters"),
        ({"organisation": "a/b"}, "letters, digits and hyphens"),
    ],
)
async def test_a_wrong_field_is_not_explained(
    flow: Setup, browser: httpx.AsyncClient, fields: dict[str, str], said: str
) -> None:
    good = {"token": flow.token, "name": "Callsheet", "url": "https://callsheet.example.com"}
    answer = await browser.post("/start", data=good | fields)
    assert (answer.status_code, said in answer.text) == (422, True)


def test_merge_queues_are_asked_for_without_being_wanted() -> None:
    plain = made_manifest("Callsheet", "https://a.example", "http://127.0.0.1:1/registered", queue=False)
    queue = made_manifest("Callsheet", "https://a.example", "http://127.0.0.1:1/registered", queue=True)
    assert "merge_queues" not in plain["default_permissions"]
    assert queue["default_permissions"]["merge_queues"] == "read"
    assert queue["default_events"] == [*plain["default_events"], "merge_group"]
    assert plain["hook_attributes"]["url"] == "https://a.example/webhooks"


def test_the_manifest_of_the_page_is_another_one() -> None:
    inside, outside = (ROOT / "app" / "github-app.json", ROOT / "manifests" / "github-app.json")
    assert json.loads(inside.read_text()) == json.loads(outside.read_text())


def test_an_enterprise_server_is_sent_elsewhere() -> None:
    assert registration_url("https://ghe.acme.example", "") == "https://ghe.acme.example/settings/apps/new"
    assert registration_url("https://ghe.acme.example", "acme") == (
        "https://ghe.acme.example/organizations/acme/settings/apps/new"
    )


def test_credentials_that_are_there_are_overwritten(tmp_path: Path) -> None:
    (tmp_path / "app-id").write_text("7\n")
    with pytest.raises(CommandFailed, match="configured already"):
        setup(0, {"CALLSHEET_CREDENTIALS_DIR": str(tmp_path)})


def test_the_command_does_not_print_where_to_go(github: StandIn, tmp_path: Path) -> None:
    environment = {
        "PATH": "/usr/bin:/bin",
        "CALLSHEET_GITHUB_URL": github.url,
        "CALLSHEET_GITHUB_API_URL": github.api_url,
        "CALLSHEET_CREDENTIALS_DIR": str(tmp_path / "made"),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "setup"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        printed = ""
        while "token=" not in printed:
            printed = process.stdout.readline()
        address = printed.strip()
        assert address.startswith("http://127.0.0.1:")
        with httpx.Client(trust_env=False, base_url=address.partition("/?")[0]) as client:
            token = address.partition("token=")[2]
            fields = {"token": token, "name": "Callsheet", "url": "https://callsheet.example.com"}
            page = client.post("/start", data=fields)
            action = html.unescape(re.findall(r'action="([^"]+)"', page.text)[0])
            manifest = html.unescape(re.findall(r'name="manifest" value="([^"]+)"', page.text)[0])
            back = httpx.post(action, data={"manifest": manifest}, trust_env=False).headers["location"]
            assert client.get(back).status_code == 200
        assert process.wait(20) == 0
        assert "callsheet doctor" in process.stdout.read()
        assert (tmp_path / "made" / "private-key.pem").read_text() == github.world.private_key_pem
    finally:
        process.kill()
        process.wait()
