# Every target makes what it needs by itself: .venv with locked dependencies, and a Redis where the machine has none.
# Needed on the machine: make, git, Python 3.11 or newer.

SHELL := /bin/sh
.DEFAULT_GOAL := help
BIN := .venv/bin
CODE := app graph worker tests bench
ARGS ?=

.PHONY: help
help: ## What there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: demo
demo: venv ## The whole of Callsheet on this machine: a webhook in, a check run out (a minute)
	@$(BIN)/callsheet demo $(ARGS)

.PHONY: test
test: dev ## All tests (make test ARGS='tests/app -k webhook' for some)
	@$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

.PHONY: check
check: lint format-check types contracts test ## lint, formatting, types, contracts, tests: what CI runs

.PHONY: lint
lint: dev ## ruff's rules
	@$(BIN)/ruff check $(CODE)

.PHONY: format
format: dev ## Format the code, and repair what ruff can
	@$(BIN)/ruff check --fix-only --quiet $(CODE)
	@$(BIN)/ruff format $(CODE)

.PHONY: format-check
format-check: dev ## Whether the code is formatted
	@$(BIN)/ruff format --check $(CODE)

.PHONY: types
types: dev ## mypy, strict
	@$(BIN)/mypy

.PHONY: contracts
contracts: dev ## Who may import whom (import-linter)
	@$(BIN)/lint-imports

.PHONY: bench
bench: dev ## Speed, as ratios to parsing: make bench ARGS='--repo DIR --language python' (see bench/ratio.py)
	@$(BIN)/python -m bench.ratio $(ARGS)

.PHONY: accuracy
accuracy: dev ## Precision and recall against known callers: make accuracy ARGS='...' (see bench/accuracy.py)
	@$(BIN)/python bench/accuracy.py $(ARGS)

.PHONY: faults
faults: dev ## kill -9 of workers, receiver and Redis at random, over two hundred pull requests (under five minutes)
	@$(BIN)/python -m bench.faults $(ARGS)

.PHONY: load
load: dev ## 200 webhooks a second for two minutes, then a thousand jobs: answers, losses, memory (see bench/load.py)
	@$(BIN)/python -m bench.load $(ARGS)

.PHONY: install-check
install-check: ## Run the image's build steps outside of Docker, in a clean directory
	@docker/check.sh

.PHONY: lock
lock: ## Make the lock files anew (make lock ARGS=--upgrade for the newest versions)
	@scripts/lock.sh $(ARGS)

.PHONY: clean
clean: ## Remove .venv and everything that was made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: venv dev
venv:
	@scripts/venv.sh
dev:
	@scripts/venv.sh dev
