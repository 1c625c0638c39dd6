# Thin: each target is what one would type. `make help` lists them.
.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help setup demo test bench fuzz coverage format lint clean

help:  ## This list
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST)

setup:  ## Install what building and testing need (root or sudo, apt-get)
	@tools/setup build

demo: setup  ## The demonstration: omission, correction, stale reader, two engines, evidence
	@mkdir -p build
	@cmake --preset release >build/release.log 2>&1 || { cat build/release.log; exit 1; }
	@cmake --build --preset release --target highwater
	@build/release/highwater demo --dir build/demo

test: setup  ## Build everything, every header alone, run every test
	cmake --preset dev
	cmake --build --preset dev
	cmake --build --preset headers
	ctest --preset dev -j $$(nproc)

bench: setup  ## Measure; prints each figure beside its bar, writes build/bench.json
	cmake --preset release
	cmake --build --preset release --target highwater_benchmarks
	@tools/bench

fuzz:  ## libFuzzer on every decoder and parser, FUZZ_SECONDS (60) each
	@tools/setup
	@tools/fuzz $(FUZZ_SECONDS)

coverage:  ## Which lines the tests reach: build/coverage/index.html
	@tools/setup
	cmake --workflow --preset coverage
	gcovr --root . --filter src/ --filter include/ --exclude '.*_test\.cc' --exclude src/testkit/ \
		--print-summary --html-details build/coverage/index.html build/coverage

format:  ## Format our C++ in place
	@tools/setup
	@tools/format

lint:  ## clang's warnings, thread-safety analysis and clang-tidy
	@tools/setup
	@tools/lint

clean:  ## Remove every build; fetched libraries stay in .deps
	rm -rf build
