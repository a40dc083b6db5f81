# shellcheck shell=bash
# Sourced by suites whose nightly counts take longer than a part of the nightly may: HEDDLE_SHARE=I/N asks for the share I
# of N (tests/nightly.sh). share_of passes on every Nth of its lines; share_count divides a count and share_seed moves a seed, so
# that the shares together make as much as the whole, with different seeds. Without HEDDLE_SHARE they change nothing.
share_of() {
    awk -v share="${HEDDLE_SHARE:-1/1}" 'BEGIN { split(share, part, "/") } NR % part[2] == part[1] % part[2]'
}
share_count() { # COUNT
    local share=${HEDDLE_SHARE:-1/1}
    echo $((($1 + ${share#*/} - 1) / ${share#*/}))
}
share_seed() { # SEED
    local share=${HEDDLE_SHARE:-1/1}
    echo $(($1 + 100003 * (${share%/*} - 1)))
}
