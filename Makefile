# SPDX-License-Identifier: GPL-2.0-only
# The whole build of rxaqm. `make help` lists the targets, V=1 shows the commands.
# Everything made lands in build/. Sources are found by directory: a new file needs
# no line here.

PREFIX ?= /usr/local
DESTDIR ?=
SHARE = $(DESTDIR)$(PREFIX)/share
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR = $(DESTDIR)$(PREFIX)/include/rxaqm
XSK_HEADERS := control/xsk/rxaqm-xsk.h xdp/shared/xsk.h xdp/shared/types.h
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/system
INSTALLED_UNITS := rxaqm.service rxaqm-exporter.service rxaqm-exporter.socket rxaqm-doctor.service \
	rxaqm-doctor.timer
BASH_COMPLETION = $(SHARE)/bash-completion/completions/rxaqm
ZSH_DIR = $(SHARE)/zsh/site-functions
ZSH_COMPLETION = $(ZSH_DIR)/_rxaqm
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d/rxaqm.fish
COMPLETIONS = $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
# What is installed with the prefix in the place of /usr.
AT_PREFIX = sed 's@/usr/\(sbin/rxaqm\|share/doc/\|share/rxaqm/\)@$(PREFIX)/\1@g'
# The documents that manuals and alerts point to, and those that these do, by their packages.
DOCUMENTED := rxaqm rxaqm-doctor rxaqm-qualify
DOCUMENTS := $(addprefix rxaqm:,README.md SECURITY.md $(addprefix docs/,overview.md \
	af_xdp.md design.md fleet.md law.md measurements.md platforms.md rxaqm.schema.json \
	trial.schema.json tso-bonus.md demo.svg evaluation-delay.svg evaluation-time.svg experiment.svg)) \
	$(addprefix rxaqm-doctor:docs/,doctor.md doctor.schema.json) \
	$(addprefix rxaqm-qualify:docs/,qualify.md qualify.schema.json)
BUILD := build
VERSION := $(shell cat VERSION)
# Of a checkout, or, in what "git archive" made, what it wrote there.
COMMIT := $(shell git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || \
	grep -v Format packaging/commit)

