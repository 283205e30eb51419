"""Cut GitHub's OpenAPI description down to the paths Callsheet uses.

How `github-openapi-cut.json` was made, and how to make it again:

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    python tests/data/cut_openapi.py package/generated/api.github.com.json tests/data/github-openapi-cut.json

Kept: the operations in OPERATIONS with their parameters, request bodies and responses, and every component they
reach. Left out: prose (descriptions, summaries, examples, x- fields), which no check reads.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

OPERATIONS = (
    ("/app", "get"),
    ("/app/hook/config", "get"),
    ("/app/hook/config", "patch"),
    ("/app/hook/deliveries", "get"),
    ("/app/hook/deliveries/{delivery_id}/attempts", "post"),
    ("/app/installations", "get"),
    ("/app/installations/{installation_id}", "get"),
    ("/app/installations/{installation_id}/access_tokens", "post"),
    ("/app-manifests/{code}/conversions", "post"),
    ("/installation/repositories", "get"),
    ("/repositories/{repository_id}", "get"),
    ("/repos/{owner}/{repo}", "get"),
    ("/repos/{owner}/{repo}/contents/{path}", "get"),
    ("/repos/{owner}/{repo}/pulls", "get"),
    ("/repos/{owner}/{repo}/pulls/{pull_number}", "get"),
    ("/repos/{owner}/{repo}/compare/{basehead}", "get"),
    ("/repos/{owner}/{repo}/commits/{ref}/check-runs", "get"),
    ("/repos/{owner}/{repo}/check-runs", "post"),
    ("/repos/{owner}/{repo}/check-runs/{check_run_id}", "get"),
    ("/repos/{owner}/{repo}/check-runs/{check_run_id}", "patch"),
    ("/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", "get"),
    ("/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs", "get"),
)
PROSE = {"description", "summary", "externalDocs", "example", "examples", "tags"}


def without_prose(value: Any, *, names: bool = False) -> Any:
    """`value` without prose keys. `names`: the keys here are names (properties, schemas), not keywords."""
    if isinstance(value, list):
        return [without_prose(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: without_prose(item, names=key in {"properties", "patternProperties", "schemas", "parameters", "responses"})
        for key, item in value.items()
        if names or (key not in PROSE and not key.startswith("x-"))
    }


def references(value: Any) -> set[str]:
    """Every local `$ref` below `value`."""
    if isinstance(value, list):
        return {ref for item in value for ref in references(item)}
    if not isinstance(value, dict):
        return set()
    found = {ref for item in value.values() for ref in references(item)}
    if isinstance(value.get("$ref"), str):
        found.add(value["$ref"])
    return found


def cut(description: dict[str, Any]) -> dict[str, Any]:
    """The part of an OpenAPI `description` that OPERATIONS reach."""
    paths: dict[str, Any] = {}
    for path, method in OPERATIONS:
        item = description["paths"].get(path)
        if item is None or method not in item:
            continue  # not described: /repositories/{repository_id} is served, and undocumented
        paths.setdefault(path, {})[method] = without_prose(item[method])
    components: dict[str, dict[str, Any]] = {}
    waiting, seen = sorted(references(paths)), set()
    while waiting:
        ref = waiting.pop()
        if ref in seen or not ref.startswith("#/components/"):
            continue
        seen.add(ref)
        _, _, kind, name = ref.split("/", 3)
        if kind == "examples":
            continue
        value = without_prose(description["components"][kind][name])
        components.setdefault(kind, {})[name] = value
        waiting.extend(sorted(references(value)))
    return {
        "openapi": description["openapi"],
        "info": {
            "title": "A cut of GitHub's REST API description",
            "version": description["info"]["version"],
            "license": {"name": "MIT", "url": "https://spdx.org/licenses/MIT"},
        },
        "x-origin": "npm @octokit/openapi 23.0.2, generated/api.github.com.json; cut by tests/data/cut_openapi.py",
        "paths": paths,
        "components": {kind: dict(sorted(values.items())) for kind, values in sorted(components.items())},
    }


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    result = cut(json.loads(source.read_text(encoding="utf-8")))
    target.write_text(json.dumps(result, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")
    missing = [f"{method} {path}" for path, method in OPERATIONS if method not in result["paths"].get(path, {})]
    print(f"{target}: {target.stat().st_size} bytes; not described: {', '.join(missing) or 'none'}")
