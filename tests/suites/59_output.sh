# Output for editors and for continuous integration: --lines, --baseline, --color, --quiet, --verbose, report --open.
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
says() { # NAME STATUS PATTERN COMMAND...: what it prints on both streams matches
    local name=$1 status=$2 pattern=$3 got; shift 3
    timeout 60 "$@" >text 2>&1 </dev/null; got=$?
    if [ $got = "$status" ] && grep -qE -- "$pattern" text; then echo "ok output: $name"; else echo "FAIL output: $name: exit status $got, not $status: $(head -c 600 text)"; fi
}
same() { if [ "$2" = "$3" ]; then echo "ok output: $1"; else echo "FAIL output: $1: $3, not $2"; fi; }
cat >p.c <<'TEXT'
#include <pthread.h>
static int x;
static void *f(void *a)
{
    x = 1;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    int y = x;
    pthread_join(t, 0);
    return y * 0;
}
TEXT
sed 's/int y = x;/int y = 0;/' p.c >good.c

# for editors
says 'an error with its line' 1 '^p.c:(5|12): error: race: data race on x' "$heddle" run -q --no-record --lines p.c
says 'its steps as notes' 1 '^p.c:11: note: 1\. main: create T1' "$heddle" run -q --no-record --lines p.c
says 'nothing to jump to' 0 '^holds: good.c under rc11$' "$heddle" run -q --lines good.c
says 'not explored' 3 '^p.c:1: warning: inconclusive: ' "$heddle" run -q --lines --no-record --model=sc --event-bound=1 p.c
# VS Code's matcher and Vim's list, on the same lines
"$heddle" run -q --no-record --lines p.c >lines 2>&1
pattern=$(sed -n 's/.*"regexp": "\(.*\)",/\1/p' "$root/tools/vscode/tasks.json" | head -n 1 | sed 's/\\\\/\\/g')
if command -v python3 >/dev/null; then
    same 'the problem matcher of VS Code' "p.c error $(grep -c . lines)" "$(PATTERN=$pattern python3 -c '
import os, re
found = [m for m in (re.match(os.environ["PATTERN"], line) for line in open("lines").read().splitlines()) if m]
print(found[0].group(1), found[0].group(4), len(found))')"
else echo "skip output: no python3 here"; fi
if command -v vim >/dev/null; then
    PATH=$root/build:$PATH timeout 60 vim -es -u NONE --cmd "set rtp+=$root/tools/vim" -c 'compiler heddle' -c 'silent make run -q --no-record p.c' -c 'call writefile(map(getqflist(), {i, v -> bufname(v.bufnr) . ":" . v.lnum . ":" . v.type}), "list")' -c 'qa!' >/dev/null 2>&1
    same 'the list of Vim' "$(sed -E 's/^(p.c:[0-9]+): (.).*/\1:\2/' lines | tr 'A-Z' 'a-z' | tr '\n' ' ')" "$(tr 'A-Z' 'a-z' <list 2>/dev/null | tr '\n' ' ')"
else echo "skip output: no vim here"; fi

# what is known does not fail
"$heddle" run -q --no-record --sarif=known.sarif p.c >/dev/null
says 'a known violation' 0 'known.sarif lists this violation: it is known' "$heddle" run -q --no-record --baseline=known.sarif p.c
{ echo; cat p.c; } >moved.c; mv moved.c p.c
says 'a known violation whose line has moved' 0 'it is known' "$heddle" run -q --no-record --baseline=known.sarif --sarif=now.sarif p.c
says 'its state' 0 '"baselineState": "unchanged"' cat now.sarif
sed 's/x/z/g' p.c >q.c; says 'a new violation' 1 '^violated: race' "$heddle" run -q --no-record --baseline=known.sarif --sarif=now.sarif q.c
says 'is new' 0 '"baselineState": "new"' cat now.sarif
says 'holds with a baseline' 0 '^holds' "$heddle" run -q --baseline=known.sarif good.c
echo '{"a": 1}' >no.sarif; says 'what is no log' 2 'no.sarif: is no SARIF log' "$heddle" run -q --no-record --baseline=no.sarif p.c
says 'what is not there' 2 'gone.sarif: No such file' "$heddle" run -q --no-record --baseline=gone.sarif p.c
printf '[[test]]\ncommand = "run"\nfile = "p.c"\n[[test]]\ncommand = "run"\nfile = "good.c"\n[[test]]\ncommand = "run"\nfile = "q.c"\nexpect = "violated race"\n' >heddle.toml
says 'the log of a list of tests' 1 '3 tests, 2 as expected, 1 not' "$heddle" check -q --sarif=all.sarif
same 'has what is not as expected' 1 "$(grep -c '"ruleId"' all.sarif)"
says 'and is a baseline for it' 0 'p.c +violated: race .* known' "$heddle" check -q --baseline=all.sarif

