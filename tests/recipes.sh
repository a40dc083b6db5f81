#!/usr/bin/env bash
# tests/recipes.sh [versions] [guix] [rpm] [container]: the recipes of tools/packaging, as far as this machine can run
# them (without a word: all four). Prints "ok NAME", "FAIL NAME ..." or "skip NAME ...".
#   versions   all recipes name the version of VERSION
#   guix       guix.scm is well-formed Scheme (guile; Debian 12 has no Guix)
#   rpm        rpmbuild makes the packages of heddle.spec; what they contain runs
#   container  buildah follows Containerfile, from a root that mmdebstrap makes (or HEDDLE_ROOT_TAR names) in the place
#              of the registry's debian:12, and the image finds the bug of the example; as root
set -u
cd "$(dirname "$0")/.." || exit 2
version=$(cat VERSION)
work=$(mktemp -d); trap 'rm -rf --one-file-system "$work"' EXIT
failed=0
result() { if [ "$2" = 0 ]; then echo "ok $1"; else failed=1; echo "FAIL $1: $(tail -n 5 "$work/log" | tr '\n' ' ')"; fi; }
needs() { # RECIPE PROGRAM...
    local recipe=$1 program; shift
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "skip recipe $recipe: no $program here"; return 1; }
    done
}
versions() {
    { head -n 1 debian/changelog; grep '^Version:' tools/packaging/heddle.spec; grep '(version ' tools/packaging/guix.scm; } >"$work/log"
    [ "$(grep -cF "$version" "$work/log")" = 3 ]; result "recipes: version $version" $?
}
guix() {
    needs guix guile || return
    cat >"$work/read.scm" <<'TEXT'
(for-each (lambda (c name)
            (read-hash-extend c (lambda (_ port) (if (eqv? (peek-char port) #\@) (read-char port)) (list name (read port)))))
          '(#\~ #\$ #\+) '(gexp ungexp ungexp-native))
(define forms
  (with-input-from-file (cadr (command-line))
    (lambda () (let loop ((form (read)) (all '())) (if (eof-object? form) (reverse all) (loop (read) (cons form all)))))))
(exit (equal? (map car forms) '(use-modules package)))
TEXT
    GUILE_AUTO_COMPILE=0 guile -s "$work/read.scm" tools/packaging/guix.scm >"$work/log" 2>&1; result 'recipe guix: is read' $?
}
rpm() {
    needs rpm rpmbuild rpm2cpio cpio || return
    mkdir -p "$work/rpm/SOURCES" "$work/out"
    git archive --prefix="heddle-$version/" HEAD | gzip -n >"$work/rpm/SOURCES/heddle-$version.tar.gz"
    # dependencies have Fedora's names
    rpmbuild --define "_topdir $work/rpm" --nodeps -ba tools/packaging/heddle.spec >"$work/log" 2>&1; result 'recipe rpm: rpmbuild -ba' $?
    find "$work/rpm/RPMS" -name '*.rpm' >"$work/list"
    [ "$(grep -cvE 'debug(info|source)' "$work/list")" = 3 ]; result 'recipe rpm: three packages' $?
    while IFS= read -r package; do rpm2cpio "$package" | (cd "$work/out" && cpio -idm --quiet); done <"$work/list" 2>"$work/log"
    HEDDLE_RUNTIME=$work/out/usr/lib64/heddle "$work/out/usr/bin/heddle" check --no-record examples/queue_check.c >"$work/log" 2>&1
    [ $? = 1 ]; result 'recipe rpm: the packaged tool finds the bug of the example' $?
}
container() {
    needs container buildah podman mmdebstrap || return
    [ "$(id -u)" = 0 ] || { echo "skip recipe container: not root"; return; }
    local tar=${HEDDLE_ROOT_TAR:-$work/root.tar} store=(--root "$work/store" --runroot "$work/run" --storage-driver vfs)
    [ -f "$tar" ] || mmdebstrap --variant=minbase bookworm "$tar" >"$work/log" 2>&1
    { podman "${store[@]}" import -q "$tar" debian:12 && podman "${store[@]}" tag debian:12 debian:12-slim; } >"$work/log" 2>&1
    result 'recipe container: a base' $?
    mkdir "$work/source"; git archive HEAD | tar -x -C "$work/source"
    buildah "${store[@]}" bud --isolation chroot --pull-never --network host -t heddle -f "$work/source/tools/packaging/Containerfile" "$work/source" >"$work/log" 2>&1
    result 'recipe container: built' $?
    # as podman run would start it, without its isolation: chroot
    local made
    made=$(buildah "${store[@]}" from --pull-never heddle 2>"$work/log") && mkdir -p "$work/mine" && cp examples/queue.c examples/queue_check.c "$work/mine/"
    buildah "${store[@]}" run --isolation chroot -v "$work/mine:/work" "$made" -- heddle check --no-record queue_check.c >"$work/log" 2>&1
    [ $? = 1 ] && grep -q '^violated: linearizability' "$work/log"; result 'recipe container: the image finds the bug of the example' $?
    buildah "${store[@]}" rm -a >/dev/null 2>&1
}
[ $# -gt 0 ] || set -- versions guix rpm container
for word in "$@"; do
    case $word in
    versions | guix | rpm | container) $word ;;
    *) sed -n 2,8p "$0"; exit 2 ;;
    esac
done
exit $failed
