# SPDX-License-Identifier: Apache-2.0
#
# Non-recursive. Every module is a folder under src/; a new .c file in one is
# picked up by itself, and a module whose folder is empty does not break the
# build. The products:
#   build/burl           the host: everything but LLVM and the runtime
#   build/burl-cc, burl-c++  `burl cc` and `burl c++` under one word
#   build/burl-instr     the instrumenter: LLVM-C
#   build/burl-analyze   the static analysis of whole programs: LLVM-C
#   build/burl-api       the declarations of a header: libclang
#   build/libburl_rt.so  the runtime, inside the tested program, with its own flags
# `make help` lists the targets.

CC ?= gcc
ifeq ($(origin CC),default)
CC = gcc
endif
B ?= build
PREFIX ?= /usr/local
DESTDIR ?=
LLVM_CONFIG ?= llvm-config-19
CLANG_FORMAT ?= clang-format-19
OPT ?= -O2

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WERROR)
# SAN is set by `make asan`.
ASAN = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
HOST_CFLAGS = -std=c11 -D_GNU_SOURCE $(OPT) -g $(WARN) -Isrc $(SAN) $(CFLAGS)
# The runtime runs inside the tested program's process: see src/rt/core/rt.h, rules R1-R9. The compiler
# may not turn loops into calls of memcpy and memset, which are not ours to call. Exceptions and
# cancellation of the program travel through our frames, hence -fexceptions. Small variables of all
# files are put together, apart from the tables, which have a larger alignment: every page that an
# execution writes to is one that a forked child has to fault in.
RT_CFLAGS = -std=c11 -D_GNU_SOURCE -O2 -g $(WARN) -Isrc -fPIC -fvisibility=hidden \
	-fno-stack-protector -ftls-model=initial-exec -fexceptions \
	-fasynchronous-unwind-tables -fdata-sections \
	$(call cc_option,-fno-tree-loop-distribute-patterns) $(RT_EXTRA)
RT_LDFLAGS = -shared -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs -Wl,-soname,libburl_rt.so \
	-Wl,--sort-section=alignment
RT_LIBS = -lgcc_s -ldl -lpthread

comma = ,

# A flag only one of the two compilers knows.
cc_option = $(shell $(CC) -Werror $(1) -c -x c /dev/null -o /dev/null 2>/dev/null && echo $(1))

# Modules of build/burl, in link order. A folder that is empty or absent adds nothing.
HOST_MODULES = cli cover gen synth regress tune suite analyzer cc engine report finding store base
src_of = $(sort $(filter-out src/gen/exec/driver/%,$(wildcard src/$(1)/*.c src/$(1)/*/*.c)))
obj_of = $(patsubst src/%.c,$(B)/obj/%.o,$(1))

BURL_SRC = $(foreach m,$(HOST_MODULES),$(call src_of,$(m)))
LIB_SRC = $(filter-out src/cli/main.c,$(BURL_SRC))
IR_SRC = $(call src_of,ir)
INSTR_SRC = $(call src_of,instr)
ANALYZE_SRC = $(call src_of,analysis)
API_SRC = $(call src_of,api)
BASE_SRC = $(call src_of,base)
RT_SRC = $(sort $(wildcard src/rt/*.c src/rt/*/*.c))
RT_ASM = $(sort $(wildcard src/rt/*.S src/rt/*/*.S))
RT_DEFS = $(wildcard src/wire/*.def src/wire/*/*.def)
UNIT_SRC = $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC = $(sort $(wildcard tests/fuzz/fuzz_*.c))

BURL_OBJ = $(call obj_of,$(BURL_SRC))
LIB_OBJ = $(call obj_of,$(LIB_SRC))
INSTR_OBJ = $(call obj_of,$(INSTR_SRC) $(IR_SRC) $(BASE_SRC))
ANALYZE_OBJ = $(call obj_of,$(ANALYZE_SRC) $(IR_SRC) $(BASE_SRC))
API_OBJ = $(call obj_of,$(API_SRC)) $(call obj_of,$(BASE_SRC))
RT_OBJ = $(patsubst src/%.c,$(B)/obj/%.o,$(RT_SRC)) $(patsubst src/%.S,$(B)/obj/%.S.o,$(RT_ASM))
UNIT_BIN = $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC))
FUZZ_BIN = $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRC))
SUPPORT_BIN = $(patsubst %,$(B)/support/%,await cover_page chrome_drive facts faults history terminal)

