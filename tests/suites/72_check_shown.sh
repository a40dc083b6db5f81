# shellcheck shell=bash
# Is the execution that is shown the one that is wrong? tests/shown.py asks it of violations of linearizability: by day of two
# (in the second one an order in time that its events do not tell is what is wrong), with HEDDLE_NIGHTLY=1 of all in the
# corpora whose calls a test makes with its own specification, and of tests/found.
# builds: kept with corpus
command -v python3 >/dev/null || { echo "skip shown: python3 is not there"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
{
    printf 'tests/found\tcheck --model=sc --shape=3x1 no_preemption.c\n'
    if [ -z "${HEDDLE_NIGHTLY:-}" ]; then
        printf 'corpus/classics\t%s\n' "check --model=rc11 --scenario='enqueue(1) | enqueue(2) | enqueue(2) | enqueue(1) | dequeue() | dequeue() | dequeue()' -DLOOK_FIRST herlihy_wing_queue.c"
    else
        printf 'tests/found\t%s\n' "check --model=sc --scenario='take() / pop() | take() /' wide_replay_min.c"
        LIST=1 bash tests/suites/70_corpus.sh | awk -F'\t' '$3 == "violated" && $4 == "linearizability" && $2 !~ /quasi|consistency|relax|unbounded/'
    fi
} | python3 tests/shown.py build/heddle "$work"
