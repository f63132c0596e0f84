# Two commands for newcomers: `make demo` and `make test`. The rest is for makers.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PORT   ?= 8080
WORDS  := $(wildcard firmware/kloplei/words/*/LC_MESSAGES/*.po webpanel/kloplei_panel/words/*/LC_MESSAGES/*.po)
PARTS  := pyproject.toml constraints.txt hatch_build.py scripts/setup $(WORDS)

.PHONY: help demo test check tests format slates pictures clean

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

demo: $(VENV)/.for-demo ## play on a virtual table at http://127.0.0.1:8080/demo
	$(BIN)/kloplei demo --port $(PORT) $(ARGS)

test: $(VENV)/.for-tests ## check everything: format, lint, types, layers and the whole suite
	@VENV=$(VENV) scripts/setup chromium
	@$(MAKE) --no-print-directory check tests

check: $(VENV)/.for-tests ## format, lint, types and layers, without the suite
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

tests: $(VENV)/.for-tests ## the suite alone (ARGS="-k knock" for a part of it)
	$(BIN)/pytest $(ARGS)

format: $(VENV)/.for-tests ## put the sources into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

slates: $(VENV)/.for-tests ## redraw the reference pictures of the slate (then look at them)
	$(BIN)/python -m tests.slate.redraw

pictures: $(VENV)/.for-tests ## make the pictures of the docs again
	@VENV=$(VENV) scripts/setup chromium
	$(BIN)/python -m scripts.pictures

clean: ## throw away what was built
	rm -rf $(VENV) build dist test-results .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.for-demo: $(PARTS)
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel

$(VENV)/.for-tests: $(PARTS)
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,dev
	@touch $(VENV)/.for-demo
