#!/usr/bin/env bash
# Prints the folder with the sources of a Debian package. They come by apt-get source, through a list of our own that
# is made from the machine's, and are kept outside of this tree for the next time.
# usage: fetch.sh PACKAGE [--cached]   (--cached: only what is there already)
set -u
package=$1 cache=${HEDDLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/heddle-tests}
folder=$cache/sources/$package
if [ -d "$folder" ]; then echo "$folder"; exit 0; fi
fail() { echo "$package: $1" >&2; exit 1; }
[ "${2:-}" = --cached ] && fail "its sources are not in $cache"
if ! command -v apt-get >/dev/null || ! command -v dpkg-source >/dev/null; then fail "there is no apt-get or dpkg-source"; fi
mkdir -p "$cache/apt/sources" "$cache/apt/lists/partial" "$cache/sources" || fail "$cache can't be made"
exec 9>"$cache/lock" && flock 9
if [ -d "$folder" ]; then echo "$folder"; exit 0; fi
apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$cache/apt/sources"
    -o Dir::State::lists="$cache/apt/lists" -o APT::Sandbox::User="$(id -un)")
if [ ! -e "$cache/apt/ready" ]; then
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] && sed -n 's/^deb /deb-src /p' "$file" >"$cache/apt/sources/$(basename "$file" .list).list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$cache/apt/sources/$(basename "$file")"
    done
    timeout 300 "${apt[@]}" update >/dev/null 2>&1 || fail "apt-get update fails for source packages"
    touch "$cache/apt/ready"
fi
work=$(mktemp -d "$cache/get.XXXXXX") && trap 'rm -rf "$work"' EXIT
(cd "$work" && timeout 300 "${apt[@]}" source --download-only "$package" >/dev/null 2>&1) ||
    fail "apt-get source can't get it"
dpkg-source --no-check -x "$work"/*.dsc "$work/source" >/dev/null 2>&1 || fail "dpkg-source can't unpack it"
mv "$work/source" "$folder" && echo "$folder"
