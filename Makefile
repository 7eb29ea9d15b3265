# Two commands on a fresh machine with Python 3.11 or later and pip: `make demo` and `make test`.
PYTHON ?= python3
# What `make test` installs before the rest; `make test TORCH=` goes without, and skips the tests that need it.
TORCH ?= torch==2.13.0
DEMO := .venv-demo
VENV := .venv

.PHONY: demo test check bench fuzz audit sbom site clean

demo: $(DEMO)/.installed
	$(DEMO)/bin/editgauge demo --run demo-run

$(DEMO)/.installed: pyproject.toml
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/pip install --quiet --disable-pip-version-check '.[ocr,report]' || $(DEMO)/bin/pip install --quiet --disable-pip-version-check .
	touch $@

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check $(TORCH) wheel hatchling
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e '.[ocr,api,judge,hub,study,report,ray,remote,docs,dev$(if $(TORCH),$(comma)neural$(comma)tuning)]'
	touch $@
comma := ,

# Tests start hundreds of interpreters: each would compile again what it imports.
unexport PYTHONDONTWRITEBYTECODE

test: $(VENV)/.installed
	$(VENV)/bin/ruff check src tests perf tools
	$(VENV)/bin/ruff format --check --quiet src tests tools
	$(VENV)/bin/mypy
	$(VENV)/bin/python -m pytest -n 2 --dist loadfile $(PYTEST)
	@echo "passed: lint, types and tests; what they cover: tests/ mirrors src/editgauge/"

check: test

# Hours of what `make test` does for a minute: FUZZ examples a target (a thousand take some minutes).
FUZZ ?= 100000
fuzz: $(VENV)/.installed
	FUZZ_EXAMPLES=$(FUZZ) $(VENV)/bin/python -m pytest -n 2 tests/fuzz $(PYTEST)

# Known vulnerabilities of what is installed. Asks an online service: without a network it says so and passes.
audit: $(VENV)/.installed
	@$(VENV)/bin/python tools/audit.py

sbom: $(VENV)/.installed
	$(VENV)/bin/python tools/sbom.py

# The documentation as a site, in site/, with the screenshots that a headless Chromium takes where there is one.
site: $(VENV)/.installed
	$(VENV)/bin/python tools/screenshots.py build/screenshots || echo "no screenshots: no headless Chromium"
	$(VENV)/bin/python docs/make_reference.py
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --quiet --strict

bench: $(VENV)/.installed
	for script in perf/bench_*.py; do echo "== $$script"; $(VENV)/bin/python $$script || exit 1; done

clean:
	rm -rf $(VENV) $(DEMO) demo-run site build dist .pytest_cache .mypy_cache .ruff_cache
