#!/usr/bin/env bash
# Explores one of the programs here, as it is or with a planted bug. usage: run.sh PROGRAM PACKAGE BUG OPTION...
# BUG is the name of a patch in PROGRAM/bugs, or -. Prints what heddle prints; exit status 77: no sources.
set -u
cd "$(dirname "$0")" || exit 2
program=$1 package=$2 bug=$3 heddle=${HEDDLE:-$PWD/../../build/heddle}
shift 3
source=$(./fetch.sh "$package" ${HEDDLE_CACHED_ONLY:+--cached}) || exit 77
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export TMPDIR=$work # for programs that make files
if [ "$bug" != - ]; then # links are enough: patch writes a new file
    cp -rl "$source" "$work/source" 2>/dev/null || cp -r "$source" "$work/source" || exit 2
    patch -s -p1 -d "$work/source" <"$program/bugs/$bug.patch" || exit 2
    source=$work/source
fi
cd "$program" || exit 2
if [ -x prepare.sh ]; then ./prepare.sh "$source" || exit 2; fi
read -rd '' -a words <build.args
driver=driver.c
[ -e driver.cc ] && driver=driver.cc
"$heddle" run "$@" -I. $driver "${words[@]//@/$source}"
