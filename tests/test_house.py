"""The house keeps its word: documents, manifests, lock files and version numbers agree with the code."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from app.events import BRIEFED_ACTIONS
from worker.metrics import REGISTRY
from worker.settings import VARIABLES

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
VERSION = PROJECT["project"]["version"]
DOCUMENTS = [path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")) if path.is_file()]
KUBERNETES = sorted((ROOT / "manifests" / "kubernetes").rglob("*.yaml"))
KUBERNETES_VERSIONS = ("1.29", "1.33", "1.37")

SECRETS = {name for name, text in VARIABLES.items() if f"{name}_FILE" in text}
NAMES = set(VARIABLES) | {f"{name}_FILE" for name in SECRETS}


def settings_named_in(text: str) -> set[str]:
    return set(re.findall(r"\b(?:CALLSHEET_[A-Z_]*[A-Z]|REDIS_URL(?:_FILE)?)\b", text))


# ---------------------------------------------------------------------------------------------------- documentation


def test_a_setting_that_exists_is_missing_from_the_documentation() -> None:
    documented = settings_named_in((ROOT / "docs" / "configuration.md").read_text())
    assert NAMES - documented == set()


@pytest.mark.parametrize(
    "path",
    [*DOCUMENTS, ROOT / "Dockerfile", ROOT / "compose.yaml", *KUBERNETES],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_document_names_a_setting_that_does_not_exist(path: Path) -> None:
    assert settings_named_in(path.read_text()) - NAMES == set()


def test_the_documented_default_of_a_setting_is_not_the_real_one() -> None:
    rows = {
        match[1]: match[2].replace(" ", "").replace(",", "")
        for match in re.finditer(
            r"^\| `(\w+)`[^|]*\| ([^|]*) \|", (ROOT / "docs" / "configuration.md").read_text(), re.M
        )
    }
    for name, meaning in VARIABLES.items():
        default = re.search(r"Default (\d+|https?://\S+|~\S+|[\d.]+\d|json|info)\.?(?=[\s,]|$)", meaning)
        if default:
            assert default[1].rstrip(".") in rows[name], name


@cache
def help_of(*words: str) -> str:
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "app", *words, "--help"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def commands() -> set[str]:
    return set(re.findall(r"^    ([a-z]+) ", help_of(), re.M))


def callsheet_lines(text: str) -> list[list[str]]:
    """The words after `callsheet` wherever a document shows the command: in code blocks and in backticks."""
    blocks = re.findall(r"^```(?:sh|console|bash)?\n(.*?)^```", text, re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += re.findall(r"`((?:\.venv/bin/)?callsheet [^`]+)`", text)
    found = (re.match(r"\s*(?:\$ )?(?:\.venv/bin/)?callsheet\s+([^#|>]*)", line) for line in lines)
    return [match[1].split() for match in found if match]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_shows_a_command_or_an_option_that_does_not_exist(path: Path) -> None:
    for words in callsheet_lines(path.read_text()):
        if words[0].startswith("-"):
            assert words[0] in help_of(), words
            continue
        if words[0] == "COMMAND":  # any of them
            continue
        assert words[0] in commands(), words
        for option in (word.split("=")[0] for word in words if word.startswith("--")):
            assert option in re.findall(r"--[a-z-]+", help_of(words[0])), words


def test_the_readme_leaves_out_a_command() -> None:
    shown = {words[0] for words in callsheet_lines((ROOT / "README.md").read_text())}
    assert commands() - shown == set()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_in_a_document_leads_nowhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        file, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        to = path.parent / file if file else path
        assert to.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", to.read_text(), re.M)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
            assert anchor in slugs, target


def test_the_code_sends_people_to_a_document_that_does_not_exist() -> None:
    for package in ("app", "worker", "graph"):
        for path in (ROOT / package).rglob("*.py"):
            for document in re.findall(r"\bdocs/[\w./-]+\.(?:md|json)", path.read_text()):
                assert (ROOT / document).is_file(), f"{path.relative_to(ROOT)} names {document}"


def test_the_operations_guide_names_an_event_that_is_never_logged() -> None:
    guide = (ROOT / "docs" / "operations.md").read_text()
    named = re.findall(r"^\| `([a-z_]+)` \|", guide.partition("| Event |")[2].partition("\n\n")[0], re.M)
    sources = "".join(path.read_text() for package in ("app", "worker") for path in (ROOT / package).rglob("*.py"))
    assert named and [name for name in named if f'("{name}"' not in sources] == []


def test_a_document_names_a_make_target_that_does_not_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for path in DOCUMENTS:
        named = set(re.findall(r"(?:`|^\s*)make ([a-z-]+)", path.read_text(), re.M))
        assert named - targets == set(), path.name


# ---------------------------------------------------------------------------------------------------- tests


@pytest.mark.parametrize(
    ("body", "green"),
    [
        ("def test_it(): pass", True),
        ("import pytest\ndef test_it(): pytest.skip('no redis here')\ndef test_other(): pass", False),
        ("import pytest\n@pytest.mark.xfail\ndef test_it(): assert False\ndef test_other(): pass", False),
        ("import pytest\npytest.importorskip('no_such_module')", False),
    ],
)
def test_a_run_with_a_skipped_test_is_green(tmp_path: Path, body: str, green: bool) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_body.py").write_text(body + "\n")
    (tmp_path / "test_beside.py").write_text("def test_beside(): pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) is green, done.stdout


# ---------------------------------------------------------------------------------------------------- version, licence


def test_the_version_has_no_entry_in_the_changelog() -> None:
    assert re.search(rf"^## \[{re.escape(VERSION)}\]", (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_a_manifest_runs_another_version() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    images = {service["image"] for service in compose["services"].values() if "build" in service}
    assert images == {f"callsheet:{VERSION}"}
    for name in ("base", "example"):
        file = ROOT / "manifests" / "kubernetes" / name / "kustomization.yaml"
        assert [image["newTag"] for image in yaml.safe_load(file.read_text())["images"]] == [VERSION]


def test_the_licence_is_not_the_one_the_package_names() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text[:200] and "END OF TERMS AND CONDITIONS" in text


# ---------------------------------------------------------------------------------------------------- lock files


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{name}.lock").read_text()
    return {normal(match[1]): match[2] for match in re.finditer(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", text, re.M)}


@pytest.mark.parametrize("name", ["runtime", "embedded", "otel", "dev", "build"])
def test_a_lock_file_has_a_line_that_pip_would_not_check(name: str) -> None:
    lines = (ROOT / "requirements" / f"{name}.lock").read_text().splitlines()
    code = [line for line in lines if line and not line.lstrip().startswith("#")]
    allowed = re.compile(r"[\w.-]+(\[[\w,-]+\])?==\S+ \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in code if not allowed.fullmatch(line)] == []
    pins = [number for number, line in enumerate(code) if "==" in line]
    assert pins and all(code[number + 1].startswith("    --hash=") for number in pins)


@pytest.mark.parametrize(
    ("lock", "extra"), [("runtime", None), ("embedded", "embedded"), ("otel", "otel"), ("dev", "dev"), ("dev", "otel")]
)
def test_a_dependency_was_added_without_making_the_lock_files_anew(lock: str, extra: str | None) -> None:
    wanted = list(PROJECT["project"]["dependencies"])
    if extra:
        wanted += PROJECT["project"]["optional-dependencies"][extra]
    names = {normal(re.split(r"[\[<>=~!; ]", requirement)[0]) for requirement in wanted}
    assert names - set(locked(lock)) == set(), "make lock"


@pytest.mark.parametrize(
    ("folders", "extras"),
    [(("app", "worker", "graph"), ("otel",)), (("app", "worker", "graph", "tests", "bench"), ("dev", "otel"))],
)
def test_the_code_imports_a_package_that_nobody_asked_for(folders: tuple[str, ...], extras: tuple[str, ...]) -> None:
    wanted = list(PROJECT["project"]["dependencies"])
    for extra in extras:
        wanted += PROJECT["project"]["optional-dependencies"][extra]
    asked_for = {normal(re.split(r"[\[<>=~!; ]", requirement)[0]) for requirement in wanted}
    ours = {"app", "worker", "graph", "tests", "bench"}
    distributions = packages_distributions()
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            for name in imported(path) - ours - sys.stdlib_module_names:
                assert {normal(one) for one in distributions.get(name, ())} & asked_for, f"{path} imports {name}"


def imported(path: Path) -> set[str]:
    """Top-level names of the packages that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def test_two_lock_files_pin_different_versions_of_one_package() -> None:
    runtime = locked("runtime")
    for name in ("embedded", "otel", "dev", "build"):
        other = locked(name)
        assert {key: other[key] for key in other.keys() & runtime.keys()} == {
            key: runtime[key] for key in other.keys() & runtime.keys()
        }


