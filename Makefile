# The commands everyone relies on. `make demo` and `make test` need Python 3.11 and pip, nothing else.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := .tools/bin/uv
BENCH ?=
export EVALSERVICE_DEMO := 1
export PYTHONDONTWRITEBYTECODE := 1

# Where a company's own certificate stands before the registry, the system knows it and uv's own list does not.
from_registry = VIRTUAL_ENV=$(VENV) $(UV) $(1) 2> var/install.log \
  || VIRTUAL_ENV=$(VENV) UV_SYSTEM_CERTS=1 $(UV) $(1) || { cat var/install.log; exit 1; }

.PHONY: help install browser demo test check format lint types contracts migrations docs cover soak bench audit clean
help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

install: $(VENV)/.installed ## everything the service and its tests need, into .venv

# uv comes from the package registry like everything else; --target keeps it out of the system's Python.
$(UV):
	@echo "Fetching the installer …"
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-cache-dir --target .tools uv

$(VENV)/.installed: requirements.lock pyproject.toml $(wildcard evalservice/client/*.py) | $(UV)
	@echo "Installing what requirements.lock names …"
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	@$(call from_registry,pip sync --quiet --require-hashes requirements.lock)
	@$(call from_registry,pip install --quiet --no-deps .)
	@touch $@

requirements.lock: ## (by hand: make lock) versions and hashes of everything
.PHONY: lock
lock: $(UV)
	$(UV) pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 --extra server --group dev pyproject.toml -o requirements.lock

browser: install ## some Chromium, for the browser tests
	@PYTHON=$(BIN)/python .ci/browser

demo: install ## two boards on this machine, judged offline; ONCE=1 exits after printing them
	@$(BIN)/python manage.py demo $(if $(ONCE),--once,)

# Files of tests run side by side, a process for each core; what compares costs runs alone, after them.
SIDE_BY_SIDE := -n auto --maxprocesses 3 --dist loadfile

test: browser ## all tests on SQLite; ARGS=tests/unit runs some of them
ifdef ARGS
	@$(BIN)/python -m pytest -q $(ARGS)
else
	@$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -m "not soak and not costs"
	@$(BIN)/python -m pytest -q -m costs tests/unit
endif

check: format lint types contracts migrations docs cover ## what CI runs on SQLite

format: install
	@$(BIN)/ruff format --check --quiet . && echo "format: ok"

lint: install
	@$(BIN)/ruff check --quiet . && echo "lint: ok"

types: install
	@$(BIN)/mypy --no-error-summary . && echo "types: ok"

contracts: install
	@$(BIN)/lint-imports --no-cache > var/contracts.txt 2>&1 || { cat var/contracts.txt; exit 1; }
	@echo "import contracts: ok"

migrations: install
	@$(BIN)/python manage.py makemigrations --check --dry-run > /dev/null && echo "migrations: ok"

docs: install
	@$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker/compose.yaml > /dev/null && echo "compose file: ok"
	@$(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null && echo "OpenAPI schema: ok"

cover: browser
	@$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -m "not soak and not costs" --cov --cov-report=
	@$(BIN)/python -m pytest -q -m costs tests/unit

soak: browser ## kills, storms, hostile input: up to an hour
	@$(BIN)/python -m pytest -q -m soak --timeout 3600 $(ARGS)

bench: install ## JSON lines of ratios; BENCH=name runs one
	@$(BIN)/python -m tests.bench $(BENCH)

clean:
	rm -rf $(VENV) .tools var .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
$(shell mkdir -p -m 700 var)
