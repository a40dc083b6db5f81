#!/usr/bin/env bash
# Includes follow the path of the data: a folder of src/ may include base, itself and what stands
# before it. Reads the #include lines, since a diagram that is only drawn drifts.
set -u
cd "$(dirname "$0")/.." || exit 2
path=(base instrument runtime explore record history spec check model refine prove verdict report cli)
rank() { local i; for i in "${!path[@]}"; do [ "${path[$i]}" = "$1" ] && { echo "$i"; return; }; done; echo -1; }
bad=0
while IFS=: read -r file line; do
    from=${file#src/}; from=${from%%/*}
    to=${line#*\"}; to=${to%%/*}
    [ -d "src/$to" ] || continue
    f=$(rank "$from"); t=$(rank "$to")
    # checkers produce verdicts: verdict/ is plain data that stands beside base for them
    if [ "$t" -gt "$f" ] && [ "$to" != verdict ]; then
        echo "$file includes \"$to/...\": $to stands after $from on the path of the data"
        bad=1
    fi
done < <(grep -rHo '^#include "[a-z]*/[^"]*"' src | sed 's/#include //')
exit $bad