# ---------------------------------------------------------------------------------------------------- manifests


def test_the_github_app_asks_for_more_than_it_needs() -> None:
    manifest = json.loads((ROOT / "manifests" / "github-app.json").read_text())
    assert manifest["default_permissions"] == {
        "checks": "write",
        "contents": "read",
        "metadata": "read",
        "pull_requests": "read",
    }
    # check_run and check_suite come with `checks: write`, installation events always.
    # merge_group needs a permission that is optional: GitHub refuses an event whose permission is missing.
    assert BRIEFED_ACTIONS and manifest["default_events"] == ["pull_request", "push", "repository"]
    assert manifest["public"] is False
    assert manifest["hook_attributes"]["url"].endswith("/webhooks")


def test_the_permissions_in_the_readme_are_not_those_of_the_manifest() -> None:
    manifest = json.loads((ROOT / "manifests" / "github-app.json").read_text())
    names = {"Checks": "checks", "Contents": "contents", "Metadata": "metadata", "Pull requests": "pull_requests"}
    rows = re.findall(r"^\| (Checks|Contents|Metadata|Pull requests) \| (read|write) \|", readme(), re.M)
    assert {names[name]: access for name, access in rows} == manifest["default_permissions"]


def readme() -> str:
    return (ROOT / "README.md").read_text()


