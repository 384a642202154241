# One command each; every target sets up what it needs on a fresh machine. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
DEV := .venv/dev
DEMO := .venv/demo
SMOKE := .venv/smoke
CONSTRAINTS := requirements/constraints.txt
# pytest-xdist workers; Spark tests share one worker and so one session, and a file of interop tests its Kafkas.
WORKERS ?= 2
CARGO_ENV := PYO3_PYTHON=$(abspath $(DEV)/bin/python)
RUST_SOURCES := $(shell find rust Cargo.toml Cargo.lock -name '*.rs' -o -name 'Cargo.*' -o -name '*.bin' 2>/dev/null)

.PHONY: help demo crash replay test test-rust test-python lint format wheel bench interop kafka-matrix spark-matrix loom crosscheck fuzz protocol smoke clean ext hostile soak

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

$(DEV)/.stamp: $(CONSTRAINTS) requirements/dev.txt
	@tools/check-toolchain python rust cc
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/python -m pip install --disable-pip-version-check -q -c $(CONSTRAINTS) -r requirements/dev.txt
	@touch $@

python/barnabas/_core.abi3.so: $(DEV)/.stamp $(RUST_SOURCES)
	@tools/check-toolchain rust cc
	VIRTUAL_ENV=$(abspath $(DEV)) $(CARGO_ENV) $(DEV)/bin/maturin develop --skip-install
	@touch $@

ext: python/barnabas/_core.abi3.so ## the extension module in the source tree, development profile

wheel: ## a release wheel in dist/
	@tools/check-toolchain python rust cc
	@test -x $(DEMO)/bin/maturin || { $(PYTHON) -m venv $(DEMO); $(DEMO)/bin/python -m pip install --disable-pip-version-check -q -c $(CONSTRAINTS) maturin; }
	rm -rf dist && $(DEMO)/bin/maturin build --release --locked --out dist

