# Files from strangers: a record, a project's heddle.toml, golden code and the files around them must not
# run a command, load a plug-in or write a file. Each case failed before the code that it tests.
# HEDDLE_NIGHTLY=1 tries every option that gcc, clang and ld tell of themselves, instead of one in 120.
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for program in forge trusted; do
    cc -std=c17 -D_GNU_SOURCE -O1 -Isrc -Iinclude -o "$work/$program" "tests/attack/$program.c" build/tool.a -lz || exit 2
done
for part in "$root"/tests/attack/*.sh; do
    mkdir -p "$work/$(basename "$part" .sh)"
    # shellcheck disable=SC1090
    (cd "$work/$(basename "$part" .sh)" && . "$part")
done