PRODUCTS = $(B)/burl $(B)/burl-cc $(B)/burl-c++ $(B)/include/burl/burl.h $(B)/burl_hot.o $(B)/burl_driver.o $(if $(call src_of,instr),$(B)/burl-instr) \
	$(if $(wildcard src/analysis/main.c),$(B)/burl-analyze) \
	$(if $(wildcard src/api/main.c),$(B)/burl-api) $(if $(RT_SRC),$(B)/libburl_rt.so)
PRODUCTS += $(B)/share/made
# The demangler of the C++ run-time library. Its archive has it in one object that needs only libc;
# loading the whole shared library would cost start-up time in every command.
DEMANGLER := $(if $(filter /%,$(shell $(CC) -print-file-name=libsupc++.a)),-lsupc++,-lstdc++)
HOST_LIBS = -lsqlite3 -lpthread -ldl -lm $(DEMANGLER)

all: $(PRODUCTS) ## build burl, burl-cc, burl-c++, burl-instr, burl-analyze, burl-api and libburl_rt.so (the default)

# Moved into place whole: a test may be running the old one.
$(B)/burl: $(BURL_OBJ)
	$(CC) $(SAN) $(LDFLAGS) $(BURL_OBJ) $(HOST_LIBS) -o $@.tmp
	mv $@.tmp $@

# New with every change of what they run: ccache takes their time stamp for the version of the compiler.
$(B)/burl-cc $(B)/burl-c++: $(B)/burl-%: src/alias/main.c $(B)/flags.host $(B)/burl $(B)/burl-instr
	$(CC) $(HOST_CFLAGS) -DBURL_ALIAS='"$*"' $(LDFLAGS) $< -o $@.tmp
	mv $@.tmp $@

# Only the instrumenter and the analysis see LLVM: the host starts in a millisecond. They are linked
# statically where the archives are there, because loading libLLVM costs more than instrumenting a
# small file (20 ms of CPU against 5), once for every file of a build.
LLVM_PARTS = core bitreader bitwriter irreader linker passes transformutils analysis target
LLVM_STATIC = -Wl,--gc-sections -Wl,--as-needed \
	-Wl,--start-group $$($(LLVM_CONFIG) --link-static --ldflags --libs $(LLVM_PARTS)) -Wl,--end-group \
	-lstdc++ -l:libz.so.1 -l:libzstd.so.1 -lrt
LLVM_SHARED = $$($(LLVM_CONFIG) --ldflags --libs)

$(B)/burl-instr: $(INSTR_OBJ)
	$(if $(SAN),false,$(CC) $(LDFLAGS) $(INSTR_OBJ) $(LLVM_STATIC) $(HOST_LIBS) -o $@ 2>$@.log) || \
		$(CC) $(SAN) $(LDFLAGS) $(INSTR_OBJ) $(LLVM_SHARED) $(HOST_LIBS) -o $@

$(B)/burl-analyze: $(ANALYZE_OBJ)
	$(if $(SAN),false,$(CC) $(LDFLAGS) $(ANALYZE_OBJ) $(LLVM_STATIC) $(HOST_LIBS) -o $@ 2>$@.log) || \
		$(CC) $(SAN) $(LDFLAGS) $(ANALYZE_OBJ) $(LLVM_SHARED) $(HOST_LIBS) -o $@

# libclang is loaded once per `burl gen`, so that the shared one does; its archive is not packaged.
$(B)/burl-api: $(API_OBJ)
	$(CC) $(SAN) $(LDFLAGS) $(API_OBJ) -L$$($(LLVM_CONFIG) --libdir) -lclang-19 $(HOST_LIBS) -o $@

$(B)/obj/ir/%.o $(B)/obj/instr/%.o $(B)/obj/analysis/%.o $(B)/obj/api/%.o: HOST_CFLAGS += $(LLVM_INC)
LLVM_INC = -isystem $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)

# The version script only limits what is exported: a version of its own would keep our functions
# from standing in for libc's.
$(B)/rt.map: $(RT_DEFS) scripts/gen-rt-map.sh
	@mkdir -p $(B)
	sh scripts/gen-rt-map.sh $(CC) >$@.tmp
	mv $@.tmp $@

# Where `burl cc` of a build tree finds it.
$(B)/include/burl/burl.h: include/burl/burl.h
	@mkdir -p $(@D)
	cp $< $@