demo: ## the main job: real flights through broker, client and Spark. ARGS="--help" shows its options
	@tools/check-toolchain python rust cc java
	@$(MAKE) --no-print-directory wheel
	$(DEMO)/bin/python -m pip install --disable-pip-version-check -q -c $(CONSTRAINTS) -r requirements/demo.txt "$$(echo dist/*.whl)[spark]"
	$(DEMO)/bin/python -m pip install --disable-pip-version-check -q --no-deps --force-reinstall dist/*.whl
	$(DEMO)/bin/python examples/flights/main.py $(ARGS)

test: test-rust test-python ## all tests but those against the reference Kafka

test-rust: $(DEV)/.stamp
	$(CARGO_ENV) cargo test --locked --workspace --exclude barnabas-py

test-python: ext
	@tools/check-toolchain java
	PYTHONPATH=python $(DEV)/bin/python -m pytest -m "not interop" -n $(WORKERS) --dist loadgroup $(ARGS)

interop: ext ## a quick run against the reference Kafka and its tools, and foreign clients
	@tools/check-toolchain java maven
	PYTHONPATH=python $(DEV)/bin/python -m pytest -m interop -n $(WORKERS) --dist loadfile $(ARGS)
	@$(MAKE) --no-print-directory kafka-matrix MATRIX="kafka-2.8.2 barnabas-2.1" \
	  MATRIX_TESTS="tests/client/test_producer.py tests/client/test_consumer.py"
	@$(MAKE) --no-print-directory kafka-matrix MATRIX=kafka-4.3.0 MATRIX_TESTS="tests/spark/test_read.py tests/spark/test_stream.py"

# Releases of Kafka from Maven, the last with ZooKeeper; what our broker is when it serves no more than an older one; and a
# cluster of Kafka whose leaders are killed.
MATRIX ?= kafka-4.3.0 kafka-3.9.1 kafka-2.8.2 barnabas-2.1 barnabas-2.4 barnabas-3.0 barnabas-3.9 \
  cluster-4.3.0
MATRIX_TESTS ?= tests/client/test_producer.py tests/client/test_async_producer.py tests/client/test_send_table.py \
  tests/client/test_proxy.py tests/client/test_leader_change.py \
  tests/client/test_consumer.py tests/client/test_groups.py tests/client/test_async_consumer.py tests/client/test_deserializers.py \
  tests/client/test_consumer_changes.py tests/client/test_consumer_leader_change.py tests/client/test_wakeup.py \
  tests/client/test_closest_replica.py

kafka-matrix: ext ## the clients' tests against each release of MATRIX="kafka-3.9.1 barnabas-2.1 ..."
	@tools/check-toolchain java maven
	for server in $(MATRIX); do \
	  SERVERS=$$server PYTHONPATH=python $(DEV)/bin/python -m pytest -q -k $$server $(MATRIX_TESTS) $(ARGS) || exit 1; \
	done

# Older Sparks leave sockets of their own to the garbage collector, which is no error there.
SPARKS ?= 4.0.5 4.1.4

spark-matrix: ext ## what older Sparks have of the connector: SPARKS="4.0.5 4.1.4"
	@tools/check-toolchain java
	for spark in $(SPARKS); do \
	  test -d .venv/spark-$$spark || $(DEV)/bin/python -m pip install --disable-pip-version-check -q --no-deps \
	    --target .venv/spark-$$spark pyspark==$$spark || exit 1; \
	  PYTHONPATH=.venv/spark-$$spark:python $(DEV)/bin/python -m pytest -q tests/spark \
	    -W ignore::pytest.PytestUnraisableExceptionWarning $(ARGS) || exit 1; \
	done

loom: ## every interleaving of a few threads on the producer's buffer pool and completions
	@tools/check-toolchain rust cc
	cargo test --locked -p barnabas-client --features loom --lib models

crash: ext ## crashes by volume: SEEDS=n lives on simulated disks and n / 10 kill -9 of a broker under load; counts go to tests/results/
	SEEDS=$(or $(SEEDS),1000) REPORT=$(abspath tests/results/log-crash.json) cargo test --locked -p barnabas-log --lib -- crash
	SEEDS=$$(($(or $(SEEDS),1000) / 10)) REPORT=$(abspath tests/results/log-kill.json) PYTHONPATH=python \
	  $(DEV)/bin/python -m pytest --timeout=0 tests/crash/test_kill_under_load.py
	SEEDS=$$(($(or $(SEEDS),1000) / 10)) REPORT=$(abspath tests/results/administration-kill.json) PYTHONPATH=python \
	  $(DEV)/bin/python -m pytest --timeout=0 tests/crash/test_kill_during_administration.py

replay: ext ## kills of what runs a Spark query, SEEDS=300 of them, and what its target has then; counts go to tests/results/
	SEEDS=$(or $(SEEDS),300) REPORT=$(abspath tests/results/spark-replay.json) PYTHONPATH=python \
	  $(DEV)/bin/python -m pytest tests/spark/test_replay.py $(ARGS)

soak: ext ## mixed load of our clients and foreign ones with restarts, for MINUTES=30; counts go to tests/results/
	MINUTES=$(or $(MINUTES),30) RESULTS=$(abspath tests/results/soak.json) PYTHONPATH=python \
	  $(DEV)/bin/python -m pytest tests/soak

hostile: ext ## hostile peers of a broker, for MINUTES=10; counts go to tests/results/
	MINUTES=$(or $(MINUTES),10) RESULTS=$(abspath tests/results/hostile-network.json) PYTHONPATH=python \
	  $(DEV)/bin/python -m pytest --timeout=0 tests/broker/test_hostile_network.py

lint: ext ## formatting, lints, types, layering; warnings are errors
	cargo fmt --all --check
	$(CARGO_ENV) cargo clippy --locked --workspace --all-targets -- -D warnings
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/mypy
	$(DEV)/bin/basedpyright
	PYTHONPATH=python $(DEV)/bin/lint-imports
	$(DEV)/bin/python tools/check_layers.py

format: $(DEV)/.stamp ## formats Rust and Python in place
	cargo fmt --all
	$(DEV)/bin/ruff check --fix-only .
	$(DEV)/bin/ruff format .

protocol: $(DEV)/.stamp ## writes the tables of tools/protocol again: JARS=<libs of a Kafka distribution>, ARGS="--check" or "--vectors"
	@tools/check-toolchain rust java
	$(DEV)/bin/python tools/protocol/generate.py --jars $(JARS) $(ARGS)

crosscheck: ## record batches of ours and of the kafka-protocol crate, each read by the other. SEED=1 chooses others
	@tools/check-toolchain rust cc
	cargo run --quiet --locked -p barnabas-records --example differential write $${SEED:-1} 600 target/crosscheck.bin
	cargo run --quiet --locked --manifest-path rust/crosscheck/Cargo.toml target/crosscheck.bin

fuzz: ## every fuzz target for MINUTES= under libFuzzer; counts go to tests/results/. ARGS="json avro --keep 20" for some
	@tools/check-toolchain python rust cc
	$(PYTHON) tools/fuzz.py --minutes $(or $(MINUTES),1) $(ARGS)

bench: ## all benches; raw results in benches/results/
	@tools/check-toolchain python rust cc
	cargo bench --locked -p barnabas-records -p barnabas-log -p barnabas-columnar
	cargo run --release --locked --manifest-path benches/codecs/Cargo.toml
	@$(MAKE) --no-print-directory wheel $(DEV)/.stamp
	@test -d .venv/bench || $(PYTHON) -m venv .venv/bench
	.venv/bench/bin/python -m pip install --disable-pip-version-check -q -c $(CONSTRAINTS) -r requirements/bench.txt
	.venv/bench/bin/python -m pip install --disable-pip-version-check -q --no-deps --force-reinstall dist/*.whl
	.venv/bench/bin/python benches/python/run.py
	.venv/bench/bin/python benches/compare/codecs.py
	.venv/bench/bin/python benches/compare/run.py $(ARGS)
	.venv/bench/bin/python benches/compare/consumer.py

smoke: $(DEV)/.stamp ## a wheel without link-time optimisation in an empty environment: produce, consume, serve
	CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 $(DEV)/bin/maturin build --release --locked --out target/smoke
	rm -rf $(SMOKE) && $(PYTHON) -m venv $(SMOKE)
	$(SMOKE)/bin/python -m pip install --disable-pip-version-check -q --no-deps --force-reinstall target/smoke/*.whl
	cd / && $(abspath $(SMOKE))/bin/python $(abspath tools/wheel_smoke.py)

clean: ## removes what the targets made
	rm -rf .venv .cache dist target .pytest_cache .mypy_cache .ruff_cache .hypothesis python/barnabas/*.so
	find python tests tools examples benches -name __pycache__ -type d -prune -exec rm -rf {} +
