#!/usr/bin/env bash
# tests/advice/follow.sh FILE...: does the advice of an inconclusive answer help? The comments at the top of each file say
# what is asked, which reason and which advice are to be given (regular expressions), what follows the advice, and the
# better answer. A word @--option there stands for that option as the advice has it, with its value.
# A file with a hint instead of reason and advice is about a violation that the test file may not mean.
set -u
heddle=$PWD/build/heddle
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
field() { sed -n "s/^\(\/\/\|#\) $1: //p" "$2" | head -n 1; }
answer_to() { # FILE, WORDS, the answer they must give
    (cd "$work" && eval "timeout 300 \"$heddle\" $2 --quiet --no-record \"$1\"") >"$work/said" 2>&1 </dev/null
    if [ "$(head -n 1 "$work/said" | cut -d: -f1)" = "$3" ]; then
        echo "ok advice: $1"
    else
        echo "FAIL advice: $1: heddle $2 does not give $3: $(head -n 6 "$work/said")"
    fi
}
follow() {
    local file=$1 base asked then better word value status words=()
    base=$(basename "$file")
    cp "$file" "$work/$base"
    asked=$(field asks "$file") then=$(field 'then' "$file") better=$(field better "$file")
    # shellcheck disable=SC2086
    (cd "$work" && eval "timeout 100 \"$heddle\" $asked --quiet --no-record \"$base\"") >"$work/said" 2>&1 </dev/null; status=$?
    tr -s '\n ' ' ' <"$work/said" >"$work/line"
    if [ -n "$(field hint "$file")" ]; then
        { [ $status = 1 ] && grep -qE -e "$(field hint "$file")" "$work/line"; } || { echo "FAIL advice: $base: exit status $status: $(cut -c1-600 "$work/line")"; return; }
        answer_to "$base" "$then" "$better"
        return
    fi
    [ $status = 3 ] || { echo "FAIL advice: $base: exit status $status, not 3: $(head -n 5 "$work/said")"; return; }
    grep -qE -e "$(field reason "$file")" "$work/line" || { echo "FAIL advice: $base: another reason: $(cat "$work/line")"; return; }
    sed -n 's/.*what to do: //p' "$work/line" >"$work/advice"
    grep -qE -e "$(field advice "$file")" "$work/advice" || { echo "FAIL advice: $base: another advice: $(cat "$work/line")"; return; }
    for word in $then; do
        if [[ $word == @* ]]; then
            value=$(grep -oE -e "${word#@}(='[^']*'|=[^ ;,)]*|\b)" "$work/advice" | head -n 1)
            [ -n "$value" ] || { echo "FAIL advice: $base: it has no ${word#@}: $(cat "$work/advice")"; return; }
            word=${value%.}
        fi
        words+=("$word")
    done
    answer_to "$base" "${words[*]}" "$better"
}
for file in "$@"; do follow "$file"; done