$(B)/libburl_rt.so: $(RT_OBJ) $(B)/rt.map
	$(CC) $(RT_LDFLAGS) -Wl,--version-script=$(B)/rt.map $(RT_OBJ) $(RT_LIBS) -o $@.tmp
	mv $@.tmp $@

# The hottest hooks, linked into every program: see the head of hooks/hot.c. Each begins a line of the
# cache, and so does what its first branch leads to: a seventh of a hook's time.
HOT_CFLAGS = -g0 -DBURL_HOT_OBJECT $(call cc_option,-falign-functions=64) \
	$(call cc_option,-falign-jumps=64)

$(B)/burl_hot.o: src/rt/hooks/hot.c $(B)/flags.rt
	@mkdir -p $(@D)
	$(CC) $(RT_CFLAGS_NOW) $(HOT_CFLAGS) -MMD -MP -c $< -o $@

# The fixed part of every driver of `burl gen`, which otherwise is half of what a short one costs. As
# `burl gen` compiles it where a user's flags matter (exec_build.c).
$(B)/burl_driver.o: src/gen/exec/driver/burl_driver.c src/wire/mail.h $(B)/flags.rt
	@mkdir -p $(B)/inc
	cp src/wire/mail.h $(B)/inc/burl_mail.h
	$(CC) $(WARN) -I$(B)/inc -O1 -g -fPIE -fno-strict-aliasing -ffile-prefix-map=$(CURDIR)=. \
		-MMD -MP -c $< -o $@

# The flags are a prerequisite: changing them rebuilds, changing nothing does not.
$(B)/obj/rt/%.o: src/rt/%.c $(B)/flags.rt
	@mkdir -p $(@D)
	$(CC) $(RT_CFLAGS_NOW) -MMD -MP -c $< -o $@

$(B)/obj/rt/%.S.o: src/rt/%.S $(B)/flags.rt
	@mkdir -p $(@D)
	$(CC) $(RT_CFLAGS_NOW) -MMD -MP -c $< -o $@

$(B)/obj/%.o: src/%.c $(B)/flags.host
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -MMD -MP -c $< -o $@

