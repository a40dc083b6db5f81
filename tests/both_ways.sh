#!/usr/bin/env bash
# Every row under sc and tso of tests/oracle/counts.csv and of corpus/*/expected.csv, decided by states and by
# executions: each has the verdict that its table says, both ways. Prints the rows that differ, then a line for each
# table and way; exit status 1 if any row differs. PARALLEL=1: one row at a time; LIMIT=SECONDS for each row of a corpus.
set -u
cd "$(dirname "$0")/.." || exit 2
export LIMIT=${LIMIT:-120} CORPUS='--model=(sc|tso) ' HEDDLE_DEBUG
bad=0
for way in always never; do
    HEDDLE_DEBUG=states=$way
    said=$(REDUCED=1 ROWS='^[^,]*,[^,]*,(sc|tso),' tests/oracle.sh) || bad=1
    echo "oracle, states=$way: $said"
    said=$(bash tests/suites/70_corpus.sh)
    grep '^FAIL' <<<"$said" && bad=1
    echo "corpora, states=$way: $(grep -c . <<<"$said") rows, $(grep -c '^FAIL' <<<"$said") differ"
done
exit $bad
