# A thin face over CMake's presets; `make help` says what there is.

FUZZ_SECONDS ?= 20
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Some tests wait for time to pass; another one can have their processor.
TEST_JOBS := $(shell expr $(JOBS) + 1)
PREFIX ?= /usr/local
BIN := build/release/bin
DEMO := build/demo

export JOBS

.PHONY: build demo test check check-deep bench fuzz format lint install deb static python clean help

# The library, the command, its man page and completions; no tests.
build:
	cmake --preset command
	cmake --build --preset command -j $(JOBS) --target tracedeck-generated

demo:
	scripts/install-deps.sh command
	cmake --preset command
	cmake --build --preset command -j $(JOBS) --target tracedeck-command record_pool
	@scripts/demo.sh $(BIN) $(DEMO) examples/record_pool.toml

test:
	scripts/install-deps.sh test
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	ctest --preset release --no-tests=error -j $(TEST_JOBS)

check:
	scripts/install-deps.sh check
	scripts/check.sh

check-deep:
	scripts/install-deps.sh fuzz
	scripts/check-deep.sh

bench:
	scripts/install-deps.sh test
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target tracedeck-benchmarks
	@for program in $(BIN)/*_bench; do echo "== $$program"; $$program || exit 1; done

fuzz:
	scripts/install-deps.sh fuzz
	scripts/fuzz.sh $(FUZZ_SECONDS)

format:
	git ls-files -co --exclude-standard -- '*.cpp' '*.hpp' | xargs clang-format-19 -i

lint:
	scripts/install-deps.sh lint
	scripts/lint.sh

install: build
	cmake --install build/release --prefix $(PREFIX)

deb:
	scripts/install-deps.sh packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target tracedeck-generated tracedeck-shared tracedeck-c
	rm -rf build/release/packages
	cd build/release && cpack && rm -rf packages/_CPack_Packages

static:
	scripts/install-deps.sh packages
	scripts/build-static.sh

python:
	scripts/install-deps.sh packages
	scripts/build-static.sh tracedeck-c-alone
	python3 scripts/make-wheel.py build/release/lib/alone/libtracedeck_c.so.1 build/release/packages

clean:
	rm -rf build

help:
	@echo 'make            build the library and the command (build/release)'
	@echo 'make demo       record a small workload and look at it'
	@echo 'make test       install what is missing, build, run all tests'
	@echo 'make check      format, quick checks, and the unit tests of what changed (build/dev); a minute'
	@echo 'make check-deep what takes hours: every command over every file under sanitizers, fuzzing'
	@echo 'make bench      run the benchmarks'
	@echo 'make fuzz       run every fuzz target for FUZZ_SECONDS ($(FUZZ_SECONDS))'
	@echo 'make format     format the sources'
	@echo 'make lint       formatting, floors, links, headers, clang-tidy'
	@echo 'make install    install below PREFIX ($(PREFIX))'
	@echo 'make deb        Debian packages of the command, the library and its headers (build/release/packages)'
	@echo 'make static     one executable that needs nothing else (build/release/bin/tracedeck-static)'
	@echo 'make python     a wheel for Python 3.9 and later that needs nothing else (build/release/packages)'
	@echo 'make clean      remove build/'
	@echo 'Sanitizers: cmake --preset asan (or tsan) && cmake --build --preset asan && ctest --preset asan'
