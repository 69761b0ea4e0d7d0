# Two commands do everything: `make demo` and `make test`. Both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NODE := .envs/node
NODE_STAMP := $(NODE)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-integrations soak test-lowest lint format lock schemas fuzz bench security-case clean

help:            ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 16

setup: $(STAMP)  ## create .venv with the locked versions

$(STAMP): requirements-dev.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the locked versions into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@mkdir -p build/typing && ln -sfn ../../cli build/typing/schemarouter_cli  # type checkers do not see the editable install
	@touch $@

demo: $(STAMP)   ## the main job, on real policies
	@$(BIN)/python demo/run.py
	@$(BIN)/python demo/calls.py $$(test -t 0 && test -t 1 || echo --yes)
	@$(BIN)/python demo/operations.py
	@$(BIN)/python demo/together.py

test: lint $(NODE_STAMP) ## lint, then every test
	@$(BIN)/python -m pytest -n 2

FRAMEWORKS := .envs/integrations
FRAMEWORKS_STAMP := $(FRAMEWORKS)/.installed

test-integrations: $(STAMP) $(FRAMEWORKS_STAMP) ## the adapters, with the real agent frameworks in an environment of their own
	@$(FRAMEWORKS)/bin/python -m pytest tests/integrations -p no:cacheprovider -n 2

$(FRAMEWORKS_STAMP): requirements-integrations.lock pyproject.toml
	@test -x $(FRAMEWORKS)/bin/python || $(PYTHON) -m venv $(FRAMEWORKS)
	@echo "installing the locked agent frameworks into $(FRAMEWORKS) ..."
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-integrations.lock
	@$(FRAMEWORKS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(NODE_STAMP): tests/servers/package.json tests/servers/package-lock.json
	@mkdir -p $(NODE) && cp $^ $(NODE)/
	@if command -v npm >/dev/null && command -v node >/dev/null; then \
		echo "installing the locked MCP servers into $(NODE) ..." && cd $(NODE) && \
		npm ci --silent --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund && touch .installed; \
	else echo "NODE IS MISSING: the tests with MCP servers from npm (filesystem, memory) are skipped"; fi

SOAK_ROUNDS ?= 200

soak: $(STAMP)   ## processes that share a state store, killed at random points, for many rounds
	@SCHEMAROUTER_SOAK=$(SOAK_ROUNDS) $(BIN)/python -m pytest tests/unit/state/test_store_processes.py

lint: $(STAMP)   ## ruff, mypy --strict, import-linter
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

LOWEST := build/lowest

test-lowest: $(STAMP) ## the unit tests with the oldest versions that pyproject.toml admits
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@mkdir -p $(LOWEST)
	@$(BIN)/uv pip compile --quiet --resolution lowest-direct --python-version 3.11 --extra otel --extra approvals --no-header \
		--no-annotate pyproject.toml --output-file $(LOWEST)/versions.txt
	@test -x $(LOWEST)/env/bin/python || $(PYTHON) -m venv $(LOWEST)/env
	@$(LOWEST)/env/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(LOWEST)/versions.txt \
		pytest pytest-asyncio pytest-timeout hypothesis opentelemetry-sdk setuptools
	@$(LOWEST)/env/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@$(LOWEST)/env/bin/python -m pytest tests/unit -p no:cacheprovider

format: $(STAMP) ## format the code
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

schemas: $(STAMP) ## write the JSON Schemas of the policy file and of its tests anew
	@$(BIN)/python -m schemarouter.document.schema > schemas/policy.v1.schema.json
	@$(BIN)/python -m schemarouter.testkit.schema > schemas/policy-test.v1.schema.json

FUZZ := build/fuzz
FUZZ_SECONDS ?= 60

fuzz:            ## fuzz the reader with atheris, in an environment of its own
	@test -x $(FUZZ)/env/bin/python || $(PYTHON) -m venv $(FUZZ)/env
	@$(FUZZ)/env/bin/python -m pip install --quiet --disable-pip-version-check atheris --editable .
	@$(FUZZ)/env/bin/python tests/fuzz/fuzz_reader.py --seeds $(FUZZ)/seeds
	@mkdir -p $(FUZZ)/found
	@$(FUZZ)/env/bin/python tests/fuzz/fuzz_reader.py -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix=$(FUZZ)/ $(FUZZ)/found $(FUZZ)/seeds

lock:            ## resolve the locked versions anew
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --generate-hashes --extra approvals --extra mcp --extra openapi --extra otel \
		pyproject.toml requirements-dev.in -o requirements-dev.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header \
		--no-emit-index-url --no-emit-find-links --generate-hashes --all-extras \
		pyproject.toml requirements-dev.in requirements-integrations.in -o requirements-integrations.lock

bench: $(STAMP) $(FRAMEWORKS_STAMP) ## measure, side by side with other tools in environments of their own (8 minutes)
	@$(BIN)/python benchmarks/run.py

security-case: $(STAMP) ## replay real attacks under the example policies, and write the tables anew
	@$(BIN)/python benchmarks/agentdojo.py --write

clean:           ## remove everything that was made
	rm -rf $(VENV) .envs build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
