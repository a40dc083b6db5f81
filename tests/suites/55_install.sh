# make install puts everything where a distribution would, and the installed tool works from there.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
if make -s install PREFIX="$work/usr" >"$work/log" 2>&1; then echo "ok make install"; else echo "FAIL make install"; tail -n 5 "$work/log"; fi
for file in bin/heddle lib/heddle/heddle_rt.o lib/heddle/wrap.args lib/pkgconfig/heddle.pc share/man/man1/heddle.1 share/man/man1/heddle-run.1; do
    if [ -s "$work/usr/$file" ]; then echo "ok $file"; else echo "FAIL $file is not installed"; fi
done
tests/recipes.sh versions guix
cd "$work" || exit 2
printf '#include <assert.h>\n#include <pthread.h>\nstatic void *f(void *p) { return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return pthread_join(t, 0); }\n' >p.c
if usr/bin/heddle run p.c | grep -q '^holds'; then echo "ok the installed tool"; else echo "FAIL the installed tool"; fi
cd - >/dev/null || exit 2
make -s uninstall PREFIX="$work/usr"
left=$(find "$work/usr" -type f)
if [ -z "$left" ]; then echo "ok make uninstall"; else echo "FAIL make uninstall leaves $left"; fi
# every manual page is well formed, and every command and its page name each other
for page in man/*.1 man/*.7; do
    [ -f "$page" ] || continue
    command -v groff >/dev/null || { echo "skip $page: no groff"; continue; }
    complaints=$(groff -t -man -ww -Tutf8 "$page" 2>&1 >/dev/null | head -n 3)
    if [ -z "$complaints" ]; then echo "ok $page"; else echo "FAIL $page: $complaints"; fi
done
