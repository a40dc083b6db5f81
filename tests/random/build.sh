# build.sh: builds random programs' driver and the program that performs them: . tests/random/build.sh; random_build OUT
# [COMPILER [LEVEL]]. OUT/random is the driver, OUT/interp and OUT/interp.table what it wants as --engine.
random_runtime() { # OUT: OUT/heddle_rt.o, the runtime of build/, but its run.c serves (serve.c)
    local out=$1 objects flags file
    objects=$(make -s --eval='objects: ; @echo $(GUEST_OBJECTS)' objects) &&
        flags=$(make -s --eval='flags: ; @echo $(CC) $(RT_FLAGS)' flags) || return
    mkdir -p "$out/serving" && random_serving src/guest/harness/run.c "$out/serving/run.c" || return
    for file in "$out/serving/run.c" tests/random/serve.c; do
        # shellcheck disable=SC2086
        $flags -w -Itests/random -c -o "$out/serving/$(basename "$file").o" "$file" || return
    done
    make -s BARE="$out" GUEST_OBJECTS="${objects/build\/rt\/guest\/harness\/run.c.o/$out/serving/run.c.o} $out/serving/serve.c.o" "$out/heddle_rt.o"
}
random_serving() { # FROM TO: run.c that calls random_serve before it explores
    sed '/^    FindingKind kind = options.check.enabled ? child_check(tool_link)$/i\    extern void random_serve(void);\n    random_serve();' "$1" >"$2" &&
        grep -q 'random_serve();' "$2"
}
random_build() { # OUT [COMPILER [LEVEL [SOURCE]]]: SOURCE: of printed programs; RANDOM_RUNTIME: of mutants.sh
    local out=$1 cc=${2:-gcc} level=${3:--O1} wraps=-Wl,--wrap=main,--wrap=memcpy,--wrap=memmove,--wrap=memset
    local here=tests/random distinguish="--param tsan-distinguish-volatile=1" runtime=${RANDOM_RUNTIME:-$1/heddle_rt.o}
    [ -f build/lib/wrap.args ] && wraps=@build/lib/wrap.args
    case $cc in *clang*) distinguish="-mllvm -tsan-distinguish-volatile=1" ;; esac
    [ -f "$runtime" ] || random_runtime "$out" || return
    [ -x "$out/random" ] ||
        gcc -std=gnu17 -O2 -w -Isrc -o "$out/random" $here/driver.c $here/print.c $here/engine.c $here/generate.c $here/oracle.c \
            $here/machine.c $here/axioms.c || return
    [ -x "$out/table" ] ||
        gcc -O1 -w -D_GNU_SOURCE -Isrc -o "$out/table" tests/helpers/liveness_table.c build/tool.a -ldw -lelf -lcapstone || return
    # shellcheck disable=SC2086
    $cc "$level" -g -w -fno-omit-frame-pointer -fsanitize=thread $distinguish -I$here -c -o "$out/interp.o" "${4:-$here/interp.c}" &&
        gcc -O2 -w -c -o "$out/server.o" $here/server.c &&
        $cc -no-pie -o "$out/interp" "$out/interp.o" "$out/server.o" "$runtime" \
            -Wl,-z,now,--build-id=none "$wraps" -ldl -lpthread && "$out/table" "$out/interp" "$out/interp.table"
}
