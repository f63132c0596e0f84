# Two commands for newcomers: `make demo` and `make test`. The rest is for makers, who run
# `make quick` while they work.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PORT   ?= 8080
DATA   ?= tests/recordings/real
WORDS  := $(wildcard firmware/kloplei/words/*/LC_MESSAGES/*.po webpanel/kloplei_panel/words/*/LC_MESSAGES/*.po \
	hub/kloplei_hub/words/*/LC_MESSAGES/*.po)
PARTS  := pyproject.toml hub/pyproject.toml constraints.txt hatch_build.py scripts/setup $(WORDS)
# Many a container image tells Python to keep nothing that it compiles: then every process that
# runs tests compiles them all, and every one that a test starts compiles Kloplei.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo quick test check house tests pins format slates pictures prints endurance bench train geometry clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

demo: $(VENV)/.for-demo ## play on a virtual table at http://127.0.0.1:8080/demo
	$(BIN)/kloplei demo --port $(PORT) $(ARGS)

.PHONY: hub-demo
hub-demo: $(VENV)/.for-hub ## run a whole house at http://127.0.0.1:8080: broker, database, hub and four tables
	@scripts/setup servers
	$(BIN)/kloplei-hub demo --port $(PORT) $(ARGS)

quick: $(VENV)/.for-tests check ## check while you work: no browser, no machine, in two minutes
	$(BIN)/pytest -q -n auto --maxprocesses 4 --dist worksteal -m "not whole" \
		--hypothesis-profile=habit -p no:schemathesis $(ARGS)

test: $(VENV)/.for-tests ## check everything: format, lint, types, layers and the whole suite
	@VENV=$(VENV) scripts/setup chromium
	@VENV=$(VENV) scripts/setup sound
	@VENV=$(VENV) scripts/setup voices
	@scripts/setup systemd
	@scripts/setup deb
	@scripts/setup hw
	@scripts/setup servers
	@scripts/setup proxy
	@$(MAKE) --no-print-directory check tests

check: $(VENV)/.for-tests ## format, lint, types, layers and rooms, without the suite
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

house: $(VENV)/.for-tests ## measure the rooms of the code, and say where it turns into a maze
	$(BIN)/python -m scripts.house

tests: $(VENV)/.for-tests ## the suite alone (ARGS="-k knock" for a part of it)
	@# Each file is tested by one process, so that costly set-ups are made once; the long ones
	@# come first (tests/conftest.py), and stay so. What fails is asked once more, five tests at
	@# most: one that passes then is told with its first failure all the same (RERUN). It leans on
	@# how fast the machine is, which no test may, and wants mending.
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder \
		--reruns 1 --max-suite-reruns 5 --rerun-show-tracebacks $(ARGS)

pins: $(VENV)/.for-tests ## knock on the pins of a real Linux kernel, in an emulated machine
	@scripts/setup kernel
	$(BIN)/pytest -n0 tests/box/test_kernel_pins.py $(ARGS)

format: $(VENV)/.for-tests ## put the sources into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: voices
voices: $(VENV)/.for-tests ## render the clips of the caller (docs/voice.md)
	@VENV=$(VENV) scripts/setup voices
	@VENV=$(VENV) scripts/setup voices-ja
	$(BIN)/python -m scripts.voices $(ARGS)

.PHONY: deb
deb: voices ## build the Debian package, dist/kloplei_VERSION_all.deb
	@scripts/setup deb
	@VENV=$(VENV) scripts/build_deb $(VERSION)

.PHONY: hub
hub: $(VENV)/.for-tests ## build the Debian package of a house's hub, dist/kloplei-hub_VERSION_all.deb
	@scripts/setup deb
	@VENV=$(VENV) scripts/build_deb --hub $(VERSION)

.PHONY: test-box
test-box: $(VENV)/.for-tests ## boot whole boxes: install, play, upgrade, purge, Wi-Fi (as root, on a machine to spare)
	@scripts/setup deb
	@scripts/setup box
	@scripts/setup kernel
	@VENV=$(VENV) scripts/test_box $(ARGS)

.PHONY: test-hub
test-hub: $(VENV)/.for-tests ## let a festival of forty tables play while its house is broken on purpose
	@scripts/setup servers
	$(BIN)/pytest -n0 tests/festival $(ARGS)

.PHONY: test-home
test-home: $(VENV)/.for-tests ## let a real Home Assistant read a table (HASS=..., docs/home-automation.md)
	@test -x "$(HASS)" || { echo 'Name one to try: make test-home HASS="$$HOME/hass/bin/hass"'; exit 1; }
	@scripts/setup servers
	HASS=$(abspath $(HASS)) $(BIN)/pytest -n0 -s tests/home $(ARGS)

slates: $(VENV)/.for-tests ## redraw the reference pictures of the slate (then look at them)
	$(BIN)/python -m tests.slate.redraw

pictures: $(VENV)/.for-tests ## make the pictures of the docs again
	@VENV=$(VENV) scripts/setup chromium
	$(BIN)/python -m scripts.pictures
	$(BIN)/python -m tests.history.redraw

.PHONY: hw
hw: $(VENV)/.for-tests ## draw the wirings, draw and simulate the circuits, build the case (then look at hw/pictures)
	@scripts/setup hw
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev,hw
	$(BIN)/python -m hw.erc
	$(BIN)/python -m hw.pictures
	$(BIN)/python -m hw.enclosure

prints: $(VENV)/.for-tests ## slice every part of the case, and write how long it prints (then make hw)
	@scripts/setup slicer
	$(BIN)/python -m hw.prints

endurance: $(VENV)/.for-tests ## play for eight hours in some minutes, and look what is left behind
	$(BIN)/python -m tests.endurance.eight_hours $(ARGS)

bench: $(VENV)/.for-tests ## compare the ears with others (DATA=FOLDER with a labels.json, docs/bench.md)
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev,train,hw
	@# One by one: aubio is compiled, and where it cannot be, librosa is compared all the same.
	@# Neither is in constraints.txt: nothing of ours is ever played with them.
	-$(BIN)/pip install --quiet --disable-pip-version-check librosa
	-$(BIN)/pip install --quiet --disable-pip-version-check aubio
	$(BIN)/python benchmarks/knocks.py --data $(DATA) $(ARGS)

.PHONY: race race-counts load
race: $(VENV)/.for-tests ## measure Kloplei beside its peers (ARGS="start glass", ARGS="--keep 1.0")
	@# One by one: who is missing is named in the table, and the others are measured all the same.
	-for one in aubio chess gevent starlette uvicorn; do \
		$(BIN)/pip install --quiet --disable-pip-version-check $$one; done
	$(BIN)/python -m benchmarks.race $(ARGS)

race-counts: $(VENV)/.for-tests ## what of it is counted, not timed: bytes, modules, syncs, threads
	$(BIN)/python -m benchmarks.race --counts $(ARGS)

load: $(VENV)/.for-tests ## let 1,000 phones follow a table of bots for two hours (ARGS="--hours 0.2")
	$(BIN)/python -m benchmarks.load $(ARGS)

.PHONY: lighthouse
lighthouse: $(VENV)/.for-tests ## let Lighthouse mark how quickly the pages come up (ARGS="--looks 1 tarok")
	@VENV=$(VENV) scripts/setup chromium
	$(BIN)/python -m scripts.lighthouse $(ARGS)

train: $(VENV)/.for-tests ## learn what a knock looks like again (DATA=FOLDER, docs/knocks.md)
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev,train
	$(BIN)/python -m scripts.train_knocks --data $(DATA) $(ARGS)

geometry: $(VENV)/.for-tests ## learn again how late discs feel a knock, and how sure to be (docs/knocks.md)
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev,train,hw
	@# One thread a process: there is one for each core, and sums come out the same everywhere.
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m scripts.train_geometry $(ARGS)
	$(BIN)/python -m scripts.tune_demo

.PHONY: audit lock
audit: $(VENV)/.for-tests ## ask PyPI whether anything we install is known to be unsafe (docs/security.md)
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev,upkeep
	$(BIN)/pip-audit --requirement constraints.txt --disable-pip --require-hashes --strict $(ARGS)

lock: $(VENV)/.for-tests ## write constraints.txt anew (ARGS=--upgrade for the newest of all)
	@PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev,upkeep
	$(BIN)/python -m scripts.lock $(ARGS)

clean: ## throw away what was built
	rm -rf $(VENV) build dist test-results .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.for-demo: $(PARTS)
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel

$(VENV)/.for-hub: $(PARTS)
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub
	@touch $(VENV)/.for-demo

$(VENV)/.for-tests: $(PARTS)
	PYTHON=$(PYTHON) VENV=$(VENV) scripts/setup venv panel,uplink,hub,dev
	@touch $(VENV)/.for-demo $(VENV)/.for-hub
