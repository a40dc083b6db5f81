# ./dev release refuses what is not ready: a forged tree that is ready but for one thing each time. And the nightly: each
# suite is in one part, and a part that has passed writes its row.
root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
tree=$work/tree; mkdir -p "$tree/tests/suites" "$tree/debian" "$tree/tools/packaging" "$tree/src"; cd "$tree" || exit 2
git init -q . && git config user.email a@b.c && git config user.name tester
cp "$root/tests/release.sh" tests/
today=$(date -u +%Y-%m-%d)
make_ready() {
    echo 1.2.3 >VERSION; echo 'int x;' >src/a.c
    printf '# News\n\n## 1.2.3 (%s)\n\n- A thing.\n\n### Answers that were wrong\n\nnone\n' "$today" >NEWS.md
    printf '# X\n\n## Limits\n' >README.md
    echo 'heddle (1.2.3) unstable; urgency=medium' >debian/changelog
    echo 'Version: 1.2.3' >tools/packaging/heddle.spec; echo '    (version "1.2.3")' >tools/packaging/guix.scm
    printf '#!/bin/sh\necho one never x\necho two never y\n' >tests/nightly.sh; chmod +x tests/nightly.sh
    echo build >.gitignore
}
commit() { git add -A && git commit -qm x; }
rows() { printf '| one | %s | %s | 3 | 5 passed |\n| two | %s | %s | 3 | 5 passed |\n' "$1" "$2" "$1" "$2" >tests/nightly.md; git add -A; git commit -qm rows; }
check() { # NAME PATTERN: what fails; nothing if the pattern is empty
    local said; said=$(tests/release.sh --check 2>&1); local status=$?
    if { [ -z "$2" ] && [ $status = 0 ]; } || { [ -n "$2" ] && [ $status = 1 ] && [ "$(grep -c '^FAIL' <<<"$said")" = 1 ] && grep -qE "^FAIL $2" <<<"$said"; }; then echo "ok release: $1"
    else echo "FAIL release: $1: $(grep '^FAIL' <<<"$said")"; fi
}
ready() { make_ready; commit; rows "$today" "$(git rev-parse --short=12 HEAD)"; }
ready; check 'everything is there' ''
echo more >>README.md; check 'a change' 'the tree is committed'; git checkout -q .
sed -i 's/ (.*/ (not released)/' NEWS.md; commit; check 'no date' 'NEWS.md dates'; ready
for ((i = 0; i < 31; i++)); do sed -i 's/^- A thing/- Another.\n&/' NEWS.md; done; commit; check 'many bullets' 'NEWS.md is for users'; ready
sed -i '/Answers/d' NEWS.md; commit; check 'no list of wrong answers' 'NEWS.md lists'; ready
echo 'heddle (1.2.30) unstable' >debian/changelog; commit; check 'another version' 'debian/changelog'; ready
echo 'int y;' >src/a.c; commit; [ "$(tests/release.sh --check | grep -c '^FAIL nightly .* more than documents')" = 2 ] && echo "ok release: code that the nightly has not seen" || echo "FAIL release: code that the nightly has not seen"; ready
mkdir -p doc; echo text >doc/a.md; commit; check 'documents that the nightly has not seen' ''
rows "$(date -u -d '8 days ago' +%Y-%m-%d)" "$(git rev-parse --short=12 HEAD)"; [ "$(tests/release.sh --check | grep -c '^FAIL nightly .* a week')" = 2 ] && echo "ok release: an old nightly" || echo "FAIL release: an old nightly"
sed -i '/two/d' tests/nightly.md; commit; tests/release.sh --check | grep -q '^FAIL nightly two: never' && echo "ok release: a part that never passed" || echo "FAIL release: a part that never passed"
ready; tests/release.sh >"$work/said" 2>&1; first=$(cat build/release/SHA256SUMS)
git tag | grep -qx v1.2.3 && [ -s build/release/heddle-1.2.3.tar.gz ] && echo "ok release: the tag and a tarball" || echo "FAIL release: the tag and a tarball: $(cat "$work/said")"
git tag -d v1.2.3 >/dev/null; sleep 1; tests/release.sh >/dev/null 2>&1; [ "$first" = "$(cat build/release/SHA256SUMS)" ] && echo "ok release: the same tarball" || echo "FAIL release: another tarball"
cd "$root" || exit 2
# the nightly
tests/nightly.sh --list >"$work/list"
bad=$(for suite in tests/suites/*.sh; do name=$(basename "$suite" .sh)
    [ "$(grep -oE "\\b$name\\b" <(awk '{ $1 = ""; print }' "$work/list" | sort -u) | wc -l)" -ge 1 ] || echo "$name"
done; awk '{ print $1 }' "$work/list" | sort | uniq -d)
[ -z "$bad" ] && echo "ok nightly: every suite is in a part" || echo "FAIL nightly: $bad"
all=$(tests/nightly.sh --list | wc -l)
[ "$all" -gt 40 ] && echo "ok nightly: $all parts" || echo "FAIL nightly: $all parts"
HEDDLE_SHARE=2/3 bash -c '. tests/share.sh; seq 10 | share_of | tr "\n" " "; share_count 10; share_seed 1' >"$work/share"
[ "$(tr '\n' ' ' <"$work/share")" = "2 5 8 4 100004 " ] && echo "ok nightly: shares" || echo "FAIL nightly: shares: $(cat "$work/share")"
# a part that has passed writes its row, one that fails or takes too long does not
fake=$work/fake; mkdir -p "$fake/tests/suites"; cp tests/nightly.sh tests/share.sh tests/run.sh "$fake/tests"; cd "$fake" || exit 2
git init -q . && git config user.email a@b.c && git config user.name tester
for suite in "$root"/tests/suites/*.sh; do echo 'echo "ok share $HEDDLE_SHARE"' >"tests/suites/$(basename "$suite")"; done
echo build >.gitignore; git add -A; git commit -qm x
echo 'echo "FAIL it"' >tests/suites/71_programs.sh; git add -A; git commit -qm y; commit=$(git rev-parse --short=12 HEAD)
tests/nightly.sh 41_found-2 71_programs 70_corpus >"$work/said" 2>&1; status=$?
today=$(date -u +%Y-%m-%d)
if [ $status = 1 ] && grep -q "^| 41_found-2 | $today | $commit | [01] | 1 passed, 0 failed, 0 skipped |$" tests/nightly.md && grep -q '^| 70_corpus ' tests/nightly.md && ! grep -q 71_programs tests/nightly.md &&
    grep -q '^| --- ' tests/nightly.md && [ "$(tests/nightly.sh --list | grep -c " $today ")" = 2 ]; then echo "ok nightly: rows"
else echo "FAIL nightly: rows: $status $(cat "$work/said" tests/nightly.md)"; fi
[ "$(tests/nightly.sh --stale 41_found-2 71_programs | wc -l)" = 1 ] && echo "ok nightly: what is stale" || echo "FAIL nightly: what is stale"
[ "$(for i in 1 2 3; do tests/nightly.sh --list | HEDDLE_SHARE=$i/3 bash -c '. tests/share.sh; share_of'; done | sort -u | wc -l)" = "$(tests/nightly.sh --list | wc -l)" ] && echo "ok nightly: shards" || echo "FAIL nightly: shards"
