# `make demo` shows a session; `make test` checks everything. Both prepare the machine by themselves.

export PYTHON ?= python3

.PHONY: demo test ready host lock clean

demo: ready
	.venv/bin/workbench demo

test: ready
	scripts/test

ready: .venv/.ready

.venv/.ready: requirements.lock pyproject.toml | host
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	.venv/bin/python -m pip install -qq --require-hashes --requirement requirements.lock
	.venv/bin/python -m pip install -qq --no-deps --no-build-isolation --editable .
	touch $@

host:
	scripts/host-setup

lock:
	scripts/lock

clean:
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
