# What the program under test meets in place of its libraries: the table of known names is complete,
# and the programs about library calls give the same answers with clang and with re-execution.
work=build/suite-runtime
rm -rf "$work"; mkdir -p "$work"
cat >"$work/known.c" <<'END'
#include <stdio.h>
#include "record/known.h"
int main(void)
{
    char name[512];
    while (scanf("%511s", name) == 1)
        printf("%s %d\n", name, (int)known_class(name));
    return 0;
}
END
if ! ${CC:-cc} -std=c17 -Isrc -o "$work/known" "$work/known.c"; then
    echo "FAIL known: the table does not compile"
    exit 1
fi
# Every function that the runtime defines for the program is in the table as such, not by the default: a name without a line
# of its own wants re-execution.
nm build/lib/heddle_rt.o | sed -n 's/.* [TW] //p' | sed 's/^__wrap_//' | grep -v '^heddle_' >"$work/defined"
"$work/known" <"$work/defined" | awk '$2 == 1 { print $1 }' | while read -r name; do
    grep -qF "X($name, REPLAY)" src/record/known.inc || echo "$name"
done >"$work/missing"
if [ -s "$work/missing" ]; then
    echo "FAIL known: missing in src/record/known.inc: $(tr '\n' ' ' <"$work/missing")"
elif [ "$(wc -l <"$work/defined")" -lt 100 ]; then
    echo "FAIL known: the runtime defines only $(wc -l <"$work/defined") functions"
else
    echo "ok known: complete"
fi
grep -ow 'X([A-Za-z_0-9]*' src/record/known.inc | sed 's/X(//' | grep -v '^name$' >"$work/names"
if LC_ALL=C sort -c -u "$work/names" 2>/dev/null; then echo "ok known: sorted"; else echo "FAIL known: not sorted"; fi
for table in effects; do
    sed -n 's/^E(\([A-Za-z_0-9]*\),.*/\1/p' "src/record/$table.inc" >"$work/names"
    if LC_ALL=C sort -c -u "$work/names" 2>/dev/null; then echo "ok $table: sorted"; else echo "FAIL $table: not sorted"; fi
done
# The manual lists the same functions as the tables; UNKNOWN is compared with what is refused (48_functions.sh).
manual() { sed -n "/^.SH $1/,/^.SH/p" man/heddle-library.7 | grep -v '^\.' | tr -d ', .' | LC_ALL=C sort; }
listed() { # SECTION NAMES
    if [ "$(manual "$1")" = "$(LC_ALL=C sort <<<"$2")" ]; then echo "ok manual: $1"
    else echo "FAIL manual: $1 of heddle-library(7) differs: $(diff <(manual "$1") <(LC_ALL=C sort <<<"$2") | grep '^[<>]' | head -n 5 | tr '\n' ' ')"; fi
}
listed "KNOWN EFFECTS" "$(sed -n 's/^E(\([A-Za-z_0-9]*\),.*/\1/p' src/record/effects.inc | grep -v '^_Z\|^__')"
listed REFUSED "$(grep -o 'X([a-zA-Z0-9_]*, REFUSE)' src/record/known.inc | sed 's/X(//; s/,.*//')"
for pair in printf:0 memcpy:0 pthread_mutex_lock:0 _ZNSolsEi:0 __tsan_read4:0 fopen:1 never_heard_of:1 fork:2; do
    got=$(echo "${pair%:*}" | "$work/known")
    if [ "$got" = "${pair%:*} ${pair#*:}" ]; then echo "ok known: ${pair%:*}"; else echo "FAIL known: $got, want ${pair#*:}"; fi
done

# What the Makefile settles in the runtime once is what the linker would make of it in every program.
program() { # RUNTIME NAME
    echo 'int main(void) { return 0; }' | gcc -x c - -x none -o "$work/$2" "$1" @build/lib/wrap.args -no-pie -Wl,-z,now,--build-id=none -lpthread -ldl -lm &&
        strip "$work/$2" -o "$work/$2.bare" -R heddle_liveness
}
relocations() { readelf -rW "$1" | grep -c R_X86_64; }
replaceable() { # those of names that a program may define itself
    readelf -rW "$1" | awk 'NR == FNR { weak[$1] = 1; next } $3 ~ /^R_X86_64/ && $5 in weak { print $1, $3, $5, $6, $7 }' \
        <(nm --defined-only --extern-only "$1" | sed 's/.* //') - | sort
}
if program build/bare/heddle_rt.o before && program build/lib/heddle_rt.o after && cmp "$work/before.bare" "$work/after.bare" &&
    [ "$(relocations build/lib/heddle_rt.o)" -lt "$(relocations build/bare/heddle_rt.o)" ] &&
    [ -n "$(replaceable build/lib/heddle_rt.o)" ] && [ "$(replaceable build/lib/heddle_rt.o)" = "$(replaceable build/bare/heddle_rt.o)" ]; then
    echo "ok runtime: settled"
else
    echo "FAIL runtime: build/settle_runtime changes it"
fi

if [ ! -x build/heddle ]; then
    echo "skip programs: build/heddle is not there"
    exit 0
fi
for program in tests/programs/correct/{libc_strings.c,thread_cleanup.c,cxx_thread_exit.cpp,cxx_containers.cpp,cxx_local_atomics.cpp,mutex_robust.c,cond_broadcast.c,once.c} \
    tests/programs/wrong/{cxx_map_race.cpp,cxx_string_race.cpp,string_overflow.c,format_after_free.c}; do
    want=$(sed -n 's/^\/\/ expect: \([a-z]*\).*/\1/p' "$program")
    for options in --cc=clang --checkpoints=never; do
        # shellcheck disable=SC2046
        got=$(build/heddle run -q --json --no-record $options $(sed -n 's/^\/\/ args: //p' "$program") "$program" 2>/dev/null |
            sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p')
        if [ "$got" = "$want" ]; then
            echo "ok $(basename "$program") $options"
        else
            echo "FAIL $(basename "$program") $options: $got, want $want (build/heddle run $options $program)"
        fi
    done
done
