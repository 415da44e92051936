# Everything from a fresh clone with Python 3.11 or newer and make; no other set-up.
PYTHON ?= python3
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
COMPILE := .lock/$(SCRIPTS)/uv pip compile --quiet --universal --python-version 3.11 \
  --generate-hashes --custom-compile-command 'make lock' $(UPGRADE)

RUNS ?= 1
# In two halves, so that tests which share a server or an engine mostly run in one process.
PARALLEL := -n 2 --dist worksteal

.PHONY: help build demo test coverage test-busy test-clients check static format hooks dist docs bench figures lock clean
help: ## Show what there is to make
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

.venv/installed: pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Coderelay needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	@$(PYTHON) -m scripts.set_up
	@touch $@

build: .venv/installed ## Set up .venv and build the guests
	@$(BIN)/python -m guests.build

demo: build ## Play three conversations through a real server, with no key and no network
	$(BIN)/coderelay demo

test: build ## Run all tests
	$(BIN)/python -m pytest $(PARALLEL)

coverage: build ## Run all tests, and show which lines they do not reach
	$(BIN)/python -m pytest $(PARALLEL) --cov --cov-report=term --cov-report=html

test-busy: build ## Run all tests while every core is kept busy; RUNS=10 for ten times
	$(BIN)/python -m tests.busy $(RUNS)

test-clients: build ## Run real clients from their registries; ONLY="openai litellm" for some
	$(BIN)/python -m clients $(ONLY)

static: build ## Format, lint, types and the import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file guests/mypy.ini
	$(BIN)/lint-imports

format: .venv/installed ## Format all Python files, and fix what the linter can
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format .

hooks: build ## Check every commit as it is made (pre-commit)
	$(BIN)/pre-commit install

check: static coverage ## All that CI runs, and what the tests cover

dist: build ## Build the wheel and the source archive into dist
	rm -rf dist
	$(BIN)/hatchling build

docs: build ## Write the settings and the command line's help into the documentation
	$(BIN)/python -m scripts.generated_docs
	$(BIN)/python -m tests.house.documents

bench: build ## Measure, against peers in the same run
	$(BIN)/python -m bench

figures: build ## Measure the figures on the README's first screen, and write them there
	$(BIN)/python -m bench.first_screen

lock: ## Renew requirements/*.txt; UPGRADE="--upgrade-package ruff" or --upgrade for newer versions
	$(PYTHON) -m venv .lock
	.lock/$(SCRIPTS)/python $(PIP_INSTALL) --require-hashes -r requirements/uv.txt
	$(COMPILE) requirements/uv.in --output-file requirements/uv.txt
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
	  | $(COMPILE) pyproject.toml --extra dev - --output-file requirements/dev.txt

clean: ## Remove what was built, and all caches; bench/results stays
	rm -rf .venv .lock .clients build dist htmlcov .coverage .coverage.* .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	rm -rf src/coderelay/engines/*/guest src/coderelay/engines/*/.building-*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
