# What an inconclusive answer advises: for each kind of reason a program with which the advice is followed, word for word.
files=()
for file in tests/advice/*.*; do
    [ "${file##*.}" = sh ] && continue
    if [ -n "${HEDDLE_NIGHTLY:-}" ] || grep -q '^\(//\|#\) daily' "$file"; then files+=("$file"); fi
done
bash tests/advice/follow.sh "${files[@]}"
