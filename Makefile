# Heddle: build/heddle (the tool), build/lib/heddle_rt.o (the runtime that enters the user's program).
# make [variant=release|debug|asan|coverage] [CC=gcc|clang] [WERROR=1]
# make check | unit | compile_commands.json | install [PREFIX= LIBDIR= MANDIR= DESTDIR=] | uninstall | clean
variant ?= release
CC ?= gcc
NM ?= nm
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
SHARE ?= $(PREFIX)/share
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
VERSION := $(shell cat VERSION)
# The processor that CC compiles for. What depends on it lies in folders of its name.
MACHINES := x86_64 aarch64
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
# CC=aarch64-linux-gnu-gcc: the runtime for another processor (make runtime), beside the tool for this one.
CROSS := $(if $(filter-out $(MACHINE),$(shell uname -m)),$(filter %-,$(patsubst %gcc,%,$(lastword $(CC)))))
ifneq ($(CROSS),)
LD := $(CROSS)ld
NM := $(CROSS)nm
OBJCOPY := $(CROSS)objcopy
endif
# Objects with the sanitizers of one compiler do not link with those of another.
NATIVE := $(if $(filter release,$(variant)),build,build-$(variant)$(if $(and $(filter asan,$(variant)),$(findstring clang,$(CC))),-clang))
BUILD := $(NATIVE)$(if $(CROSS),-$(MACHINE))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wvla -Wundef -Wformat=2 \
        -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
BASE_FLAGS := -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -g $(WARN)
FLAGS_release := -O2
FLAGS_debug := -O0 -DHEDDLE_DEBUG
FLAGS_asan := -O0 -DHEDDLE_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FLAGS_tsan := -O1 -fsanitize=thread -fno-omit-frame-pointer
FLAGS_coverage := -O0 --coverage
TOOL_FLAGS := $(BASE_FLAGS) $(FLAGS_$(variant)) $(CPPFLAGS) $(CFLAGS)
# What a distribution's compiler adds of its own accord (Ubuntu, Fedora) and the runtime must do without: calls of checked
# functions (__memcpy_chk), which nobody stands in for, words on the stack, and marks at the beginning of functions.
PLAIN_x86_64 := -fcf-protection=none
PLAIN_aarch64 := -mbranch-protection=none
PLAIN := -U_FORTIFY_SOURCE -fno-stack-protector -fno-stack-clash-protection $(PLAIN_$(MACHINE))
# The runtime is a guest in the user's program: hidden symbols, no sanitizer, no vector surprises. That of the release
# loses its debug information below, so none is made.
RT_FLAGS := $(if $(filter release asan tsan,$(variant)),$(filter-out -g,$(BASE_FLAGS)),$(BASE_FLAGS)) $(if $(filter debug,$(variant)),-O0 -DHEDDLE_DEBUG,-O2) -fPIC -fvisibility=hidden \
            $(PLAIN) $(if $(findstring clang,$(CC)),,-fno-reorder-functions -fno-reorder-blocks-and-partition) -fno-builtin-malloc -fno-builtin-free -DHEDDLE_RUNTIME
LIBS := -ldw -lelf -lcapstone -ljansson -lz -lm

