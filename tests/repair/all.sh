#!/usr/bin/env bash
# tests/repair/all.sh [PATTERN]: heddle repair on every violation of tests/programs/wrong and of the corpora that PATTERN
# matches. Of each one that sc allows to hold it must say a repair, or that no set of up to three accesses is one; what
# it says is tried: the patch, where there is one, is applied to a copy, which must hold. Prints a line for each, then counts.
# HEDDLE names another tool; TIME is for each (60s).
set -u
heddle=${HEDDLE:-$PWD/build/heddle} pattern=${1:-.} time=${TIME:-60s} top=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
declare -A count
wrong=0
# The places that the patch has changed must be among those that weaken calls needed as they are: it builds and explores
# everything again. Orders of fences that are new have places of their own.
weaker() { # FOLDER ARGUMENT...
    local folder=$1 place said; shift
    (cd "$folder" && timeout 200 "$heddle" weaken --quiet --time="$time" "$@" >"$work/weakened" 2>&1) || { echo ", weaken: $(head -n 1 "$work/weakened" | cut -c1-80)"; return; }
    said=
    for place in $(sed -n '/^\(This\|These\|Each\)/,/^The patch/s/^ *\(1\. \)\{0,1\} *\([^ ]*:[0-9]*:\).* -> .*/\2/p' "$work/report" | sort -u); do
        awk -v place="$place" '/^[A-Z]/ { needed = /^Needed/ }
            index($1, place) == 1 { if (needed) yes = 1; else no = 1 } END { exit no && !yes }' "$work/weakened" || said+=" weaker: $place"
    done
    echo ", ${said:-not weaker}"
}
one() { # FOLDER ARGUMENT... : without the word run or check
    local folder=$1 kind again at; shift
    (cd "$folder" && timeout 200 "$heddle" repair --json --quiet --no-record --time="$time" "$@" >"$work/answer" 2>"$work/error"); local status=$?
    kind=$(python3 - "$work/answer" <<'P'
import json, sys
try: a = json.load(open(sys.argv[1]))
except Exception: print("error"); sys.exit()
r = a.get("repair") or {}
was = a.get("as_it_is") or {}
if was.get("verdict") == "holds": print("holds-as-it-is")
elif was.get("verdict") != "violated": print("undecided")
elif (r.get("models") or {}).get("sc") == "violated": print("under-sc-too")
elif not r: print("none")
else:
    ways = r.get("ways") or []
    sizes = sorted({len(w["changes"]) for w in ways if not any(c["kind"] != "order" for c in w["changes"])})
    print("%s%s%s" % (r.get("end"), "-" + str(sizes[0]) if sizes else "", "" if r.get("minimal") else "-not-minimal"))
P
)
    again=
    if [[ $kind == repaired* ]]; then
        rm -rf "$work/copy"; cp -r "$top/$(dirname "$folder")" "$work/copy"
        at=$work/copy/$(basename "$folder")
        (cd "$at" && timeout 200 "$heddle" repair --quiet --time="$time" "$@" >"$work/report" 2>/dev/null)
        local how; how=$(sed -n "s/^The patch.*for \`\(patch .*\)':/\1/p" "$work/report")
        if [ -n "$how" ] && (cd "$at" && $how -s <"$work/report" >/dev/null 2>&1); then
            local word=run
            grep -q 'HD_OP\|heddle.h' "$at/${*: -1}" 2>/dev/null && word=check
            (cd "$at" && timeout 100 "$heddle" "$word" --quiet --no-record --no-repair --time="$time" "$@" >"$work/patched" 2>&1); again=" patched: $(head -n 1 "$work/patched" | cut -d: -f1)"
            [[ $again == *holds ]] && again+=$(weaker "$at" "$@")
        else again=" (no patch)"; fi
    fi
    [[ $kind$again =~ error|patched:\ [vie]|weaker: ]] && wrong=1
    count[$kind]=$((${count[$kind]:-0} + 1))
    echo "$kind$again: $folder $* (status $status)"
}
for file in tests/programs/wrong/*.c tests/programs/wrong/*.cpp; do
    [[ $file =~ $pattern ]] || continue
    grep -q '^// expect: violated' "$file" || continue
    options=$(sed -n 's|^// args: *||p' "$file" | head -n 1)
    [[ $options == *--model=sc* || $options == *unbounded* || $options == *schedules* ]] && continue
    # shellcheck disable=SC2086
    one tests/programs/wrong $options "$(basename "$file")"
done
for table in corpus/*/expected.csv; do
    while IFS= read -r row; do
        arguments=${row%%,violated,*}; arguments=${arguments#\"}; arguments=${arguments%\"}
        [[ "$table $arguments" =~ $pattern ]] || continue
        [[ $arguments =~ ^(run|check)\  ]] || continue
        [[ $arguments == *--model=sc* || $arguments == *unbounded* || $arguments == *schedules* || $arguments == *samples* ]] && continue
        # shellcheck disable=SC2086
        eval "one $(dirname "$table") ${arguments#* }"
    done < <(grep ',violated,' "$table")
done
for kind in "${!count[@]}"; do echo "COUNT $kind ${count[$kind]}"; done | sort
[ "$wrong" = 0 ]