CC := gcc
CXX := g++
PKG_CONFIG ?= pkg-config
# The newest, where several are installed as clang-NN.
CLANG ?= $(lastword clang $(notdir $(sort $(wildcard /usr/bin/clang-[1-9][0-9]))))
LLVM_STRIP ?= $(shell $(CLANG) -print-prog-name=llvm-strip 2>/dev/null)
CLANG_FORMAT ?= clang-format-19
# Debian keeps bpftool in sbin, which is not in every user's PATH. Ubuntu's there is a script that
# wants the tools of the kernel that runs.
BPFTOOL ?= $(or $(lastword $(wildcard /usr/lib/linux-tools/*/bpftool)), \
	$(shell command -v bpftool),/usr/sbin/bpftool)

# The least versions that are known to do; docs/platforms.md says how.
LEAST_CLANG := 14
LIBRARIES := libbpf>=1.1 libxdp>=1.3 inih json-c>=0.14 libsystemd>=247 \
	libmicrohttpd>=0.9.72 libelf zlib
PACKAGES := $(foreach l,$(LIBRARIES),$(firstword $(subst >=, ,$(l))))
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_ARCH := $(patsubst aarch64-%,arm64,$(patsubst x86_64-%,x86,$(shell $(CC) -dumpmachine 2>/dev/null)))

# Quoted includes only: <poll.h> is the system's, "poll.h" ours. What a file of a program may
# include of control/ is found in ROOTS: its own, and core's. Tests have all of them.
ROOTS := control/core control/aqm control control/xsk
INCLUDES = $(addprefix -iquote ,xdp/shared xdp $(ROOTS) $(BUILD)/bpf)
DEFINES := -DRXAQM_VERSION='"$(VERSION)"'
WARNINGS := -Wall -Wextra -Werror
# SANITIZE=1: address and undefined-behaviour sanitizers in everything native.
SANITIZERS := $(if $(filter 1,$(SANITIZE)),-fsanitize=address -fsanitize=undefined \
	-fno-sanitize-recover)

CPPFLAGS += $(INCLUDES) $(DEFINES) $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
CFLAGS ?= -O2 -g
CXXFLAGS ?= -O0 -g1
C_STD := -std=gnu11 -D_GNU_SOURCE=
# A program has no function of control/core that it does not call.
SECTIONS := -ffunction-sections -fdata-sections
CXX_STD := -std=gnu++20
LIBS := $(shell $(PKG_CONFIG) --libs $(filter-out libmicrohttpd,$(PACKAGES)) 2>/dev/null) -lm
EXPORTER_LIBS := $(shell $(PKG_CONFIG) --libs libmicrohttpd libsystemd 2>/dev/null)
# libbpf takes functions from one section: those that run seldom have none of their own.
BPF_CFLAGS := -target bpf -mcpu=v3 -mllvm -profile-guided-section-prefix=false -g -Wall -Werror \
	-D__TARGET_ARCH_$(BPF_ARCH) -Ixdp/shared -Ixdp $(addprefix -I/usr/include/,$(MULTIARCH)) -ffile-prefix-map=$(CURDIR)=.
# Every packet runs the XDP program: it is to be small, and what runs seldom in it smaller
# (types.h). The tracing programs are not compiled so.
BPF_LEVEL := -O2
BPF_SMALL := -Os
FUZZ_FLAGS := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
DEPFLAGS = -MMD -MP -MF $(@:%=%.d) -MT $@

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' $(1) $(2))

### What there is

BPF_DIRS := xdp kprobes
bpf_skels = $(patsubst %.bpf.c,$(BUILD)/bpf/%.skel.h,$(notdir $(wildcard $(1:%=%/*.bpf.c))))
SKELS := $(call bpf_skels,$(BPF_DIRS)) $(BUILD)/bpf/report.css.h $(BUILD)/bpf/profiles.h
TEST_BPF_DIRS := tests/rig tests/bpf tests/bench tests/xsk
RIG_SKELS := $(call bpf_skels,$(TEST_BPF_DIRS))

# From the bottom to the top: each includes only what is named before it, and of programs only core
# and its own (make lint checks it).
CONTROL_DIRS := $(addprefix core/,base keys nic sockets clock policy profile state figures picture \
		command) \
	$(addprefix aqm/,overload config attach report daemon cli) aqm \
	$(addprefix doctor/,snapshot sockets collect deep checks) doctor \
	$(addprefix qualify/,record judge print measure peer rows) qualify \
	trial
control_objs = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard control/$(1)/*.c control/$(1)/*/*.c))
# What all programs have, and each of them but for main(): for binaries, tests and rig programs.
CORE_LIB := $(BUILD)/librxaqm-core.a
PARTS := aqm doctor qualify trial
PART_LIBS := $(PARTS:%=$(BUILD)/obj/%.a)
CONTROL_LIBS := $(PART_LIBS) $(CORE_LIB)
CONTROL_OBJS := $(foreach p,core $(PARTS),$(call control_objs,$(p)))
LIB_OBJS := $(filter-out %/main.o,$(CONTROL_OBJS))

tests_of = $(wildcard tests/$(1)/*.cpp tests/$(1)/*/*.cpp)
SUITES := $(foreach s,unit bpf system cli xsk,$(if $(call tests_of,$(s)),$(s)))
TEST_BINS := $(SUITES:%=$(BUILD)/tests/%)
# What only a kernel of choice can show: make test-vm runs it.
GUEST_BIN := $(if $(call tests_of,guest),$(BUILD)/tests/guest)
FUZZ_BINS := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
# librxaqm-xsk, and rxaqm-xsk, the command; control/xsk/.
XSK_SONAME := librxaqm-xsk.so.1
XSK_SO := $(BUILD)/$(XSK_SONAME).0.0
XSK_LIB := $(BUILD)/librxaqm-xsk.a
XSK_OBJS := $(patsubst control/%.c,$(BUILD)/obj/control/%.o, \
	$(wildcard control/xsk/*.c) control/core/state/dispatcher.c control/core/base/now.c)
XSK_TOOL_OBJS := $(patsubst control/%.c,$(BUILD)/obj/control/%.o, \
	$(wildcard control/xsk/tool/*.c))
# As those who copy it build it; for the tests.
XSK_EXAMPLE := $(BUILD)/consumer
XSK_PRODUCTS := $(BUILD)/rxaqm-xsk $(XSK_LIB) $(XSK_SO)
# rxaqm-exporter serves the daemon's metrics, control/exporter/; all of it but main() for tests.
EXPORTER_OBJS := $(patsubst control/%.c,$(BUILD)/obj/control/%.o,$(wildcard control/exporter/*.c))
EXPORTER_LIB := $(BUILD)/obj/librxaqm-exporter.a
PROGRAMS := $(addprefix $(BUILD)/,rxaqm rxaqm-doctor rxaqm-qualify rxaqm-trial rxaqm-exporter)
FUZZ_OBJS := $(LIB_OBJS:$(BUILD)/obj/%=$(BUILD)/obj/fuzz/%)
programs = $(patsubst tests/%.c,$(BUILD)/%,$(filter-out %.bpf.c,$(wildcard tests/$(1)/*.c)))
# Packets that python3-scapy makes, for unit and bpf; without it those tests are skipped.
CORPUS := $(BUILD)/corpus/packets
RIG_BINS := $(call programs,rig)
# Decisions over a recorded trace; all of it but main() for tests.
REPLAY := $(BUILD)/replay
REPLAY_OBJ := $(BUILD)/obj/tests/replay/replay.o
BENCH_BINS := $(call programs,bench)

### Targets

CYCLES ?= 10000

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.DEFAULT_GOAL := all
.PHONY: all help deps demo test test-all soak test-vm experiment eval bench bench-xsk fresh docs lint format \
	qualify-lab qualify-reports install programs install-programs install-documents uninstall deb rpm dist release repo clean tools FORCE \
	build-demo build-test build-test-vm build-bench deps-test-vm \
	$(addprefix setup-,demo test test-vm experiment eval bench lab)

all: $(PROGRAMS) $(XSK_PRODUCTS) ## Build the programs and the library in build/ (default)

demo: setup-demo ## Show a queue with and without rxaqm (root)
	$(Q)tests/demo/demo.sh $(KIND)

test: setup-test ## Run all tests (root); SUITE="unit bpf" for some
	$(Q)tests/run.sh $(SUITE)

# Guests need no network once tests/vm/fetch.sh is done.
test-vm: setup-test-vm ## Test in guests (root); KERNEL=6.12 GROUP="kernel nic" LONG=1
	$(Q)tests/vm/run.sh $(if $(filter 1,$(LONG)),-a) $(KERNEL) -- $(GROUP)

test-all: ## All that .ci/run does, and what takes long: three hours (root)
	$(Q).ci/run all

# A quarter of a second a cycle; what "make test" does for some seconds only.
soak: SUITE = system
soak: setup-test ## Attach and detach CYCLES (10000) times (root)
	$(Q)RXAQM_CYCLES=$(CYCLES) SUITE_TIMEOUT=86400 tests/run.sh 'system:[leak]'

experiment: setup-experiment ## Repeat the original experiment in a guest (root); KIND=tso-bonus
	$(Q)tests/experiment/$(subst -,_,$(or $(KIND),experiment)).sh

eval: setup-eval ## Compare with other options in guests (root); QUICK=1 SCENARIO=mixed
	$(Q)tests/eval/eval.sh $(if $(filter 1,$(QUICK)),-q) $(SCENARIO)

bench: setup-bench ## Measure what a packet costs, and hold figures against bounds (root)
	$(Q)tests/bench/run.sh

bench-xsk: setup-bench ## The same for AF_XDP sockets only (root)
	$(Q)tests/bench/run.sh xsk

qualify-lab: setup-lab ## Run "rxaqm qualify --peer" in two guests (root); NIC=igb ROWS=Q1,Q9
	$(Q)tests/vm/fetch.sh 6.12
	$(Q)tests/vm/lab.sh -n $(or $(NIC),igb) $(ROWS)

qualify-reports: setup-lab ## Make the reports in docs/qualify anew (root); NIC="igb veth"
	$(Q)tests/vm/fetch.sh sid
	$(Q)tests/vm/reports.sh $(NIC)

fresh: ## Do what README.md says in new minimal Debians (root); RELEASE=12 STAGE="deps test"
	$(Q)packaging/install-deps.sh fresh
	$(Q)tests/fresh/fresh.sh $(RELEASE) -- $(STAGE)

### What these need, installed and built: tests/fresh does it on machines that have nothing

setup-demo:
	$(Q)packaging/install-deps.sh build demo
	+$(Q)$(SUBMAKE) build-demo
	$(Q)packaging/mount-bpffs.sh

setup-test:
	$(Q)packaging/install-deps.sh build test deb rpm
	$(Q)packaging/unpack-prometheus.sh $(BUILD)/prometheus
	+$(Q)$(SUBMAKE) build-test SUITE="$(SUITE)"

deps-test-vm:
	$(Q)packaging/install-deps.sh build test vm deb
	$(Q)packaging/unpack-daemons.sh $(BUILD)/daemons

setup-test-vm: deps-test-vm
	+$(Q)$(SUBMAKE) build-test-vm

setup-experiment:
	$(Q)packaging/install-deps.sh build vm demo
	+$(Q)$(SUBMAKE) all

setup-eval:
	$(Q)packaging/install-deps.sh build vm eval
	+$(Q)$(SUBMAKE) all

setup-lab:
	$(Q)packaging/install-deps.sh build vm lab
	+$(Q)$(SUBMAKE) all

setup-bench:
	$(Q)packaging/install-deps.sh build bench
	+$(Q)$(SUBMAKE) build-bench

# Once install-deps.sh is done, make is started again: it looks up flags of libraries at start.
SUBMAKE = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
build-demo: all $(RIG_BINS)
build-test-vm: all $(RIG_BINS) $(XSK_EXAMPLE) $(CORPUS) $(filter-out %/unit,$(TEST_BINS)) $(GUEST_BIN)
	$(Q)mkdir -p $(BUILD)/simnic
	+$(Q)$(SUBMAKE) -s -C tests/simnic OUT=$(abspath $(BUILD)/simnic) CLANG=$(CLANG) tools
build-bench: all $(RIG_BINS) $(BENCH_BINS)
build-test: all $(RIG_BINS) $(REPLAY) $(XSK_EXAMPLE) $(CORPUS) \
	$(filter $(or $(SUITE:%=$(BUILD)/tests/%),%),$(TEST_BINS)) \
	$(if $(filter fuzz,$(or $(SUITE),fuzz)),$(FUZZ_BINS))

deps: ## Install what the build needs (root)
	$(Q)packaging/install-deps.sh build

docs: $(PROGRAMS) ## Write lists of keys and reports in docs/ anew, from programs and records
	$(Q)packaging/make-docs.sh
	$(Q)for record in docs/qualify/*.json; do \
		$(BUILD)/rxaqm qualify --from "$$record" --html "$${record%.json}.html" >/dev/null || \
			[ $$? -ge 5 ] || exit 1; \
	done
	$(Q)packaging/picture.sh docs/qualify/igb.html Q11 >docs/qualify/igb-Q11.svg

lint: ## Check format, scripts, manual page, and run static analysis
	$(Q)packaging/install-deps.sh build lint
	+$(Q)$(SUBMAKE) all
	$(Q)CONTROL_DIRS="$(CONTROL_DIRS)" CLANG="$(CLANG)" tests/lint.sh

format: ## Reformat all C, C++ and BPF sources
	$(Q)find xdp kprobes control tests -name '*.[ch]' -o -name '*.[ch]pp' | xargs $(CLANG_FORMAT) -i

install: install-programs $(XSK_PRODUCTS) ## Install below $(DESTDIR)$(PREFIX), /usr/local by default
	install -D -m 755 $(BUILD)/rxaqm-xsk $(DESTDIR)$(PREFIX)/bin/rxaqm-xsk
	install -D -m 644 -t $(SHARE)/man/man1 $(wildcard docs/*.1)
	install -D -m 644 -t $(SHARE)/man/man3 $(wildcard docs/*.3)
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(XSK_LIB) $(XSK_SO)
	ln -sf $(notdir $(XSK_SO)) $(DESTDIR)$(LIBDIR)/$(XSK_SONAME)
	ln -sf $(XSK_SONAME) $(DESTDIR)$(LIBDIR)/librxaqm-xsk.so
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		control/xsk/librxaqm-xsk.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/librxaqm-xsk.pc
	install -D -m 644 -t $(INCLUDEDIR) $(XSK_HEADERS)
	[ -n "$(DESTDIR)" ] || ! command -v mandb >/dev/null || mandb -q || true # for "man -k"

programs: $(PROGRAMS)

install-documents:
	packaging/install-documents.sh $(SHARE)/doc $(DOCUMENTS)

install-programs: programs install-documents
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/sbin $(PROGRAMS)
	install -D -m 644 -t $(SHARE)/doc/rxaqm/nic-profiles $(PROFILES)
	install -D -m 644 -t $(SHARE)/rxaqm/prometheus packaging/prometheus/rxaqm.scrape.yml
	$(AT_PREFIX) packaging/prometheus/rxaqm.rules.yml >$(SHARE)/rxaqm/prometheus/rxaqm.rules.yml
	install -D -m 644 -t $(SHARE)/rxaqm/grafana packaging/grafana/rxaqm.json
	for manual in docs/*.[58]; do \
		install -d $(SHARE)/man/man$${manual##*.} && \
			$(AT_PREFIX) $$manual >$(SHARE)/man/man$${manual##*.}/$${manual##*/} || exit 1; \
	done
	install -d $(SHARE)/bash-completion/completions $(SHARE)/fish/vendor_completions.d $(ZSH_DIR)
	$(AT_PREFIX) packaging/rxaqm-complete >$(SHARE)/rxaqm/rxaqm-complete
	chmod 755 $(SHARE)/rxaqm/rxaqm-complete
	$(AT_PREFIX) packaging/rxaqm.bash-completion >$(BASH_COMPLETION)
	$(AT_PREFIX) packaging/rxaqm.zsh-completion >$(ZSH_COMPLETION)
	$(AT_PREFIX) packaging/rxaqm.fish-completion >$(FISH_COMPLETION)
	install -d $(UNITS)
	for unit in $(INSTALLED_UNITS); do \
		$(AT_PREFIX) packaging/$$unit >$(UNITS)/$$unit || exit 1; \
	done

uninstall: ## Remove what install put there
	rm -f $(PROGRAMS:$(BUILD)/%=$(DESTDIR)$(PREFIX)/sbin/%) $(COMPLETIONS) \
		$(foreach n,1 3 5 8,$(patsubst docs/%,$(SHARE)/man/man$(n)/%,$(wildcard docs/*.$(n)))) \
		$(INSTALLED_UNITS:%=$(UNITS)/%) $(DESTDIR)$(PREFIX)/bin/rxaqm-xsk \
		$(DESTDIR)$(LIBDIR)/librxaqm-xsk.* $(DESTDIR)$(LIBDIR)/pkgconfig/librxaqm-xsk.pc
	rm -rf $(SHARE)/rxaqm $(INCLUDEDIR) $(DOCUMENTED:%=$(SHARE)/doc/%)

deb: ## Build the Debian packages, build/deb/*.deb (root)
	$(Q)packaging/install-deps.sh build deb
	$(Q)packaging/make-deb.sh $(BUILD)/deb

rpm: ## Build the RPM packages, build/rpm/RPMS/*/*.rpm (root)
	$(Q)packaging/install-deps.sh build rpm
	$(Q)packaging/make-rpm.sh $(BUILD)/rpm $(if $(shell command -v dpkg),--nodeps)

dist: ## Build static programs and what belongs to them, build/dist/*.tar.gz (root); ARCH=arm64
	$(if $(filter-out amd64 arm64,$(ARCH)),$(error ARCH=$(ARCH): there are amd64 and arm64))
	$(Q)packaging/install-deps.sh build dist $(addprefix dist-,$(filter-out $(shell dpkg --print-architecture 2>&1),$(ARCH)))
	$(Q)packaging/make-dist.sh $(BUILD)/dist $(ARCH)

release: ## Make dist for ARCHES, deb, rpm, source, notes and checksums in build/release (root)
	$(Q)packaging/make-release.sh
	$(Q)rm -f $(BUILD)/dist/*.tar.gz*
	+$(Q)for arch in $(or $(ARCHES),amd64 arm64); do $(SUBMAKE) dist ARCH=$$arch || exit 1; done
	+$(Q)for what in deb rpm; do $(SUBMAKE) $$what || exit 1; done
	$(Q)packaging/make-release.sh $(BUILD)/release $(BUILD)

repo: ## Lay out build/release for apt and dnf, build/repo (root)
	$(Q)packaging/install-deps.sh repo
	$(Q)packaging/make-repo.sh $(BUILD)/repo $(BUILD)/release

clean: ## Remove build/
	$(Q)rm -rf $(BUILD)

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo 'What says (root) first installs the Debian packages that it needs, and builds.'

### Build rules

# Fails early, and says what to do, where a tool or library is missing.
tools:
	@for tool in $(CC) $(CLANG) $(or $(LLVM_STRIP),llvm-strip) $(BPFTOOL) $(firstword $(PKG_CONFIG)); do \
		command -v $$tool >/dev/null || missing="$$missing $$tool"; \
	done; \
	major=$$(echo __clang_major__ | $(CLANG) -E -P - 2>/dev/null); \
	[ "$${major:-$(LEAST_CLANG)}" -ge $(LEAST_CLANG) ] || \
		missing="$$missing '$(CLANG) >= $(LEAST_CLANG)' (it is $$major)"; \
	for lib in $(foreach l,$(LIBRARIES),'$(subst >=, >= ,$(l))'); do \
		$(PKG_CONFIG) --exists "$$lib" 2>/dev/null || missing="$$missing '$$lib'$$( \
			$(PKG_CONFIG) --modversion "$${lib%% *}" 2>/dev/null | sed 's/.*/ (it is &)/')"; \
	done; \
	test -z "$$missing" || { echo "make: missing:$$missing;" \
		"run 'make deps' (packaging/install-deps.sh build) as root" >&2; exit 1; }

# Objects depend on the flags they were built with.
FLAGS_NOW := $(CC) $(CXX) $(CLANG) $(CPPFLAGS) $(CFLAGS) $(SECTIONS) $(CXXFLAGS) $(LDFLAGS) $(BPF_CFLAGS) \
	$(BPF_LEVEL) $(BPF_SMALL) $(SANITIZERS)
$(BUILD)/flags: FORCE | tools
	@mkdir -p $(@D)
	@printf '%s\n' $(call shell_quote,$(FLAGS_NOW)) | cmp -s - $@ || \
		printf '%s\n' $(call shell_quote,$(FLAGS_NOW)) >$@
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
$(BUILD)/obj/control/core/base/version.o: $(BUILD)/commit
$(BUILD)/obj/control/core/base/version.o: private CPPFLAGS += -DRXAQM_COMMIT='"$(COMMIT)"'
shell_quote = '$(subst ','\'',$(1))'

vpath %.bpf.c $(BPF_DIRS) $(TEST_BPF_DIRS)
# These are or include it.
$(patsubst %,$(BUILD)/bpf/%.bpf.o,rxaqm cost hint_run): BPF_LEVEL := $(BPF_SMALL)
$(BUILD)/bpf/%.bpf.o: %.bpf.c $(BUILD)/flags
	$(call say,BPF,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_LEVEL) $(BPF_CFLAGS) $(DEPFLAGS) -c $< -o $@.tmp
	$(Q)$(LLVM_STRIP) -g $@.tmp
# Linked, it needs no relocations of BTF: a quarter of its size.
	$(Q)$(BPFTOOL) gen object $@ $@.tmp && rm $@.tmp

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*) >$@ 2>$@.log || \
		{ cat $@.log >&2; exit 1; }

# As texts of C.
AS_TEXT = sed 's/[\\"]/\\&/g; s/.*/"&\\n"/'
$(BUILD)/bpf/report.css.h: control/core/picture/report.css
	@mkdir -p $(@D)
	$(Q){ echo 'static const char report_css[] ='; $(AS_TEXT) $<; echo ';'; } >$@

PROFILES := $(sort $(wildcard nic-profiles/*.conf))
# Without comments, two thirds of all text; lines keep their numbers. The directory is newer if a
# file is gone.
$(BUILD)/bpf/profiles.h: $(PROFILES) nic-profiles
	@mkdir -p $(@D)
	$(Q){ echo 'static const struct { const char *file, *text; } built_in[] = {'; \
		for file in $(PROFILES); do \
			echo "{ \"$${file##*/}\","; sed 's/^\#.*//' $$file | $(AS_TEXT); echo '},'; \
		done; echo '};'; } >$@

$(BUILD)/obj/control/core/%.o: private ROOTS := control/core
$(BUILD)/obj/control/aqm/%.o: private ROOTS := control/core control/aqm
$(addsuffix /%.o,$(addprefix $(BUILD)/obj/control/,doctor qualify trial exporter)): \
	private ROOTS := control/core control
$(BUILD)/obj/control/xsk/%.o: private ROOTS := control/core control/xsk
$(XSK_OBJS): CFLAGS += -fPIC -fvisibility=hidden
$(sort $(CONTROL_OBJS) $(EXPORTER_OBJS) $(XSK_OBJS) $(XSK_TOOL_OBJS)) $(REPLAY_OBJ) $(REPLAY_OBJ:%/replay.o=%/main.o): \
		$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(SKELS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_STD) $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(SECTIONS) $(SANITIZERS) $(DEPFLAGS) \
		-c $< -o $@

$(EXPORTER_LIB): $(filter-out %/main.o,$(EXPORTER_OBJS))
$(CORE_LIB): $(call control_objs,core)
$(foreach p,$(PARTS),$(eval $(BUILD)/obj/$(p).a: $(filter $(LIB_OBJS),$(call control_objs,$(p)))))
$(CORE_LIB) $(PART_LIBS) $(EXPORTER_LIB):
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar qcs $@ $^

$(BUILD)/rxaqm: $(BUILD)/obj/control/aqm/main.o $(BUILD)/obj/aqm.a
$(BUILD)/rxaqm-doctor: $(BUILD)/obj/control/doctor/main.o $(BUILD)/obj/doctor.a
$(BUILD)/rxaqm-qualify: $(BUILD)/obj/control/qualify/main.o $(BUILD)/obj/qualify.a
$(BUILD)/rxaqm-trial: $(BUILD)/obj/control/trial/main.o $(BUILD)/obj/trial.a
$(BUILD)/rxaqm-exporter: $(BUILD)/obj/control/exporter/main.o $(EXPORTER_LIB)
$(BUILD)/rxaqm-exporter: private LIBS := $(EXPORTER_LIBS)
# A library that a program does not use is none that its package depends on.
$(PROGRAMS): $(CORE_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $(filter %.o,$^) \
		$(filter-out $(CORE_LIB),$(filter %.a,$^)) $(CORE_LIB) \
		-Wl,--gc-sections -Wl,--as-needed $(LIBS) -o $@

$(XSK_LIB): $(XSK_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(XSK_SO): $(XSK_OBJS) control/xsk/librxaqm-xsk.map
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(SANITIZERS) $(LDFLAGS) -Wl,-soname,$(XSK_SONAME) \
		-Wl,--version-script=control/xsk/librxaqm-xsk.map $(XSK_OBJS) \
		$(shell $(PKG_CONFIG) --libs libbpf libxdp) -o $@

$(BUILD)/rxaqm-xsk: $(XSK_TOOL_OBJS) $(XSK_LIB) $(CORE_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $^ $(LIBS) -o $@

$(XSK_EXAMPLE): control/xsk/example/consumer.c $(XSK_HEADERS) $(XSK_LIB)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)/include/rxaqm
	$(Q)cp $(XSK_HEADERS) $(@D)/include/rxaqm
	$(Q)$(CC) $(WARNINGS) $(CFLAGS) $(SANITIZERS) -I$(@D)/include $< $(XSK_LIB) \
		$(shell $(PKG_CONFIG) --libs libbpf libxdp) -o $@

# What tests of several programs share is at the top of their suite.
COMPILE_TEST = $(CXX) $(CXX_STD) $(WARNINGS) $(CPPFLAGS) -Itests/support \
	-iquote tests/$(firstword $(subst /, ,$*)) $(CXXFLAGS) $(SANITIZERS) $(DEPFLAGS)
# What most tests include is compiled once, which halves the time that they take.
PRECOMPILED := $(BUILD)/obj/tests/precompiled.hpp
$(PRECOMPILED).gch: tests/support/precompiled.hpp $(BUILD)/flags
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_TEST) -x c++-header $< -o $@

# One Catch2 binary a suite: a directory of tests, with one in it for each program.
$(BUILD)/obj/tests/%.o: tests/%.cpp $(PRECOMPILED).gch $(BUILD)/flags | $(SKELS) $(RIG_SKELS)
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_TEST) -include $(PRECOMPILED) -c $< -o $@

cpp_objs = $(patsubst tests/%.cpp,$(BUILD)/obj/tests/%.o,$(call tests_of,$(1)))
$(foreach s,$(SUITES) guest,$(eval $(BUILD)/tests/$(s): $(call cpp_objs,$(s))))
$(BUILD)/tests/unit: $(REPLAY_OBJ)
$(TEST_BINS) $(GUEST_BIN): $(call cpp_objs,support) $(XSK_LIB) $(EXPORTER_LIB) $(CONTROL_LIBS)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(SANITIZERS) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(EXPORTER_LIBS) \
		$(shell $(PKG_CONFIG) --libs catch2-with-main) $(LIBS) -o $@

$(CORPUS): tests/corpus/packets.py $(wildcard tests/corpus/*.py)
	$(call say,CORPUS,$@)
	@mkdir -p $(@D)
	$(Q)$< $@ || test $$? -eq 77

$(REPLAY): $(REPLAY_OBJ) $(REPLAY_OBJ:%/replay.o=%/main.o) $(CORE_LIB)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $^ $(LIBS) -o $@

# Programs of one file, which may use the control plane and all skeletons.
$(RIG_BINS) $(BENCH_BINS): $(BUILD)/%: tests/%.c $(XSK_LIB) $(CONTROL_LIBS) $(BUILD)/flags \
		| $(SKELS) $(RIG_SKELS)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C_STD) $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $(DEPFLAGS) \
		$< $(XSK_LIB) $(CONTROL_LIBS) $(LIBS) -pthread -o $@

$(BUILD)/obj/fuzz/%.o: %.c $(BUILD)/flags | $(SKELS)
	$(call say,FUZZ-CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(C_STD) $(CPPFLAGS) $(FUZZ_FLAGS) $(DEPFLAGS) -c $< -o $@

$(BUILD)/fuzz/trace: $(BUILD)/obj/fuzz/tests/replay/replay.o
$(FUZZ_BINS): $(BUILD)/fuzz/%: $(BUILD)/obj/fuzz/tests/fuzz/fuzz_%.o $(FUZZ_OBJS)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined $^ $(LIBS) -o $@

-include $(shell find $(BUILD) \( -path $(BUILD)/vm -o -path $(BUILD)/fresh \) -prune -o -type f -name '*.d' -print 2>/dev/null)
