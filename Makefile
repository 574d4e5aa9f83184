# Every command of the project. `make run` and `make test` are all that most people need.

PY      := .venv/bin/python
PORT    ?= 8000
STAMP   := .venv/.installed
DEV     := .venv/.installed-dev
NODE    := web/node_modules/.installed
# Node comes as a wheel, the same everywhere; the machine needs none of its own.
NPM     := cd web && PATH="$(CURDIR)/.venv/bin:$$PATH" npm
COMPILE := .venv/bin/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-trusted-host \
           --no-emit-find-links --strip-extras --allow-unsafe

# What is compiled once is not compiled again by every process, whatever the machine's settings are.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: lint-web lint-pythons install install-dev run chat test test-slow faults soak coverage properties lint format web generate check lock

install: $(STAMP)

install-dev: $(DEV)

$(PY):
	python3 -m venv .venv

# pip is not quiet here: the packages take some minutes, and you should see that it goes on.
$(STAMP): requirements.lock pyproject.toml | $(PY)
	@echo "Installing $$(grep -c '==' requirements.lock) packages into .venv: about 330 MB to download, 1 GB on the disk, some minutes."
	$(PY) -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $(STAMP)

$(DEV): requirements-dev.lock $(STAMP)
	@echo "Installing what the tests need, about 600 MB on the disk: a minute or two."
	$(PY) -m pip install --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	touch $(DEV)

$(NODE): web/package.json web/package-lock.json $(DEV)
	$(NPM) ci --ignore-scripts --silent
	touch $(NODE)

# The widget's and the console's bundles. They are committed, so that running the assistant needs no Node.
web: $(NODE)
	$(NPM) run --silent build

run: install
	$(PY) -m assistant serve --port $(PORT) --sample

chat: install
	$(PY) -m assistant chat

# A file's tests stay together: what one of them makes, a module or a server, the next ones use.
# Three processes for two cores: pages and servers are waited for, too.
# Tests of real processes and browsers depend on the machine's load: a failed one is tried once more.
# The report lists it as RERUN: find out why.
PYTEST  := $(PY) -m pytest -n 3 --dist loadfile --no-loadscope-reorder --reruns 1

test: install-dev
	$(PYTEST) -m "not slow"

test-slow: install-dev
	$(PYTEST) -m "slow and not faults"

# The everyday tests, measured: twice as slow as without, so a test may take longer before it counts as hanging.
coverage: install-dev
	$(PY) -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m "not slow" -o faulthandler_timeout=1800 \
	    --cov --cov-report=term:skip-covered --cov-fail-under=95

# Fifty thousand made-up conversations and five thousand whole ones, where `make test` takes five hundred;
# a thousand histories of 50 steps for all logs; then each property with 500 examples instead of 40.
properties: install-dev
	ANY_HISTORY=50000 ANY_CONVERSATIONS=5000 $(PY) -m pytest -q -n 2 -o faulthandler_timeout=3600 tests/formats/test_every_conversation.py tests/turn/test_whole_conversations.py
	LOG_HISTORIES=1000 $(PY) -m pytest -q -o faulthandler_timeout=3600 tests/store/test_log_state_machine.py
	PROPERTIES=thorough $(PY) -m pytest -q -n 2 -o faulthandler_timeout=3600 -m "hypothesis and not slow" tests

# Servers and databases that are killed, frozen and cut off, for an hour or two; `make test-slow` does a little of it.
faults: install-dev
	FAULTS_KILLS=500 FAULTS_ZOMBIES=100 FAULTS_FAILOVERS=100 FAULTS_OUTAGES=10 FAULTS_DOWN_S=10 FAULTS_LATE_S=2 FAULTS_BUSY_S=0 FAULTS_CLOCK_STEPS=4 $(PY) -m pytest -q -rP -o faulthandler_timeout=14400 --ignore tests/faults/test_soak.py tests/faults

# Two hundred conversations at a time for half an hour; `make test-slow` does a minute of it.
soak: install-dev
	SOAK_S=1800 SOAK_CUSTOMERS=200 SOAK_THINK_S=30 SOAK_KEEP_IDLE=500 SOAK_MIB=1 $(PY) -m pytest -q -rP -o faulthandler_timeout=4000 tests/faults/test_soak.py

lint: install-dev
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m basedpyright
	.venv/bin/lint-imports
	$(PY) -m docs.generate --check
	$(PY) -m docs.plain_english
	$(MAKE) --no-print-directory lint-web

# The types again for the other Pythons that are supported. Each takes as long as the types in `lint`: a minute or more.
lint-pythons: install-dev
	$(PY) -m basedpyright --pythonversion 3.12
	$(PY) -m basedpyright --pythonversion 3.13

lint-web: $(NODE)
	$(NPM) run --silent check
	@was=$$(find web/dist -type f | sort | xargs sha256sum); $(MAKE) --no-print-directory web; \
	[ "$$was" = "$$(find web/dist -type f | sort | xargs sha256sum)" ] || \
	{ echo "web/dist was not as web/src builds it; now it is: commit it" >&2; exit 1; }
	$(NPM) run --silent sizes

format: install-dev
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

generate: install-dev
	$(PY) -m docs.generate

# `coverage` runs the tests of `test`.
check: lint coverage test-slow

lock: install-dev
	$(PY) -m pip install --quiet pip-tools==7.6.2
	$(COMPILE) --extra voice --extra phone -o requirements.lock pyproject.toml
	$(COMPILE) --extra dev --extra voice --extra phone -c requirements.lock -o requirements-dev.lock pyproject.toml
	# The same versions for the image: what it installs, and what builds the wheel.
	$(COMPILE) --extra postgres --extra s3 --extra phone -c requirements-dev.lock -o deploy/requirements.lock pyproject.toml
	$(COMPILE) --build-deps-for wheel --only-build-deps -c requirements-dev.lock -o deploy/build.lock pyproject.toml
