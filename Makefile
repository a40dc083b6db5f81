# Heddle: build/heddle (the tool), build/lib/heddle_rt.o (the runtime that enters the user's program).
# make [variant=release|debug|asan|coverage] [CC=gcc|clang] [WERROR=1]
variant ?= release
CC ?= gcc
PREFIX ?= /usr/local
BUILD := $(if $(filter release,$(variant)),build,build-$(variant))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wvla -Wundef -Wformat=2 \
        -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
BASE_FLAGS := -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -g $(WARN)
FLAGS_release := -O2
FLAGS_debug := -O0 -DHEDDLE_DEBUG
FLAGS_asan := -O1 -DHEDDLE_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
FLAGS_coverage := -O0 --coverage
TOOL_FLAGS := $(BASE_FLAGS) $(FLAGS_$(variant))
# The runtime is a guest in the user's program: hidden symbols, no sanitizer, no vector surprises.
RT_FLAGS := $(BASE_FLAGS) -O2 $(if $(filter debug,$(variant)),-DHEDDLE_DEBUG) -fPIC -fvisibility=hidden \
            -fno-stack-protector -fno-builtin-malloc -fno-builtin-free -DHEDDLE_RUNTIME
LIBS := -ldw -lelf -lcapstone -ljansson -lz -lm

# Sources are found, never listed. The hot folders (runtime to check) enter the program under test;
# the tool needs those of them that stand after explore, for recorded histories and records.
RT_DIRS := base runtime explore record history spec check
TOOL_DIRS := base instrument record history spec check model refine prove verdict report cli
# check/child_*.c are the property drivers inside the program under test.
RT_SOURCES := $(wildcard $(RT_DIRS:%=src/%/*.c)) $(wildcard src/runtime/*.S)
TOOL_SOURCES := $(filter-out src/check/child_%,$(wildcard $(TOOL_DIRS:%=src/%/*.c)))
RT_SOURCES := $(filter-out $(wildcard src/history/log_*.c),$(RT_SOURCES))

RT_OBJECTS := $(patsubst src/%,$(BUILD)/rt/%.o,$(RT_SOURCES))
TOOL_OBJECTS := $(patsubst src/%,$(BUILD)/tool/%.o,$(TOOL_SOURCES))
LIB_OBJECTS := $(filter-out $(BUILD)/tool/cli/main.c.o,$(TOOL_OBJECTS))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))

all: $(BUILD)/heddle $(BUILD)/lib/heddle_rt.o $(BUILD)/include/heddle.h

$(BUILD)/heddle: $(TOOL_OBJECTS)
	$(CC) $(TOOL_FLAGS) -o $@ $^ $(LIBS)
# One relocatable object whose hidden symbols are made local: nothing of ours can clash with the
# user's names. The runtime's own memory functions must not meet the linker's --wrap.
$(BUILD)/lib/heddle_rt.o: $(RT_OBJECTS)
	@mkdir -p $(@D)
	ld -r -o $@.tmp $^
	objcopy --localize-hidden --redefine-sym memcpy=__real_memcpy --redefine-sym memmove=__real_memmove \
	  --redefine-sym memset=__real_memset $@.tmp $@
	@rm -f $@.tmp
$(BUILD)/include/heddle.h: $(wildcard include/heddle.h)
	@mkdir -p $(@D)
	$(if $<,cp $< $@,:)
$(BUILD)/rt/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(RT_FLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/rt/%.S.o: src/%.S
	@mkdir -p $(@D)
	$(CC) -g -c -o $@ $<
$(BUILD)/tool/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_FLAGS) -MMD -MP -c -o $@ $<
# the library of models is part of the tool (.incbin)
$(BUILD)/tool/model/source.c.o: $(wildcard src/model/library/*.hm)
$(BUILD)/unit/%: tests/unit/%.c $(LIB_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(TOOL_FLAGS) -Wno-missing-prototypes -MMD -MP -MF $@.d -o $@ $< $(LIB_OBJECTS) -lcmocka $(LIBS)

unit: $(UNIT_TESTS)
clean:
	rm -rf build build-*
.PHONY: all unit clean install
-include $(RT_OBJECTS:.o=.d) $(TOOL_OBJECTS:.o=.d) $(UNIT_TESTS:=.d)