# colours, and what is told
escape=$(printf '\033')
says 'no colour in a pipe' 1 '^violated: race' "$heddle" run -q --no-record p.c
says 'colour that is asked for' 1 "$escape" "$heddle" run -q --no-record --color=always p.c
if command -v script >/dev/null; then
    on_terminal() { TERM=xterm script -qec "$*" /dev/null </dev/null 2>&1; }
    on_terminal "$heddle" run -q --no-record p.c >text; grep -q "${escape}\[3" text && echo "ok output: colour on a terminal" || echo "FAIL output: no colour on a terminal"
    NO_COLOR=1 on_terminal "$heddle" run -q --no-record p.c >text; grep -q "${escape}\[3" text && echo "FAIL output: NO_COLOR" || echo "ok output: NO_COLOR"
    on_terminal "$heddle" run -q --no-record --color=never p.c >text; grep -q "${escape}\[3" text && echo "FAIL output: --color=never" || echo "ok output: --color=never"
else echo "skip output: no script here"; fi
says 'another word' 2 'auto, always or never' "$heddle" run --color=blue p.c
"$heddle" cc good.c -o good -pthread; "$heddle" run -q good 2>&1 >/dev/null | grep -q . && echo "FAIL output: --quiet tells something" || echo "ok output: --quiet"
says 'the commands that are run' 0 'fsanitize=thread' "$heddle" run --verbose good.c
for command in run check weaken history refine prove replay report; do
    "$heddle" $command --help >text
    { grep -q -- '-q, --quiet  *Nothing on standard error' text && grep -q -- '--color=WHEN' text && grep -q -- '-v, --verbose' text; } && echo "ok output: options of $command" || echo "FAIL output: $command has no --quiet, --verbose or --color"
done
"$heddle" run -q --record=p.heddle p.c >/dev/null
printf '#!/bin/sh\necho "$1" >%s/shown\n' "$work" >browser; chmod +x browser
says 'a page is opened' 0 '^p.html$' env BROWSER="$work/browser" "$heddle" report --open p.heddle
same 'by its whole name' "file://$(realpath p.html)" "$(cat shown)"
says 'a browser that is not there' 2 'nosuchbrowser' env BROWSER=nosuchbrowser "$heddle" report --open p.heddle

# the recipes for continuous integration: what they run for a check, on a project with a known and a new bug
for recipe in github gitlab; do
    file=$root/tools/ci/$recipe.yml
    if python3 -c 'import yaml' 2>/dev/null; then python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$file" && echo "ok output: $recipe.yml is YAML" || echo "FAIL output: $recipe.yml is no YAML"; fi
    if [ $recipe = github ]; then sed -n '/name: Check/,/- uses/p' "$file" | sed -n '/run: |/,/- uses/p' | sed '1d;$d' >script; else sed -n '/^  script:/,/^  artifacts:/s/^    - //p' "$file" >script; fi
    printf '[[test]]\ncommand = "run"\nfile = "p.c"\n' >heddle.toml; rm -f heddle-baseline.sarif heddle.sarif heddle.xml
    PATH=$root/build:$PATH says "$recipe: a bug fails" 1 '1 tests?, 0 as expected, 1 not' bash -e script
    { [ -s heddle.sarif ] && [ -s heddle.xml ]; } && echo "ok output: $recipe: reports" || echo "FAIL output: $recipe: no reports"
    cp heddle.sarif heddle-baseline.sarif
    PATH=$root/build:$PATH says "$recipe: a known bug does not" 0 'known' bash -e script
done

# names of C++ as people write them, in notes and for --trust
cat >poke.cc <<'TEXT'
#include <thread>
namespace deep { template <typename T> struct Box { T v; __attribute__((noinline)) void poke() { asm volatile("lock incl %0" : "+m"(v)); } }; }
static deep::Box<int> box;
int main() { std::thread t([] { box.poke(); }); box.poke(); t.join(); }
TEXT
says 'a demangled name' 3 'in deep::Box<int>::poke\(\) is an' "$heddle" run -q --no-record poke.cc
says 'a demangled name is trusted' 0 'trusted, as --trust asks' "$heddle" run -q '--trust=deep::Box<int>::poke()' poke.cc

# what to do about an answer that is inconclusive
printf '#include <unistd.h>\nint main(void) { int ends[2]; return pipe(ends); }\n' >outside.c
says "advice: a call that can't be explored" 3 'what to do: Put something in the place of that call' "$heddle" run --no-record outside.c
