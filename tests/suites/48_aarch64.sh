# shellcheck shell=bash
# AArch64 code read on this machine, where there is a cross compiler, without running it: in each function of a program,
# is there an access that gcc does not announce? The answers follow from the source: a structure that is given, returned
# or assigned as a whole, a pair in registers, and beside each the same on the function's own stack, in constants or in the
# thread's own memory, or announced.
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null || { echo "skip aarch64: no $cc here"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
gcc -O0 -D_GNU_SOURCE -Isrc -Iinclude -o "$work/unannounced" tests/helpers/unannounced.c build/tool.a -ldw -lelf -lcapstone -ljansson -lz -lm ||
    { echo "FAIL aarch64: the helper does not compile"; exit 0; }
# the hooks, as far as the linker must find them
printf 'void __tsan_%s(void) {}\n' init func_entry func_exit {,unaligned_}{read,write}{1,2,4,8,16} {read,write}_range >"$work/hooks.c"
cat >"$work/code.c" <<'END'
struct wide { long a[3]; };
struct pair { long a, b; };
struct four { double a, b, c, d; };
struct wide shared, *elsewhere;
struct pair both;
struct four doubles;
static const struct wide constant = {{1, 2, 3}};
__thread struct wide mine;
long counter, numbers[8];
#define APART __attribute__((noinline, noclone))
APART struct wide make(long x) { return (struct wide){{x, x, x}}; }
APART struct pair make_pair(long x) { return (struct pair){x, x}; }
APART long sum(struct wide w) { return w.a[0] + w.a[2]; }
APART long sum_pair(struct pair p) { return p.a + p.b; }
APART double sum_four(struct four f) { return f.a + f.d; }
void stores_result_yes(long x) { shared = make(x); }
void stores_result_elsewhere_yes(long x) { *elsewhere = make(x); }
long stores_result_own(long x) { struct wide own = make(x); return own.a[1]; }
long gives_yes(void) { return sum(shared); }
long gives_elsewhere_yes(void) { return sum(*elsewhere); }
long gives_constant(void) { return sum(constant); }
long gives_thread_own(void) { return sum(mine); }
long gives_own(long x) { struct wide own = {{x, x, x}}; return sum(own); }
long gives_pair_yes(void) { return sum_pair(both); }
double gives_registers_yes(void) { return sum_four(doubles); }
void stores_pair_yes(long x) { both = make_pair(x); }
long counts_announced(void) { return ++counter; }
long adds_announced(int n) { long s = 0; for (int i = 0; i < n; i++) s += numbers[i & 7]; return s; }
long through_announced(long *p, long *q) { *p = 1; *q += 2; return *p + *q; }
void asm_yes(void) { __asm__ volatile(".inst 0xd503201f"); both = make_pair(1); }
int main(void) { return 0; }
END
functions=$(sed -n 's/^[a-z][a-z ]* \([a-z_]*\)(.*/\1/p' "$work/code.c" | grep -E '_(yes|own|constant|announced)$')
for level in -O0 -O1 -O2; do
    if ! $cc $level -g -w -fsanitize=thread -fno-omit-frame-pointer -fno-builtin-memcpy -mbranch-protection=none -fno-pie -c -o "$work/code.o" "$work/code.c" ||
        ! $cc -no-pie -nostdlib -e main -w -fno-pie -O1 -o "$work/program" "$work/code.o" "$work/hooks.c"; then
        echo "FAIL aarch64 $level: the program does not compile"
        continue
    fi
    # shellcheck disable=SC2086
    "$work/unannounced" "$work/program" $functions make make_pair sum sum_pair sum_four >"$work/found" || { echo "FAIL aarch64 $level: nothing could be read"; continue; }
    for function in $functions; do
        found=$(grep -c "^$function " "$work/found")
        case $function in
        *_yes) [ "$found" -gt 0 ] && echo "ok aarch64 $level $function" || echo "FAIL aarch64 $level: nothing is found in $function" ;;
        *) [ "$found" = 0 ] && echo "ok aarch64 $level $function" || echo "FAIL aarch64 $level: $(grep "^$function " "$work/found" | head -n 1)" ;;
        esac
    done
done