# Sources are found, never listed: what links where is visible in the path. src/guest enters the program
# under test, whole; src/base, src/record and src/judge go with it as far as something there needs them, and
# into the tool; everything else is the tool's.
sources = $(sort $(foreach e,c S,$(wildcard $(foreach d,$(1),src/$(d)/*.$(e) src/$(d)/*/*.$(e) src/$(d)/*/*/*.$(e) src/$(d)/*/*/*/*.$(e)))))
OTHERS := $(filter-out $(MACHINE),$(MACHINES))
GUEST_SOURCES := $(filter-out $(foreach m,$(OTHERS),$(foreach d,runtime entry,src/guest/$(d)/$(m)/%)),$(call sources,guest))
SHARED_SOURCES := $(call sources,base record judge)
TOOL_SOURCES := $(SHARED_SOURCES) $(call sources,model refine prove tool)

# The runtime never meets a sanitizer, so that the sanitized tool has the runtime of the release.
RT_OF := $(if $(filter asan tsan,$(variant)),release,$(variant))
RT := $(if $(filter release,$(RT_OF)),build$(if $(CROSS),-$(MACHINE)),$(BUILD))
GUEST_OBJECTS := $(patsubst src/%,$(RT)/rt/%.o,$(GUEST_SOURCES))
# The runtime once more, for executions of many events: what includes guest/explore/graph/width.h is compiled again.
LONG_OBJECTS := $(filter $(RT)/rt/guest/runtime/%,$(GUEST_OBJECTS)) \
                $(patsubst $(RT)/rt/%,$(RT)/rt-long/%,$(filter-out $(RT)/rt/guest/runtime/%,$(GUEST_OBJECTS)))
SHARED_OBJECTS := $(patsubst src/%,$(RT)/rt/%.o,$(SHARED_SOURCES))
TOOL_OBJECTS := $(patsubst src/%,$(BUILD)/tool/%.o,$(TOOL_SOURCES))
LIB_OBJECTS := $(filter-out $(BUILD)/tool/tool/cli/main.c.o,$(TOOL_OBJECTS))
# clang's sanitizers are a shared library for unit tests, as gcc's are: an archive would take functions of the guest, which
# stand beside it, for those of the system.
UNIT_FLAGS := $(if $(filter %-clang,$(BUILD)),-shared-libasan -Xlinker -rpath -Xlinker $(dir $(shell $(CC) -print-file-name=libclang_rt.asan-$(MACHINE).so)))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

# One plug-in for each MPI whose compiler is there: heddle loads it when mpirun or srun has started it.
MPI_PLUGINS := $(foreach m,openmpi mpich,$(if $(shell command -v mpicc.$(m)),$(BUILD)/lib/heddle-mpi-$(m).so))

all: $(MPI_PLUGINS) $(BUILD)/heddle $(BUILD)/heddle-cc $(BUILD)/heddle-c++ $(BUILD)/tool.a $(BUILD)/lib/heddle_rt.o $(BUILD)/lib/heddle_rt_long.o $(BUILD)/include/heddle.h $(BUILD)/include/heddle_annotated.h

runtime: $(BUILD)/lib/heddle_rt.o $(BUILD)/lib/heddle_rt_long.o $(BUILD)/include/heddle.h $(BUILD)/include/heddle_annotated.h
$(BUILD)/heddle: $(TOOL_OBJECTS)
	$(CC) $(TOOL_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
# Compilers in one word, for CC= and CXX=.
$(BUILD)/heddle-cc $(BUILD)/heddle-c++: | $(BUILD)/heddle
	ln -sf heddle $@
# One relocatable object whose hidden symbols are made local: nothing of ours can clash with the
# user's names. What the runtime defines as __wrap_NAME takes the place of NAME in the user's objects
# (the linker's options go to lib/wrap.args); the runtime itself keeps the system's NAME, except that
# malloc means the runtime's own memory inside it, and clock_gettime the real clock. Its data and its code
# stand apart from the program's (guest/runtime/image.c, guest/runtime/opaque.c). Its symbols are weak: a function of that name in the program
# counts. No groups may be left: a local symbol in a group that the user's object has too would lose its
# section. Its strings are no strings for the linker, which would hash each of them to merge it with others.
USER_NAMES := clock_gettime malloc free calloc realloc aligned_alloc memalign posix_memalign malloc_usable_size
SETTLED := $(and $(filter release,$(variant)),$(filter x86_64,$(MACHINE)))
BARE := $(if $(SETTLED),$(BUILD)/bare,$(BUILD)/lib)
$(BARE)/heddle_rt.o: $(GUEST_OBJECTS) $(RT)/rt/shared.a
$(BARE)/heddle_rt_long.o: $(LONG_OBJECTS) $(RT)/rt/shared.a
$(BARE)/heddle_rt.o $(BARE)/heddle_rt_long.o:
	@mkdir -p $(@D)
	$(LD) -r --force-group-allocation -o $@.1 $^
	$(NM) $@.1 | sed -n 's/.* T __wrap_//p' | LC_ALL=C sort >$@.names
	sed 's/.*/-Wl,--wrap=&/' $@.names >$@.wraps
	mv $@.wraps $(@D)/wrap.args
	sed 's/.*/& __real_&/' $@.names >$@.redefine
	$(OBJCOPY) --redefine-syms=$@.redefine $(foreach f,malloc free calloc realloc,--redefine-sym $(f)=heddle__$(f)) \
	  --redefine-sym clock_gettime=native_clock_gettime \
	  $@.1 $@.2
	$(LD) -r -o $@.3 $@.2
	$(OBJCOPY) $(if $(filter release,$(RT_OF)),--strip-debug) --localize-hidden $(foreach f,$(USER_NAMES),--redefine-sym heddle_user_$(f)=$(f)) \
	  --rename-section .data=heddle_data --rename-section .data.rel=heddle_data --rename-section .data.rel.local=heddle_data --rename-section .bss=heddle_bss --rename-section .text=heddle_text $@.3 $@.4
	$(NM) --defined-only --extern-only $@.4 | sed 's/.* //' >$@.names
	$(OBJCOPY) --weaken-symbols=$@.names $(foreach s,.rodata.str1.1 .rodata.str1.8,--set-section-flags $(s)=alloc,load,readonly,data,contents) $@.4 $@
	@rm -f $@.1 $@.2 $@.3 $@.4 $@.names $@.redefine
# What the liveness analysis knows of the runtime is the same in all programs, so it is found out here, in one that
# contains nothing else, and travels inside the runtime (tool/instrument/liveness/stored.h). Runtimes of other variants and
# processors go without, and have it computed for each program.
ifneq ($(SETTLED),)
$(BUILD)/store_liveness $(BUILD)/settle_runtime: $(BUILD)/%: tools/%.c $(BUILD)/tool.a
	$(CC) $(TOOL_FLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)
# Whatever the linker does to the runtime is done in each program, so what is the same in all of them is done here.
$(BUILD)/lib/heddle_rt%: $(BARE)/heddle_rt% $(BUILD)/store_liveness $(BUILD)/settle_runtime
	@mkdir -p $(@D)
	$(BUILD)/settle_runtime $< $(BARE)/settled$*
	echo 'int main(void) { return 0; }' | $(CC) -x c - -x none -o $(BARE)/program$* $(BARE)/settled$* @$(BARE)/wrap.args -no-pie -Wl,-z,now -lpthread -ldl -lm
	$(BUILD)/store_liveness $(BARE)/program$* $(BARE)/facts$*
	$(OBJCOPY) --discard-locals --add-section heddle_liveness=$(BARE)/facts$* --set-section-flags heddle_liveness=contents,readonly,debug --set-section-alignment heddle_liveness=8 $(BARE)/settled$* $@
	cp $(BARE)/wrap.args $@.args && mv $@.args $(@D)/wrap.args
	@rm -f $(BARE)/program$* $(BARE)/facts$* $(BARE)/settled$*
endif
$(BUILD)/lib/heddle-mpi-%.so: src/tool/cli/scale/mpi/plugin.c src/tool/cli/scale/channel.h
	@mkdir -p $(@D)
	mpicc.$* $(BASE_FLAGS) -O2 -fPIC -shared -o $@ $<
$(BUILD)/include/%.h: include/%.h
	@mkdir -p $(@D)
	cp $< $@
$(RT)/rt/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(RT_FLAGS) -MMD -MP -c -o $@ $<
$(RT)/rt-long/%.c.o: src/%.c $(RT)/rt/%.c.o
	@mkdir -p $(@D)
	if grep -q guest/explore/graph/width.h $(RT)/rt/$*.c.d; then $(CC) $(RT_FLAGS) -DHEDDLE_LONG -c -o $@ $<; \
	else cp $(RT)/rt/$*.c.o $@; fi
# The search is worth more optimisation: vector clocks are unrolled, small functions inlined. (Not what runs on
# the stacks of threads: tool/instrument/liveness/liveness.c knows those frames.) Programs under test are linked
# with -no-pie, so it reaches its data by absolute addresses.
HOT := $(patsubst src/guest/explore/%.c,%,$(wildcard $(foreach d,graph reduce/confirm reduce/waiting,src/guest/explore/$(d)/*.c))) \
       $(foreach m,model sc rc11 psc tso pso,graph/models/$(m)) \
       $(foreach m,explore meet frames revisit checkpoint ghost,search/$(m)) \
       $(foreach m,values kept contents passing passes places,facts/$(m)) \
       reduce/lost reduce/endless reduce/rest memory/undo memory/scrub \
       $(foreach m,copies pasts recall alike,reduce/symmetry/$(m)) \
       $(foreach m,sample sample_units beginning,schedules/$(m))
HOT_STATES := key keysum part piece state visited sets progress search frontier crew/crew crew/told steps/perform steps/repeat
$(foreach r,rt rt-long,$(HOT:%=$(RT)/$(r)/guest/explore/%.c.o) $(HOT_STATES:%=$(RT)/$(r)/guest/states/%.c.o)): RT_FLAGS += $(if $(filter release,$(RT_OF)),-O3 -fno-pie)
# Cleanups run when an exception leaves an initialiser.
$(RT)/rt/guest/entry/sync/once.c.o $(RT)/rt-long/guest/entry/sync/once.c.o: RT_FLAGS += -fexceptions
# entry/orders.c walks from its own frame through the hooks' into the user's.
$(foreach r,rt rt-long,$(RT)/$(r)/guest/entry/orders.c.o $(RT)/$(r)/guest/entry/tsan.c.o): RT_FLAGS += -fno-omit-frame-pointer
$(RT)/rt/%.S.o: src/%.S
	@mkdir -p $(@D)
	$(CC) -g -c -o $@ $<
$(RT)/rt-long/%.S.o: src/%.S
	@mkdir -p $(@D)
	$(CC) -g -c -o $@ $<
$(BUILD)/tool/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_FLAGS) -MMD -MP -c -o $@ $<
# Tool and runtime fit together if the contract between them is the same text.
LINK_VERSION := $(shell cat src/record/*.h src/record/*.inc | cksum | cut -d' ' -f1)
$(RT)/rt/record/link.c.o: RT_FLAGS += -DLINK_VERSION=$(LINK_VERSION)u
$(BUILD)/tool/record/link.c.o: TOOL_FLAGS += -DLINK_VERSION=$(LINK_VERSION)u
$(RT)/rt/record/link.c.o $(BUILD)/tool/record/link.c.o: $(wildcard src/record/*.h src/record/*.inc)
# Facts that are stored of the runtime fit an analysis of the same text.
ANALYSIS := $(wildcard $(foreach f,liveness/* isa/*.c isa/*.h isa/*/*,src/tool/instrument/$(f))) src/record/liveness_table.h
$(BUILD)/tool/tool/instrument/liveness/stored.c.o: TOOL_FLAGS += -DSTORED_VERSION=$(shell cat $(ANALYSIS) | cksum | cut -d' ' -f1)u
$(BUILD)/tool/tool/instrument/liveness/stored.c.o: $(ANALYSIS)
# the library of models is part of the tool (.incbin)
$(BUILD)/tool/model/source.c.o: $(wildcard src/model/library/*.hm)
$(BUILD)/tool/tool/cli/debug.c.o: src/tool/cli/heddle_gdb.py
$(BUILD)/tool/tool/cli/serve/cmd_serve.c.o: src/tool/cli/serve/page.html
# and the page of HTML reports
$(BUILD)/tool/tool/report/page/page.c.o: $(wildcard src/tool/report/page/*)
# Unit tests, bench/ and the twins take from these what they name.
$(BUILD)/tool.a: $(LIB_OBJECTS)
$(RT)/guest.a: $(GUEST_OBJECTS)
$(RT)/rt/shared.a: $(SHARED_OBJECTS)
%.a:
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/unit/%: tests/unit/%.c $(RT)/guest.a $(BUILD)/tool.a
	@mkdir -p $(@D)
	$(CC) $(TOOL_FLAGS) -Wno-missing-prototypes -MMD -MP -MF $@.d -no-pie $(UNIT_FLAGS) -o $@ $< $(RT)/guest.a $(UNIT_WHOLE) $(BUILD)/tool.a -lcmocka $(LIBS)
# This one decodes its own machine code, so it wants much of it.
$(BUILD)/unit/x86_64_code: UNIT_WHOLE := -Wl,--whole-archive $(BUILD)/tool.a -Wl,--no-whole-archive

# libheddle-history: the judge of recorded histories for other programs. Only what its header declares is
# visible, in the static library too.
HISTORY_SOURCES := $(call sources,base judge/history judge/spec judge/linear judge/quasi judge/isolation judge/library) src/record/kinds.c
HISTORY_OBJECTS := $(patsubst src/%,$(BUILD)/library/%.o,$(HISTORY_SOURCES))
HISTORY_FLAGS := $(BASE_FLAGS) $(FLAGS_$(variant)) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden
HISTORY_SHARED ?= -shared -Wl,-z,defs
library: $(BUILD)/libheddle-history.a $(BUILD)/libheddle-history.so.1
$(BUILD)/library/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(HISTORY_FLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/libheddle-history.so.1: $(HISTORY_OBJECTS)
	$(CC) $(HISTORY_FLAGS) $(LDFLAGS) $(HISTORY_SHARED) -Wl,-soname,libheddle-history.so.1 -o $@ $^ -lz -lm -lpthread
$(BUILD)/libheddle-history.a: $(HISTORY_OBJECTS)
	$(LD) -r -o $@.1 $^
	$(OBJCOPY) --localize-hidden $@.1 $@.o
	@rm -f $@ $@.1
	$(AR) rcs $@ $@.o
	@rm -f $@.o
-include $(HISTORY_OBJECTS:.o=.d)

# The version and the folder of the installed runtime are the tool's only build-time settings.
$(BUILD)/tool/tool/%.c.o: TOOL_FLAGS += -DHEDDLE_VERSION='"$(VERSION)"' -DHEDDLE_LIBDIR='"$(LIBDIR)/heddle"'
$(BUILD)/tool/tool/cli/%.c.o: VERSION

# As a distribution would: tool, headers, runtime, pkg-config file, manual pages. DESTDIR is respected.
# heddle_annotated.h is what instrumented copies include: it stands beside the runtime.
PUBLIC_HEADERS := $(filter-out include/heddle_annotated.h,$(wildcard include/*.h))
install: all library
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/heddle $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BUILD)/heddle $(DESTDIR)$(PREFIX)/bin/heddle
	ln -sf heddle $(DESTDIR)$(PREFIX)/bin/heddle-cc
	ln -sf heddle $(DESTDIR)$(PREFIX)/bin/heddle-c++
	install -m 644 $(BUILD)/lib/* include/heddle_annotated.h $(DESTDIR)$(LIBDIR)/heddle/
	install -m 644 $(PUBLIC_HEADERS) $(DESTDIR)$(PREFIX)/include/
	install -d $(DESTDIR)$(LIBDIR)/cmake/Heddle
	install -m 644 cmake/HeddleConfig.cmake $(DESTDIR)$(LIBDIR)/cmake/Heddle/
	install -d $(DESTDIR)$(SHARE)/bash-completion/completions $(DESTDIR)$(SHARE)/zsh/vendor-completions \
	  $(DESTDIR)$(SHARE)/fish/vendor_completions.d $(DESTDIR)$(SHARE)/vim/vimfiles/compiler \
	  $(DESTDIR)$(SHARE)/heddle/vscode
	$(BUILD)/heddle completion bash >$(DESTDIR)$(SHARE)/bash-completion/completions/heddle
	$(BUILD)/heddle completion zsh >$(DESTDIR)$(SHARE)/zsh/vendor-completions/_heddle
	$(BUILD)/heddle completion fish >$(DESTDIR)$(SHARE)/fish/vendor_completions.d/heddle.fish
	install -m 644 tools/vim/compiler/heddle.vim $(DESTDIR)$(SHARE)/vim/vimfiles/compiler/
	install -m 644 tools/vscode/tasks.json $(DESTDIR)$(SHARE)/heddle/vscode/
	install -m 644 $(BUILD)/libheddle-history.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/libheddle-history.so.1 $(DESTDIR)$(LIBDIR)/
	ln -sf libheddle-history.so.1 $(DESTDIR)$(LIBDIR)/libheddle-history.so
	printf 'prefix=%s\nlibdir=%s\nName: heddle-history\nDescription: judge of recorded concurrent histories\nVersion: %s\nCflags: -I$${prefix}/include\nLibs: -L$${libdir} -lheddle-history\nLibs.private: -lz -lm -lpthread\n' \
	  '$(PREFIX)' '$(LIBDIR)' '$(VERSION)' >$(DESTDIR)$(LIBDIR)/pkgconfig/heddle-history.pc
	install -d $(DESTDIR)$(PYTHONDIR)/heddle_history $(DESTDIR)$(PYTHONDIR)/heddle_history-$(VERSION).dist-info
	install -m 644 python/heddle_history/*.py python/heddle_history/py.typed $(DESTDIR)$(PYTHONDIR)/heddle_history/
	printf 'Metadata-Version: 2.1\nName: heddle-history\nVersion: %s\n' '$(VERSION)' >$(DESTDIR)$(PYTHONDIR)/heddle_history-$(VERSION).dist-info/METADATA
	printf '[pytest11]\nheddle_history = heddle_history.pytest_plugin\n' >$(DESTDIR)$(PYTHONDIR)/heddle_history-$(VERSION).dist-info/entry_points.txt
	$(foreach s,1 3 5 7,install -d $(DESTDIR)$(MANDIR)/man$(s); install -m 644 $(wildcard man/*.$(s)) $(DESTDIR)$(MANDIR)/man$(s)/;)
	ln -sf heddle-cc.1 '$(DESTDIR)$(MANDIR)/man1/heddle-c++.1'
	printf 'prefix=%s\nName: heddle\nDescription: checker for concurrent C and C++ code\nVersion: %s\nCflags: -I$${prefix}/include\n' \
	  '$(PREFIX)' '$(VERSION)' >$(DESTDIR)$(LIBDIR)/pkgconfig/heddle.pc
uninstall:
	rm -rf $(DESTDIR)$(LIBDIR)/heddle $(DESTDIR)$(LIBDIR)/cmake/Heddle
	rm -rf $(DESTDIR)$(SHARE)/heddle $(DESTDIR)$(PYTHONDIR)/heddle_history $(DESTDIR)$(PYTHONDIR)/heddle_history-*.dist-info
	rm -f $(DESTDIR)$(SHARE)/bash-completion/completions/heddle $(DESTDIR)$(SHARE)/zsh/vendor-completions/_heddle \
	  $(DESTDIR)$(SHARE)/fish/vendor_completions.d/heddle.fish $(DESTDIR)$(SHARE)/vim/vimfiles/compiler/heddle.vim
	rm -f $(DESTDIR)$(PREFIX)/bin/heddle $(DESTDIR)$(PREFIX)/bin/heddle-cc $(DESTDIR)$(PREFIX)/bin/heddle-c++ $(PUBLIC_HEADERS:%=$(DESTDIR)$(PREFIX)/%) $(DESTDIR)$(LIBDIR)/pkgconfig/heddle.pc \
	  $(DESTDIR)$(LIBDIR)/pkgconfig/heddle-history.pc $(DESTDIR)$(LIBDIR)/libheddle-history.* \
	  $(foreach s,1 3 5 7,$(DESTDIR)$(MANDIR)/man$(s)/heddle*.$(s))

# For editors and clang-tidy: how each source is compiled.
compile_commands.json: Makefile
	@printf '%s\n' $(filter %.c,$(GUEST_SOURCES) $(TOOL_SOURCES)) | awk -v folder='$(CURDIR)' -v compiler='$(CC)' \
	  -v tool='$(BASE_FLAGS)' -v guest='$(RT_FLAGS)' -f tools/compile_commands.awk >$@

check: all unit
	tests/run.sh
unit: $(UNIT_TESTS)
clean:
	rm -rf build build-*
.DELETE_ON_ERROR:
.PHONY: all runtime library unit check clean install uninstall
-include $(GUEST_OBJECTS:.o=.d) $(SHARED_OBJECTS:.o=.d) $(TOOL_OBJECTS:.o=.d) $(UNIT_TESTS:=.d)