def kubernetes_documents() -> list[tuple[str, dict[str, Any]]]:
    return [
        (path.name, document)
        for path in KUBERNETES
        for document in yaml.safe_load_all(path.read_text())
        if document["kind"] not in ("Kustomization", "Component")
    ]


def is_kubernetes_own(document: dict[str, Any]) -> bool:
    return not document["apiVersion"].startswith(("monitoring.coreos.com/", "keda.sh/"))


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
def test_kubernetes_would_refuse_a_manifest(version: str) -> None:
    documents = [(name, document) for name, document in kubernetes_documents() if is_kubernetes_own(document)]
    assert len(documents) > 10
    for name, document in documents:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            pytest.fail(f"{name} {document['kind']}: {error.message}")


@pytest.mark.parametrize("folder", ["base", "example", "monitoring"])
def test_a_kubernetes_manifest_is_not_listed_for_kustomize(folder: str) -> None:
    directory = ROOT / "manifests" / "kubernetes" / folder
    listed = set(yaml.safe_load((directory / "kustomization.yaml").read_text())["resources"]) - {"../base"}
    assert listed == {path.name for path in directory.glob("*.yaml")} - {"kustomization.yaml"}


def test_a_manifest_or_document_names_a_metric_that_does_not_exist() -> None:
    known = {sample for family in REGISTRY.collect() for sample in (family.name, f"{family.name}_total")}
    for path in (ROOT / "manifests" / "kubernetes" / "monitoring", ROOT / "docs"):
        for file in path.iterdir():
            named = set(re.findall(r"\bcallsheet_[a-z_]+[a-z]\b", file.read_text()))
            assert named - known == set(), file.name


def test_a_monitor_looks_for_a_port_that_no_service_has() -> None:
    documents = [document for _, document in kubernetes_documents()]
    services = {each["metadata"]["name"]: each["spec"] for each in documents if each["kind"] == "Service"}
    monitors = [each for each in documents if each["kind"] == "ServiceMonitor"]
    assert len(monitors) == 2
    for monitor in monitors:
        service = services[monitor["metadata"]["name"]]
        assert monitor["spec"]["endpoints"][0]["port"] in {port["name"] for port in service["ports"]}
    scaled = next(each for each in documents if each["kind"] == "ScaledObject")
    assert scaled["spec"]["scaleTargetRef"]["name"] in {each["metadata"]["name"] for each in workloads()}


def workloads() -> list[dict[str, Any]]:
    return [document for _, document in kubernetes_documents() if document["kind"] in ("Deployment", "StatefulSet")]


def test_a_pod_could_run_as_root_or_write_to_its_image() -> None:
    assert len(workloads()) == 3
    for workload in workloads():
        pod = workload["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
            assert "memory" in container["resources"]["limits"]


def test_a_pod_is_ended_before_its_briefings_had_their_time() -> None:
    kustomization = yaml.safe_load((ROOT / "manifests/kubernetes/base/kustomization.yaml").read_text())
    literals = kustomization["configMapGenerator"][0]["literals"]
    settings = dict(literal.split("=", 1) for literal in literals)
    worker = next(workload for workload in workloads() if workload["metadata"]["name"] == "callsheet-worker")
    grace = worker["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace >= int(settings["CALLSHEET_SHUTDOWN_SECONDS"]) + 10

    limit = worker["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"]
    analyses = int(settings["CALLSHEET_MAX_JOBS"]) * int(settings["CALLSHEET_ANALYSIS_MEMORY_MIB"])
    assert int(limit.removesuffix("Gi")) * 1024 >= analyses + 1024

    volume = worker["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"]
    disk = sum(int(settings[f"CALLSHEET_{name}_MIB"]) for name in ("DISK_BUDGET", "DISK_FREE"))
    assert int(volume.removesuffix("Gi")) * 1024 > disk + 2048


def test_a_secret_key_is_used_that_the_installation_guide_does_not_make() -> None:
    guide = (ROOT / "docs" / "install.md").read_text()
    used: set[str] = set()
    for workload in workloads():
        pod = workload["spec"]["template"]["spec"]
        for volume in pod["volumes"]:
            used |= {item["key"] for item in volume.get("secret", {}).get("items", ())}
        for container in pod["containers"]:
            references = (variable.get("valueFrom", {}).get("secretKeyRef") for variable in container.get("env", ()))
            used |= {reference["key"] for reference in references if reference}
    assert used and {key for key in used if f"={key}" not in guide and f"{key}=" not in guide} == set()


# ---------------------------------------------------------------------------------------------------- image


def test_the_image_runs_as_root_or_carries_a_compiler() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^USER 10001:10001$", text, re.M)
    assert "HEALTHCHECK" in text
    assert re.search(r"\b(gcc|build-essential|clang|make)\b", text) is None


def test_the_image_lacks_a_file_that_its_build_needs() -> None:
    allowed = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.M)
    for sources in re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "Dockerfile").read_text(), re.M):
        for source in sources.split():
            assert (ROOT / source).exists(), source
            assert any(source == entry or source.startswith(f"{entry}/") for entry in allowed), source
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert all(f"COPY {package} /source/{package}\n" in (ROOT / "Dockerfile").read_text() for package in packages)
