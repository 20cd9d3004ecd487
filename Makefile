# `make help` explains every target. Works with GNU make 3.81 and later.
.DEFAULT_GOAL := help
.PHONY: help venv models demo test test-audio check bench fix lock clean

BIN := .venv/bin
CALLS ?= $(or $(VOICE_CALLS),../shared/calls)
PYTHON := $(BIN)/python
PIP := $(PYTHON) -m pip --disable-pip-version-check
REQUIREMENTS := requirements/bootstrap.txt requirements/dev.txt requirements/llama.txt

# Thread pools that spin beside each other ruin every latency; set before numpy loads (docs/decisions/0001).
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export OMP_WAIT_POLICY := passive

help: ## Show this list.
	@echo "Budgie: a voice agent that answers within half a second on this machine."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "The models and the compiled llama.cpp lie in \$$XDG_CACHE_HOME/budgie (~/.cache/budgie), shared by all copies."

venv: .venv/.packages ## Make .venv: Python packages, and llama.cpp built once for this processor.
	@$(PYTHON) -m tools.build_llama

.venv/.packages: $(REQUIREMENTS) tools/find_python.sh
	@python=$$(sh tools/find_python.sh) && echo "Making .venv with $$python" && "$$python" -m venv --clear .venv
	@echo "Installing the pinned packages (about 350 MB to download; one to three minutes) ..."
	@$(PIP) install -q --require-hashes -r requirements/bootstrap.txt
	@$(PIP) install -q --no-build-isolation --require-hashes -r requirements/dev.txt
	@touch $@

models: venv ## Fetch and verify the embedded models (about 900 MB to download).
	@$(PYTHON) main.py models pull

demo: models ## Make the demo call, replay it in real time, print the latency report; results in out/demo.
	@if [ ! -f out/calls/demo.call.json ] || [ configs/calls/demo.yaml -nt out/calls/demo.call.json ]; then \
	  $(PYTHON) main.py calls make configs/calls/demo.yaml --out out/calls/demo; fi
	$(PYTHON) main.py replay out/calls/demo.call.json --out out/demo

test: models ## Run all tests but those of the sound card, with the models and, where present, the recorded calls.
	$(PYTHON) -m pytest -m "not sound"

test-audio: models ## Talk on a virtual sound card (PulseAudio): latency from outside, interruptions, noise.
	@command -v pulseaudio pactl paplay parec > /dev/null || { \
	  echo "The virtual sound card needs PulseAudio. Debian and Ubuntu:"; \
	  echo "  apt-get install pulseaudio pulseaudio-utils libasound2-plugins libportaudio2"; exit 3; }
	$(PYTHON) -m pytest -m sound

check: venv ## Lint, types, import contracts, and the quick tests that need no models: about a minute.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy -p tools
	$(BIN)/lint-imports
	$(PYTHON) -m pytest -q -n auto -k "not ten_thousand" -m "not models and not calls and not browser and not sound"

bench: models ## Measure the parts: one seat, start-up, the controller; with CALLS (default ../shared/calls) hearing too.
	$(PYTHON) -m tools.bench_seat "$$($(PYTHON) -c 'from agent.models.store import Store; print(Store().path("qwen2.5-coder-0.5b"))')"
	$(PYTHON) -m tools.bench_start
	$(PYTHON) main.py bench controller
	@if [ -d "$(CALLS)" ]; then \
	  $(PYTHON) -m tools.bench_asr "$$($(PYTHON) -c 'from agent.models.store import Store; print(Store().path("whisper-base"))')" "$(CALLS)" && \
	  $(PYTHON) main.py bench hearing "$(CALLS)"; \
	else echo "No recorded calls at $(CALLS): recognition and hearing are left out. CALLS=FOLDER names them."; fi

fix: venv ## Put imports, formatting and what else ruff can mend in order.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

UV_LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

lock: venv ## Pin the newest allowed packages again (requirements/*.txt, with hashes, for every platform).
	cd requirements && ../$(UV_LOCK) --upgrade --allow-unsafe bootstrap.in -o bootstrap.txt
	cd requirements && ../$(UV_LOCK) --upgrade build.in -o build.txt
	cd requirements && ../$(UV_LOCK) --upgrade ../pyproject.toml llama-runtime.in -o run.txt
	cd requirements && ../$(UV_LOCK) --upgrade --extra dev -c run.txt ../pyproject.toml llama-runtime.in -o dev.txt
	cd requirements && ../$(UV_LOCK) --upgrade -c run.txt peers.in -o peers.txt

clean: ## Remove .venv, results and tool caches. Models and the built wheel stay in the cache.
	rm -rf .venv out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
