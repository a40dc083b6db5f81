# shellcheck shell=bash
# Programs that mark their calls, with gcc and clang: whole programs with their expected verdict in the first line,
# as in 40_programs.sh, and
#   // output: PATTERN             that the report must match
# Then wrong marks, replay, and the same programs without Heddle. MARKED=REGEX chooses programs by path.
# clang gets all programs with HEDDLE_NIGHTLY=1, else every fourth.
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; export work heddle

program() { # compiler, file
    local cc=$1 file=$2 expect args pattern output got
    expect=$(sed -n '1s|^// expect: ||p' "$file")
    args=$(sed -n 's|^// args: ||p' "$file")
    pattern=$(sed -n 's|^// output: ||p' "$file")
    # shellcheck disable=SC2086
    output=$(timeout 60 "$heddle" check --quiet --no-record --time=30s "--cc=$cc" $args "$file" 2>&1 | tr -s '\n ' ' ')
    got=$(sed 's/^violated: \([a-z-]*\) .*/violated \1/;s/^\(holds\|inconclusive\):.*/\1/' <<<"$output")
    if [ "$got" != "$expect" ]; then echo "FAIL $file: $got instead of $expect: heddle check --cc=$cc $args $file"
    elif [ -n "$pattern" ] && ! grep -q -e "$pattern" <<<"$output"; then echo "FAIL $file: nothing matches '$pattern': $output"
    else echo "ok $file ($cc)"; fi
}
export -f program
files=$(printf '%s\n' tests/marked/*/*.c tests/marked/*/*.cc | grep -E -e "${MARKED:-.}")
{
    for file in $files; do echo "gcc $file"; done
    for file in $files; do echo "clang $file"; done | { if [ -n "${HEDDLE_NIGHTLY:-}${MARKED:-}" ]; then cat; else awk 'NR % 4 == 1'; fi; }
} | grep . | xargs -r -P "$(nproc)" -L 1 bash -c 'program "$1" "$2"' _

# the header alone: no warnings, no effect
for compiler in "gcc -std=c11" "clang -std=c11" "g++ -std=c++11 -xc++" "clang++ -std=c++11 -xc++"; do
    # shellcheck disable=SC2086
    if ! command -v ${compiler%% *} >/dev/null; then echo "skip marks without heddle: ${compiler%% *}"; continue; fi
    cat >"$work/alone.c" <<'C'
#include <heddle.h>
#include <stdio.h>
static int cell;
static int put(int value)
{
    HD_BEGIN(&cell, "put", HD_INT(value), HD_STR("by"), HD_BOOL(true), HD_NONE);
    cell = value;
    HD_END(HD_VOID);
    HD_BEGIN("cell", "get");
    int seen = cell;
    HD_END(HD_INT(seen));
    return seen;
}
int main(void)
{
    printf("%d\n", put(3));
    return 0;
}
C
    # shellcheck disable=SC2086
    if $compiler -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Iinclude -o "$work/alone" "$work/alone.c" &&
        [ "$("$work/alone")" = 3 ]; then echo "ok marks without heddle: $compiler"
    else echo "FAIL marks without heddle: $compiler"; fi
done

