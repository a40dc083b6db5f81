# Test files for other people's libraries (corpus/libraries), where Debian's package is installed. `expect 2x2:` is
# for that shape only, where all that check would try takes too long.
# builds: kept with corpus
heddle=$PWD/build/heddle
cd corpus/libraries || exit 2
for file in *.c *.cpp; do
    package=$(sed -n 's|^// package: ||p' "$file")
    dpkg -s "$package" >/dev/null 2>&1 || { echo "skip $file: $package is not installed"; continue; }
    command=$(sed -n 's|^// command: ||p' "$file") # if it is no test file, but a program
    read -ra options < <(sed -n 's|^// options: ||p' "$file")
    while read -r shape model verdict violation; do
        # shellcheck disable=SC2086
        got=$(timeout 120 "$heddle" ${command:-check} --quiet --no-record --json --time=60s ${shape%-} --model="$model" "${options[@]}" "$file" 2>&1 |
            awk -v keys="verdict violation" -f ../../tests/json.awk)
        if [ "$got" = "$verdict"$'\t'"${violation:--}" ]; then echo "ok $file $model"; else echo "FAIL $file $model: $got, not $verdict $violation"; fi
    done < <(sed -nE 's|^// expect( [0-9x+]+)?: (.*)|\1;\2|p' "$file" |
        awk -F ';' '{ for (i = 2; i <= NF; i++) print ($1 ? "--shape=" substr($1, 2) : "-"), $i }')
done
exit 0
