#!/bin/sh
# The image's build steps: Callsheet and its locked dependencies into a new virtual environment. No compiler needed.
# Usage: docker/install.sh DIRECTORY [LOCK]    (a file of requirements/: runtime, or otel for OpenTelemetry too)
# The Dockerfile runs it in its build stage; `make install-check` runs it outside of Docker.
set -eu
directory=${1:?usage: docker/install.sh DIRECTORY [LOCK]}
lock=${2:-runtime}
source=$(cd "$(dirname "$0")/.." && pwd -P)
python=${PYTHON:-python3}
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_NO_CACHE_DIR="${PIP_NO_CACHE_DIR-1}"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The package is built by tools that stay behind.
"$python" -m venv "$scratch/build"
"$scratch/build/bin/python" -m pip install -qq --require-hashes --only-binary :all: -r "$source/requirements/build.lock"
"$scratch/build/bin/python" -m pip wheel -qq --no-deps --no-build-isolation --wheel-dir "$scratch/wheels" "$source"

"$python" -m venv "$directory"
"$directory/bin/python" -m pip install -qq --require-hashes --only-binary :all: --no-compile \
    -r "$source/requirements/$lock.lock"
"$directory/bin/python" -m pip install -qq --no-deps --no-index --no-compile "$scratch"/wheels/callsheet-*.whl
"$directory/bin/python" -m pip check
# Nothing can be installed into what runs.
"$directory/bin/python" -m pip uninstall -qq --yes setuptools 2>/dev/null || true
"$directory/bin/python" -m pip uninstall -qq --yes pip
# Compiled once, here: the root file system is read-only later. By hash, so that the same sources give the same files.
"$directory/bin/python" -m compileall -q -j 0 --invalidation-mode unchecked-hash "$directory/lib" ||
    echo "some files of the dependencies are not for this Python, and stay uncompiled" >&2
