# SPDX-License-Identifier: GPL-2.0-or-later
#
# A thin front of meson and ninja: `make help`. Nothing here knows a source file.

PREFIX ?= /usr/local
DESTDIR ?=
# More options of meson setup, for folders that are not set up yet.
MESONFLAGS =

.DEFAULT_GOAL = build
.PHONY: help quickstart build check check-long bench tables install format clean \
	packages packages-check packages-bench builds

help:
	@echo 'make build       build/contend and build/contend-agent (the default)'
	@echo 'make quickstart  build, then compare two arms in under two minutes'
	@echo 'make check       every test: three builds, unit, golden and end-to-end tests, lints'
	@echo 'make check-long  the same with the long suites'
	@echo 'make bench       what the tool itself costs, and how often which rule is right;'
	@echo '                 WILL_IT_SCALE=DIR: also beside the programs of will-it-scale'
	@echo 'make tables      measures the tables of docs/measured.md, faults.md and swap.md anew, in 30 minutes'
	@echo 'make install     into DESTDIR= PREFIX=$(PREFIX)'
	@echo 'make format      lay out the sources with clang-format'
	@echo 'make clean       remove the build folders'
	@echo 'Missing Debian packages (packages/debian.txt) are installed when run as root.'

packages:
	@packages/install build

packages-check:
	@packages/install build check

packages-bench:
	@packages/install build bench

build/build.ninja: | packages
	CC=gcc meson setup build --werror $(MESONFLAGS)

# The second compiler.
build-clang/build.ninja: | packages-check
	CC=clang meson setup build-clang --werror $(MESONFLAGS)

# The unit tests run here too. A sanitized program has undefined symbols until it starts.
build-asan/build.ninja: | packages-check
	CC=clang meson setup build-asan --werror -Db_sanitize=address,undefined -Db_lundef=false \
		-Doptimization=1 $(MESONFLAGS)

build: packages build/build.ninja
	@ninja -C build

# An undecided comparison (3) and a regression (1) are answers too.
quickstart: build
	build/contend ab proc_maps --a file=smaps --b file=maps --budget 100s; \
	status=$$?; case $$status in 0|1|3) ;; *) exit $$status ;; esac

builds: packages-check build/build.ninja build-clang/build.ninja build-asan/build.ninja

# tests/run has ninja bring all three builds up to date.
check: builds
	@tests/run

check-long: builds
	@CONTEND_LONG=1 tests/run

bench: packages-bench build
	@tests/bench/run

# On a machine that does nothing else.
tables: build
	@tests/bench/tables docs/measured.md
	@tests/bench/tables --only faults docs/faults.md
	@[ "$$(id -u)" != 0 ] || tests/bench/tables --only swap docs/swap.md

install: build
	@meson configure build -Dprefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) meson install -C build

format: packages-check
	@tests/lint/format

clean:
	rm -rf build build-clang build-asan