# wrong marks: the exit status, and a pattern in the output as one line
cd "$work" || exit 2
file() { { printf '#include <heddle.h>\n#include <pthread.h>\nstatic int q, p;\n'; cat; } >"$1"; }
expect() {
    local name=$1 status=$2 pattern=$3 output got; shift 3
    output=$(timeout 60 "$heddle" check --quiet --no-record --time=30s "$@" 2>&1 </dev/null | tr -s '\n ' ' '; exit "${PIPESTATUS[0]}"); got=$?
    if [ "$got" != "$status" ]; then echo "FAIL marks: $name: exit status $got, not $status: $output"
    elif ! grep -q -e "$pattern" <<<"$output"; then echo "FAIL marks: $name: nothing matches '$pattern': $output"
    else echo "ok marks: $name"; fi
}
file end.c <<<'int main(void) { HD_END(HD_VOID); return 0; }'
expect "end without begin" 2 'end.c:4: HD_END without HD_BEGIN: no call is open in this thread' end.c
file nested.c <<<'int main(void) { HD_BEGIN(&q, "f", HD_INT(1));
HD_BEGIN(&q, "g"); return 0; }'
expect "begin inside a call on the same object" 2 'nested.c:5: g() begins inside of f(1) on the same object, which began at nested.c:4' nested.c
file open.c <<<'static void *f(void *a) { HD_BEGIN(&q, "f"); return a; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }'
expect "a call that never ends" 2 'open.c:4: f() begins here and its thread ends without HD_END' open.c
file none.c <<<'int main(void) { return q + p; }'
expect "nothing is marked" 2 'no operations are declared, and main marks no calls' none.c
file both.c <<<'HD_OP(f) { HD_BEGIN(&q, "f"); HD_END(HD_VOID); return HD_VOID; } int main(void) { return p; }'
expect "marks and operations" 2 'both.c:4: HD_BEGIN inside of a test with declared operations' both.c
file many.c <<<'int main(void) { for (int i = 0; i < 33; i++) { HD_BEGIN(&q, "f", HD_INT(i)); HD_END(HD_VOID); } return p; }'
expect "more calls than can be judged" 2 'many.c:4: an execution has 33 calls on q, at most 32 can be judged' many.c
file more.c <<<'int main(void) { for (int i = 0; i < 65; i++) { HD_BEGIN(&q, "f", HD_INT(i)); HD_END(HD_VOID); } return p; }'
expect "more calls than a thread may have" 2 'more.c:4: a thread makes more than 64 marked calls' more.c
file deep.c <<<'static int o[9]; int main(void) { for (int i = 0; i < 9; i++) { HD_BEGIN(&o[i], "f"); } return p + q; }'
expect "too deep" 2 'deep.c:4: more than 8 calls inside each other' deep.c
file null.c <<<'int main(void) { int *a = 0; HD_BEGIN(a, "f"); HD_END(HD_VOID); return p + q; }'
expect "no object" 2 'null.c:4: HD_BEGIN(a, ...): the object is a null pointer' null.c
file fine.c <<<'int main(void) { HD_BEGIN(&q, "put", HD_INT(1)); HD_END(HD_VOID); HD_BEGIN(&p, "jump"); HD_END(HD_VOID); return 0; }'
expect "no such operation in the specification" 2 'fine.c:4: specification fifo has no operation jump with 0 arguments' --spec=fifo fine.c
expect "a specification of one object" 0 '^holds' --spec=q:fifo fine.c
expect "a specification of no object" 2 'names object r, but no call is marked on an object of that name' --spec=r:fifo fine.c
expect "no such specification" 2 'there is no specification "fifoo"' --spec=q:fifoo fine.c
expect "two specifications" 2 'object q has two specifications' --spec=q:fifo,q:lifo fine.c
expect "a shape" 2 'a program that marks its calls is one test' --shape=2x2 fine.c
expect "a scenario" 2 'a program that marks its calls is one test' --scenario='put(1)' fine.c
file init.c <<<'HD_INIT { q = p; } int main(void) { HD_BEGIN(&q, "f"); HD_END(HD_VOID); return 0; }'
expect "settings of operations" 2 'HD_INIT.* are for declared operations' init.c

# records
cd - >/dev/null || exit 2
for file in wrong/blocking wrong/objects wrong/nondeterminism wrong/blocking_at_exit; do
    args=$(sed -n 's|^// args: ||p' "tests/marked/$file.c")
    cp tests/marked/*.h "$work"; mkdir -p "$work/w"; cp "tests/marked/$file.c" "$work/w/"
    kind=$(sed -n '1s|^// expect: violated ||p' "tests/marked/$file.c")
    # shellcheck disable=SC2086
    output=$(cd "$work/w" && "$heddle" check --quiet $args "${file#wrong/}.c" >/dev/null 2>&1; "$heddle" replay "${file#wrong/}.heddle" 2>&1); status=$?
    if [ $status = 1 ] && grep -q "violated: $kind" <<<"$output"; then echo "ok replay of $file"
    else echo "FAIL replay of $file: exit status $status: $output"; fi
done
