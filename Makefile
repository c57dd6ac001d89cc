# The ways in. Each target is one line of shell: the work is in scripts/ and in CMake.
.PHONY: help setup build demo test test-long test-races test-peers bench docs package format lint clean
.DEFAULT_GOAL := help

CTEST := ctest --test-dir build/release --output-on-failure
# Tests wait for the disk more than they compute.
TESTS_AT_A_TIME := $(shell expr 2 \* $$(nproc))

help:            ## what there is
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 20

setup:           ## install the packages that are missing
	@scripts/setup.sh

build: setup     ## the library and the bennu program, in build/release
	@scripts/build.sh release

demo: setup     ## build the program alone, load real data and ask it questions, to watch
	@scripts/demo.sh

test: build      ## every test that is quick and needs nothing else
	@$(CTEST) -LE '^(peers|long)$$' -j$(TESTS_AT_A_TIME)

test-long: build ## the tests that take their time, and all quick ones under ASan and UBSan
	@$(CTEST) -L '^long$$'
	@scripts/setup.sh --lint
	@scripts/sanitize.sh all

test-races: setup ## the tests with several threads, built to find data races
	@scripts/test_races.sh

test-peers: build ## the tests against real HBase and Phoenix; wants a JDK and Maven
	@scripts/setup.sh --peers
	@$(CTEST) -V -L '^peers$$' -j$$(nproc)

bench: build     ## the benchmarks; the table also goes to build/bench/results.json
	@scripts/bench.sh

docs:            ## pages of the library's headers, in build/docs/html
	@scripts/setup.sh --docs
	@scripts/docs.sh

package: setup   ## Debian packages of the program and the library, in build/packages
	@scripts/build.sh release bennu bennu_archive
	@cpack --config build/release/CPackConfig.cmake -B build/packages

format:          ## bring the sources into shape
	@scripts/format.sh

lint: setup      ## formatting, clang-tidy, thread-safety analysis, include directions
	@scripts/setup.sh --lint
	@scripts/lint.sh

clean:           ## remove what was built
	@rm -rf build