# Scripts and style sheet of the coverage page, inside burl as strings.
COVER_ASSETS = $(sort $(wildcard src/report/cover/html/*.css src/report/cover/html/*.js))

$(B)/inc/cover_assets.inc: $(COVER_ASSETS) scripts/gen-strings.sh
	@mkdir -p $(@D)
	sh scripts/gen-strings.sh $(COVER_ASSETS) >$@.tmp
	mv $@.tmp $@

$(B)/obj/report/cover/cover_assets.o: $(B)/inc/cover_assets.inc
$(B)/obj/report/cover/cover_assets.o: HOST_CFLAGS += -I$(B)/inc

# The commands of `burl replay --gdb`, inside burl as strings.
GDB_COMMANDS = src/cli/gdb/commands.gdb src/cli/gdb/commands.py

$(B)/inc/gdb_commands.inc: $(GDB_COMMANDS) scripts/gen-strings.sh
	@mkdir -p $(@D)
	sh scripts/gen-strings.sh $(GDB_COMMANDS) >$@.tmp
	mv $@.tmp $@

$(B)/obj/cli/replay_gdb.o: $(B)/inc/gdb_commands.inc
$(B)/obj/cli/replay_gdb.o: HOST_CFLAGS += -I$(B)/inc

# What the HTML pages share, and the page of `burl report`.
HTML_ASSETS = $(sort $(wildcard src/report/html/assets/*.css src/report/html/assets/*.js))

$(B)/inc/html_assets.inc: $(HTML_ASSETS) scripts/gen-strings.sh
	@mkdir -p $(@D)
	sh scripts/gen-strings.sh $(HTML_ASSETS) >$@.tmp
	mv $@.tmp $@

$(B)/obj/report/html/assets.o: $(B)/inc/html_assets.inc
$(B)/obj/report/html/assets.o: HOST_CFLAGS += -I$(B)/inc

# The fixed part of the driver of `burl gen`, inside burl as strings.
GEN_DRIVER = $(sort $(wildcard src/gen/exec/driver/*.[ch])) src/wire/mail.h src/wire/record.h

$(B)/inc/gen_driver.inc: $(GEN_DRIVER) scripts/gen-strings.sh
	@mkdir -p $(@D)
	sh scripts/gen-strings.sh $(GEN_DRIVER) >$@.tmp
	mv $@.tmp $@

$(B)/obj/gen/exec/driver_text.o: $(B)/inc/gen_driver.inc
$(B)/obj/gen/exec/driver_text.o: HOST_CFLAGS += -I$(B)/inc

# How shells complete the command line, inside burl as strings.
COMPLETION = $(sort $(wildcard src/cli/completion/burl.*))

$(B)/inc/completion.inc: $(COMPLETION) scripts/gen-strings.sh
	@mkdir -p $(@D)
	sh scripts/gen-strings.sh $(COMPLETION) >$@.tmp
	mv $@.tmp $@

$(B)/obj/cli/completion.o: $(B)/inc/completion.inc
$(B)/obj/cli/completion.o: HOST_CFLAGS += -I$(B)/inc

# Man pages, completion, and what CMake and pkg-config read.
VERSION := $(shell sed -n 's/^.define BURL_VERSION "\(.*\)"/\1/p' src/base/version.h)

$(B)/share/made: $(B)/burl scripts/gen-share.sh $(wildcard packaging/cmake/* packaging/pkgconfig/*)
	sh scripts/gen-share.sh $(B) $(VERSION)

# Expanded once: $(call cc_option) runs the compiler.
RT_CFLAGS_NOW := $(RT_CFLAGS)

$(B)/flags.host: FORCE
	@command -v $(firstword $(CC)) >/dev/null && command -v $(LLVM_CONFIG) >/dev/null || \
		{ echo "make: $(CC) or $(LLVM_CONFIG) is missing; 'make setup' installs what burl needs" >&2; \
		exit 1; }
	@mkdir -p $(B)
	@echo '$(CC) $(HOST_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(HOST_CFLAGS)' >$@
$(B)/flags.rt: FORCE
	@mkdir -p $(B)
	@echo '$(CC) $(RT_CFLAGS_NOW)' | cmp -s - $@ || echo '$(CC) $(RT_CFLAGS_NOW)' >$@

# Unit tests and fuzzers link the whole host as one archive.
$(B)/libburl_host.a: $(LIB_OBJ)
	rm -f $@
	ar rcs $@ $(LIB_OBJ)

$(B)/unit/%: tests/unit/%.c $(B)/libburl_host.a $(wildcard tests/unit/*.h)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -Itests/unit -MMD -MP $< $(LDFLAGS) $(B)/libburl_host.a -lcmocka \
		$(HOST_LIBS) -o $@

# The observers as they are in the runtime; what reaches into the process is in observer_rig.h.
OBSERVER_OBJ = $(addprefix $(B)/obj/rt/,clock/vc.o clock/chains.o core/alias.o core/event.o core/offset.o) $(patsubst src/%.c,$(B)/obj/%.o,\
	$(filter-out %/suspects.c %/callsite.c,$(wildcard src/rt/detect/*.c src/rt/cover/*.c)))

$(B)/unit/test_observers_%: tests/unit/test_observers_%.c $(OBSERVER_OBJ) $(B)/libburl_host.a \
		$(wildcard tests/unit/*.h)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -Itests/unit -MMD -MP $< $(OBSERVER_OBJ) $(LDFLAGS) $(B)/libburl_host.a \
		-lcmocka $(HOST_LIBS) -o $@

$(B)/fuzz/%: tests/fuzz/%.c $(B)/libburl_host.a $(wildcard tests/fuzz/*.h)
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -Itests/fuzz -MMD -MP $< $(LDFLAGS) $(B)/libburl_host.a $(HOST_LIBS) -o $@

# What scripts of the tests use besides burl.
$(B)/support/%: tests/support/%.c $(B)/libburl_host.a tests/unit/cover_sample.h
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -Itests/unit -MMD -MP $< $(LDFLAGS) $(B)/libburl_host.a $(HOST_LIBS) -o $@

# The differential test of proofs: tests/proofs/README.md. Of the host it uses the random numbers.
PROOFS_SRC = $(sort $(wildcard tests/proofs/*.c))

$(B)/proofs: $(PROOFS_SRC) $(wildcard tests/proofs/*.h) $(B)/libburl_host.a
	$(CC) $(HOST_CFLAGS) -Itests/proofs $(PROOFS_SRC) $(LDFLAGS) $(B)/libburl_host.a $(HOST_LIBS) -o $@

tests-build: all $(UNIT_BIN) $(FUZZ_BIN) $(SUPPORT_BIN) $(B)/location-pairs $(B)/proofs

setup: ## install what is missing from Debian's packages
	@sh scripts/setup.sh

# A second make, because what set-up installs decides which flags the first would have found. It
# uses every core unless the caller said how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

demo: setup ## set up, build, hunt in the examples, show a finding and replay it
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@sh scripts/demo.sh $(B)

check: setup ## set up, build, run all tests
	@$(MAKE) --no-print-directory $(PARALLEL) tests-build
	@tests/run --build=$(B)

check-quick: tests-build ## the tests that tell most (tests/quick.txt), in two minutes
	@tests/run --build=$(B) --quick

unit: tests-build ## the unit tests only
	@tests/run --build=$(B) unit

lint: all ## all checks of style and consistency
	@sh scripts/lint.sh $(B)

format: ## rewrite the sources in the house style
	$(CLANG_FORMAT) -i $(FORMAT_SRC)

format-check: ## say which sources are not in the house style
	@sh scripts/check-format.sh

FORMAT_SRC = $(sort $(wildcard src/*/*.c src/*/*/*.c tests/unit/*.c tests/fuzz/*.c))

# The runtime is not sanitized: it must stay free of libc, and the tested programs are not ours.
asan: ## host code under ASan and UBSan: unit, fault, fuzz and e2e tests
	$(MAKE) --no-print-directory B=build-asan OPT="-O1" \
		SAN="$(ASAN)" \
		tests-build
	BURL_TEST_SLOW=$${BURL_TEST_SLOW:-2} tests/run --build=build-asan unit fault fuzz e2e

compare-tsan: setup ## burl and clang's ThreadSanitizer on every program of the suite
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/compare-tsan.sh $(B)

bench: all ## executions per second, cost per switch (not a test)
	@sh scripts/bench.sh $(B)

bench-overhead: setup ## what watching costs, next to ThreadSanitizer (not a test)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/bench-overhead.sh --build=$(B)

bench-regress: setup ## what recording histories costs (not a test)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/bench-regress.sh --build=$(B) --dir=$(B)/bench-regress --page=bench/regress/README.md

bench-search: setup ## schedules until the bug, beside published figures (not a test; hours)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/bench-search.sh --build=$(B) --dir=$(B)/bench-search

bench-static: setup ## what the static analysis costs on growing programs (not a test)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/bench-static.sh --build=$(B)

# The driver of the experiments: the host code, and its own few files.
LP_SRC = $(wildcard bench/location-pairs/*.c)

$(B)/location-pairs: $(LP_SRC) bench/location-pairs/driver.h $(B)/libburl_host.a
	$(CC) $(HOST_CFLAGS) $(LP_SRC) $(LDFLAGS) $(B)/libburl_host.a $(HOST_LIBS) -o $@

repro-location-pairs: setup ## the experiments of the Location Pairs paper (not a test)
	@$(MAKE) --no-print-directory $(PARALLEL) all $(B)/location-pairs
	@scripts/repro-location-pairs.sh --build=$(B) --dir=$(B)/repro-location-pairs --page=bench/location-pairs/README.md

repro-covcon: setup ## the experiment of the CovCon paper (not a test; two hours)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/repro-covcon.sh --build=$(B) --dir=$(B)/repro-covcon --page=bench/covcon/README.md

repro-intruder: setup ## the experiment of the Intruder paper (not a test; five minutes)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/repro-intruder.sh --build=$(B) --dir=$(B)/repro-intruder --page=bench/intruder/README.md

# What these experiments need besides.
repro-synth-libraries: setup-libraries
gen-libraries: setup-libraries
setup-libraries: setup
	@sh scripts/setup.sh pkg-config libglib2.0-dev liburcu-dev libck-dev

repro-synth-libraries: setup ## burl synth on public libraries (not a test; ten minutes)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/repro-synth-libraries.sh --build=$(B) --dir=$(B)/repro-synth-libraries --page=bench/synth-libraries/README.md

regress-real: setup ## burl regress on c-blosc with its own CTest suite and a removed lock (not a test)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/regress-real.sh --build=$(B) --dir=$(B)/regress-real

repro-simrt: setup ## the experiment of the SimRT paper (not a test; 15 minutes)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/repro-simrt.sh --build=$(B) --dir=$(B)/repro-simrt --page=bench/simrt/README.md

repro-noise: setup ## the experiment of the genetic noise paper, scaled down (not a test; an hour)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/repro-noise.sh --build=$(B) --dir=$(B)/repro-noise --page=bench/noise/README.md

noise-real: setup ## compressors and memcached under noise: nothing may change (not a test; ten minutes)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/noise-real.sh --build=$(B) --dir=$(B)/noise-real

real-programs: setup ## twenty programs of Debian's archive with burl-cc, their own tests, what is found (not a test; an hour)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/real-programs.sh --build=$(B) --dir=$(B)/real-programs --page=bench/real/README.md

gen-libraries: setup ## burl gen on public libraries, for and against their rules (not a test)
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@scripts/gen-libraries.sh --build=$(B) --dir=$(B)/gen-libraries --page=bench/libraries/README.md

check-target: all ## the static target holds every pair that any program of the suite covers
	@scripts/target-sound.sh --build=$(B)

soak: tests-build ## long runs: every seed the same campaign twice (not part of check)
	@tests/run --build=$(B) --soak

SEEDS ?= 1..10000
JOBS ?= $(shell nproc)

soak-regress: all ## random programs and edits: does `burl regress select` miss a race?; SEEDS=1..100
	@scripts/soak-regress.sh --build=$(B) --seeds=$(if $(filter-out 1..10000,$(SEEDS)),$(SEEDS),1..100)

soak-noise: all ## correct programs under every kind of noise: is anything found? (make soak has it too)
	@scripts/soak-noise.sh --build=$(B) --dir=$(B)/soak-noise

soak-scribble: ## a program that overwrites the control block at random, under ASan and UBSan; RUNS=1000
	@$(MAKE) --no-print-directory B=build-asan OPT="-O1" SAN="$(ASAN)" all
	@scripts/soak-scribble.sh --burl=build-asan/burl --runs=$(or $(RUNS),1000)

soak-proofs: all $(B)/proofs ## burl's proofs of random programs against an explorer; SEEDS=1..10000
	@rm -rf $(B)/soak-proofs
	@$(B)/proofs --burl=$(B)/burl --dir=$(B)/soak-proofs --seeds=$(SEEDS) --jobs=$(JOBS) --shrink

docs: $(B)/burl ## rewrite the generated reference pages
	@mkdir -p docs/reference
	$(B)/burl help --markdown >docs/reference/options.md

docs-outputs: all ## rewrite what README, tutorials, how-tos and examples show, with what burl prints now
	@scripts/docs-outputs.sh --update --build=$(B)

install: all ## install below PREFIX (default /usr/local); DESTDIR is honored
	@sh scripts/install.sh $(B) $(PREFIX) $(DESTDIR)

uninstall: ## remove what install put there
	@sh scripts/install.sh --uninstall $(B) $(PREFIX) $(DESTDIR)

install-check: all ## install into a temporary prefix and use it from elsewhere
	@sh scripts/install-check.sh $(B)

dist: ## an archive of the sources in build/, burl-VERSION.tar.xz, the same bytes each time
	@sh scripts/make-dist.sh $(B)

dist-check: dist ## build and install-check from the unpacked archive, without git (minutes)
	@sh scripts/dist-check.sh $(B)/burl-$(VERSION).tar.xz

deb: all ## a Debian package in build/, burl_VERSION-1_ARCH.deb
	@sh scripts/make-deb.sh $(B) $(B)

deb-check: deb ## install the package below a temporary root, use it, remove it; lintian
	@sh scripts/setup.sh fakeroot lintian
	@sh scripts/deb-check.sh $(B)/burl_$(VERSION)-1_$$(dpkg --print-architecture).deb

clean: ## remove everything that was built
	rm -rf build build-asan build-clang

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

FORCE:
.PHONY: docs-outputs all tests-build setup demo check check-quick unit lint format format-check asan compare-tsan bench bench-overhead bench-regress bench-search bench-static repro-location-pairs repro-covcon repro-intruder repro-synth-libraries setup-libraries repro-simrt repro-noise noise-real regress-real real-programs gen-libraries check-target soak soak-noise soak-regress soak-scribble soak-proofs \
	docs install uninstall install-check dist dist-check deb deb-check clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:

-include $(shell find $(B) -name '*.d' 2>/dev/null)
