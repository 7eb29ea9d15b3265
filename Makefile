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
	$(DEMO)/bin/pip install --quiet --disable-pip-version-check --no-compile '.[ocr,report]' || $(DEMO)/bin/pip install --quiet --disable-pip-version-check --no-compile .
	touch $@

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check $(TORCH) wheel hatchling
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e '.[ocr,judge,hub,study,report,ray,remote,docs,dev$(if $(TORCH),$(comma)neural$(comma)tuning)]'
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

# Known vulnerabilities of what is installed, and its bill of materials. What the online service does not know, or cannot be
# asked about, is never called sound: then `make audit` fails and says so.
SUPPLY := .venv-supply

$(SUPPLY)/.installed:
	$(PYTHON) -m venv $(SUPPLY)
	$(SUPPLY)/bin/pip install --quiet --disable-pip-version-check pip-audit==2.10.1 cyclonedx-bom==7.5.0
	touch $@

audit: $(VENV)/.installed $(SUPPLY)/.installed
	$(VENV)/bin/pip freeze --exclude-editable > $(SUPPLY)/packages.txt
	$(SUPPLY)/bin/pip-audit --strict --no-deps --disable-pip --progress-spinner off -r $(SUPPLY)/packages.txt

sbom: $(VENV)/.installed $(SUPPLY)/.installed
	$(SUPPLY)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o sbom.json $(VENV)/bin/python

# The documentation as a site, in site/, with the screenshots that a headless Chromium takes where there is one.
site: $(VENV)/.installed
	$(VENV)/bin/python tools/screenshots.py build/screenshots || echo "no screenshots: no headless Chromium"
	$(VENV)/bin/python docs/make_reference.py
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --quiet --strict

bench: $(VENV)/.installed
	for script in perf/bench_*.py; do echo "== $$script"; $(VENV)/bin/python $$script || exit 1; done

clean:
	rm -rf $(VENV) $(DEMO) $(SUPPLY) sbom.json demo-run site build dist .pytest_cache .mypy_cache .ruff_cache
