#!/usr/bin/env bash
# Everything that a release needs is there: then makes the tag and, in build/release/, a tarball with its checksum.
#   tests/release.sh           checks, and on success makes the tag vX.Y.Z and the tarball
#   tests/release.sh --check   only checks; prints "ok NAME" or "FAIL NAME ..."
# A tag does not travel by itself: whoever publishes pushes it. The tarball is the same, byte for byte, wherever it is made.
# RELEASE_TREE names another tree that is checked (tests/suites/55_release.sh forges some).
set -u
cd "${RELEASE_TREE:-$(dirname "$0")/..}" || exit 2
case ${1:-} in '' | --check) ;; *) echo "tests/release.sh: there is no option $1" >&2; exit 2 ;; esac
version=$(cat VERSION)
bad=0
say() { # NAME REASON: an empty reason is a good one
    if [ -z "$2" ]; then echo "ok $1"; else echo "FAIL $1: $2"; bad=1; fi
}
say 'the tree is committed' "$(git status --porcelain | head -n 3 | tr '\n' ' ')"
say 'VERSION is a version' "$(grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' VERSION || echo "it is $version")"
# the first section of NEWS.md
head=$(grep -m 1 '^## ' NEWS.md)
day=$(sed -nE "s/^## ${version//./\\.} \\(([0-9]{4}-[0-9]{2}-[0-9]{2})\\)$/\\1/p" <<<"$head")
say 'NEWS.md dates this version' "$([ -n "$day" ] || echo "its first section is '$head'")"
bullets=$(awk '/^## / { n++ } n == 1 && /^- / { count++ } n == 1 && /^### .*wrong/ { exit } END { print count + 0 }' NEWS.md)
say 'NEWS.md is for users' "$([ "$bullets" -le 30 ] || echo "$bullets bullets: more than 30")"
say 'NEWS.md lists the answers that were wrong' "$(grep -q '^### Answers that were wrong' NEWS.md || echo 'there is no such section')"
say 'README.md tells the limits' "$(grep -q '^## Limits' README.md || echo 'there is no section Limits')"
names_version() { # FILE PATTERN: the line that says it
    local line
    line=$(grep -m 1 -E "$2" "$1" 2>/dev/null)
    say "$1 has this version" "$(grep -qE "(^|[^0-9.])${version//./\\.}([^0-9.]|$)" <<<"$line" || echo "it says: $line")"
}
names_version debian/changelog '^heddle \('
names_version tools/packaging/heddle.spec '^Version:'
names_version tools/packaging/guix.scm '\(version '
# the nightly: each part within a week of the day, on this commit or on one that differs in documents only
documents=(':!doc' ':!man' ':!*.md' ':!debian/changelog' ':!tests/nightly.md')
while read -r part _; do
    IFS='|' read -r _ _ passed commit _ < <(grep -F "| $part |" tests/nightly.md 2>/dev/null)
    passed=${passed// /} commit=${commit// /}
    if [ -z "$passed" ]; then reason='never passed'
    elif [[ $commit == *changed* ]]; then reason="passed on $passed with changes that were not committed"
    elif ! git rev-parse -q --verify "$commit^{commit}" >/dev/null; then reason="passed on $commit, which is not here"
    elif [ -n "$(git diff --name-only "$commit" HEAD -- . "${documents[@]}")" ]; then reason="passed on $commit, which differs from this one in more than documents"
    elif [ $(($(date -u -d "${day:-today}" +%s) - $(date -u -d "$passed" +%s))) -gt $((7 * 86400)) ]; then reason="passed on $passed, more than a week before"
    else reason=; fi
    say "nightly $part" "$reason"
done < <(tests/nightly.sh --list)
[ "${1:-}" != --check ] || exit $bad
[ $bad = 0 ] || { echo "no release: see above" >&2; exit 1; }
git rev-parse -q --verify "v$version" >/dev/null && { echo "the tag v$version is there already" >&2; exit 1; }
mkdir -p build/release
name=heddle-$version
git archive --prefix="$name/" HEAD | gzip -9n >"build/release/$name.tar.gz" || exit 1
git archive --prefix="$name/" HEAD | gzip -9n | cmp - "build/release/$name.tar.gz" || { echo "the tarball is another one each time" >&2; exit 1; }
(cd build/release && sha256sum "$name.tar.gz" >SHA256SUMS && cat SHA256SUMS)
git tag -a "v$version" -m "Heddle $version" && echo "tagged v$version; publish it with: git push origin v$version"
