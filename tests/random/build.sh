# build.sh: builds random programs' driver and the program that performs them: . tests/random/build.sh; random_build OUT
# [COMPILER [LEVEL]]. OUT/random is the driver, OUT/interp and OUT/interp.table what it wants as --engine.
random_build() { # OUT [COMPILER [LEVEL [SOURCE]]]: SOURCE: of printed programs
    local out=$1 cc=${2:-gcc} level=${3:--O1} wraps=-Wl,--wrap=main,--wrap=memcpy,--wrap=memmove,--wrap=memset
    local here=tests/random distinguish="--param tsan-distinguish-volatile=1"
    [ -f build/lib/wrap.args ] && wraps=@build/lib/wrap.args
    case $cc in *clang*) distinguish="-mllvm -tsan-distinguish-volatile=1" ;; esac
    [ -x "$out/random" ] ||
        gcc -std=gnu17 -O2 -w -Isrc -o "$out/random" $here/driver.c $here/print.c $here/engine.c $here/generate.c $here/oracle.c \
            $here/machine.c $here/axioms.c || return
    [ -x "$out/table" ] ||
        gcc -O1 -w -D_GNU_SOURCE -Isrc -o "$out/table" tests/helpers/liveness_table.c build/tool.a -ldw -lelf -lcapstone || return
    # shellcheck disable=SC2086
    $cc "$level" -g -w -fno-omit-frame-pointer -fsanitize=thread $distinguish -I$here -c -o "$out/interp.o" "${4:-$here/interp.c}" &&
        gcc -O2 -w -c -o "$out/server.o" $here/server.c &&
        $cc -no-pie -o "$out/interp" "$out/interp.o" "$out/server.o" "${RANDOM_RUNTIME:-build/lib/heddle_rt.o}" \
            -Wl,-z,now,--build-id=none "$wraps" -ldl -lpthread && "$out/table" "$out/interp" "$out/interp.table"
}
