#!/usr/bin/env bash
# Changes one line of src/guest/explore or src/refine at a time (negates a condition, drops an undo) and sees that an
# assertion or a test fails each time: tests/mutants.sh [NAME...]. Each mutant is built in a copy of the tree with the objects that are
# there, so that it takes seconds; the checks go from cheap to dear, and the first one that fails is named. A mutant that
# nothing notices (or whose line is no longer there) fails this script. Part of ./dev nightly. tests/mutants.sh --lines
# only sees that the lines are there, --names lists them.
set -u
cd "$(dirname "$0")/.." || exit 2

# NAME | file below src/guest/explore, or refine/FILE | sed command
list() {
    cat <<'END'
log-kept|search/frames.c|s/^        undo_to(f->log_mark);$/        ;/
newer-stack|search/frames.c|s/left = threads_created & f->ran;/left = threads_created \& ~f->ran;/
unrun-kept|memory/undo.c|s/if (entry->thread == t && !entry->dead && /if (entry->thread != t \&\& !entry->dead \&\& /
cell-kept|memory/undo.c|s/^        swap_cell(entry);$/        ;/
snapshot-mark|search/frames.c|s/^    checkpoints.top = f->snapshot_mark;$/    checkpoints.top = 0;/
stack-kept|search/checkpoint.c|s/^    memcpy(fiber->sp, checkpoints.stacks + e->snapshot, e->snapshot_bytes);$//
heap-cursor|search/checkpoint.c|s/^    heap_cursor\[t\] = (HeapCursor){e->heap_used, e->heap_count};$//
maximal-write|search/revisit.c|s/if (r->rf == id && r->stamp < e->stamp)/if (r->rf == id \&\& r->stamp > e->stamp)/
maximal-later|search/revisit.c|s/if (z != a && (z->stamp <= e->stamp/if (z != a \&\& (z->stamp > e->stamp/
rmw-pair|search/revisit.c|s/if (!q->rmw || q->rf != a->rf || /if (!q->rmw || q->rf == a->rf || /
rmw-deleted|search/revisit.c|s/if (w->stamp < r->stamp || in_prefix(w, a))/if (!(w->stamp < r->stamp || in_prefix(w, a)))/
rmw-survives|search/revisit.c|s/if (w->stamp < r->stamp || in_prefix(w, a))/if (false)/
cut-created|search/revisit.c|s/^            threads_created &= ~thread_bit(e->other);$/            ;/
cut-live|search/revisit.c|s/^        threads\[t\].live = LIVE_NO;$//
co-positions|graph/locations.c|/^void graph_insert_co/,/^}/s/^        pool\[x->co\[q\]\].co = q;$//
co-removed|graph/graph.h|/^static inline void graph_remove_co/,/^}/s/^        pool\[x->co\[q\]\].co = q;$//
rmw-split|graph/locations.c|s/return w->rmw && w->rf == x->co\[position - 1\];/return w->rmw \&\& w->rf != x->co[position - 1];/
bound-write|graph/locations.c|s/^    bound = MAX(bound, p);$//
bound-read|graph/locations.c|/^    for (; j >= 0 && bound/,/^    return/s/if (before(r, h))/if (!before(r, h))/
created-clock|graph/graph.c|/create\];/,/}/s/^            clock_copy(&e->hb, &p->hb);$//
later-write|graph/models/search.h|s/for (int p = position + 1; p < x->writes; p++)/for (int p = position + 2; p < x->writes; p++)/
rest-claim|reduce/rest.c|/^void op_note_claim/,/^}/s/rest_is_off = true;/;/
rest-result|reduce/rest.c|s/if (last_event(t)->value != results\[t\])/if (false)/
rest-silent|reduce/rest.c|s/if (entry->dead || entry->thread != 0/if (entry->kind == LOG_READ || entry->thread != 0/
rest-waits|reduce/rest.c|s/if ((threads_created & ~threads_ended) != thread_bit(0))/if (false)/
rest-value|reduce/rest.c|s/ || pool\[x->co\[x->writes - 1\]\].value != list->load\[i\].value)/)/
rest-threads|reduce/rest.c|s/ && known.created == threads_created && !alikes.met)/)/
rest-joined|reduce/rest.c|s/has_given_up() || !has_joined_all(first)/has_given_up()/
rest-static|reduce/rest.c|s/x->writes > 1 && (uintptr_t)x->address < STACK_BASE && /x->writes > 1 \&\& /
way-in|graph/models/sc.c|s/(was_acyclic() && company_of_thread(e) != COMPANY_WRITES)/was_acyclic()/
age-bound|refine/relax.c|/^static bool in_time/,/^}/s/age >= automaton/age > automaton/
cancel-result|refine/relax.c|s/^                promise->result != late->result ||$//
cancel-unresolved|refine/relax.c|s/if (late->is_promise || late->thread)/if (late->is_promise)/
no-promise|refine/relax.c|s/for (int op = 0; op < operations; op++)/for (int op = 0; op < 0 * operations; op++)/
same-arguments|refine/relax.c|s/(own == 0 || memcmp(entry->arguments, arguments, own) == 0)/(own == 0 || arguments)/
brings-shift|refine/relax.c|s/(unsigned char)(256 - j);/(unsigned char)(255 - j);/
dead-kept|refine/relax.c|/^static bool add_outcome/,/^}/s/if (!alive)/if (false)/
alive-alone|refine/relax.c|s/for (int others = 0; others < 2 /for (int others = 0; others < 1 /
alive-result|refine/relax.c|/^static bool alive_slot/,/^}/s/if (!late->thread && step.result != late->result)/if (false)/
resolve-dead|refine/relax.c|s/if (!ref_relax_is_alive(automaton, &relaxed, &alive) || !alive)/if (!ref_relax_is_alive(automaton, \&relaxed, \&alive))/
rename-result|refine/automaton.c|s/^        entry->result = renaming->values\[entry->result & 0xFF\];$/        ;/
rename-arguments|refine/automaton.c|/^static void entry_rename/,/^}/s/^            \*at = renaming->values\[\*at\];$/            ;/
antichain|refine/worker.c|s/if (is_subset(&worker->vector, &worker->configs, width))/if (is_subset(\&worker->configs, \&worker->vector, width))/
thread-arguments|refine/canon.c|s/^    add_cells(thread + program->arguments_offset, &operation->argument_cells, out);$//
age-classes|refine/relax.c|/^bool ref_relax_step/,/^}/s/if (now.entries\[i\].class_of == class_of)/if (true)/
alive-late|refine/relax.c|s/(class_of < 0 || !has_late(&now.relaxed, class_of)) \&\&/(class_of < 0) \&\&/
alive-fresh|refine/relax.c|s/arguments_first(automaton, now->base, op, search->seen_values, arguments);/arguments_first(automaton, now->base, op, NULL, arguments);/
own-reader|graph/models/search.h|s/r->rf == id \&\& (r->thread != e->thread || /r->rf == id \&\& (r->thread == e->thread || /
contents-one|facts/contents.c|s/return present->failed ? 0 : present->chosen\[i\];/return 0;/
contents-unnoted|facts/noting.c|s/, .request = contents_note_writes};/};/
contents-late|facts/contents.c|/^static void note(/,/^}/s/values_grows(k->used & VALUES_ALL);/values_grows(false);/
alike-one-answer|reduce/confirm/alike.c|/^static bool goes_on_alike/,/^}/s/i < count; i++/i < 1; i++/
alike-touches|reduce/confirm/alike.c|s/ || !ghost_touches_nothing_new(t, undo_count))/)/
returning-all|reduce/confirm/returning.c|s/bool useless = !(__atomic_load_n(&k->between\[i\], __ATOMIC_RELAXED) >> j & 1);/bool useless = true;/
returning-early|reduce/confirm/confirm.c|s/result && (merges || paths_confirm/result \&\& (merges || *returns || paths_confirm/
END
}

place() { # FILE: its path
    case $1 in refine/*) echo "src/$1" ;; *) echo "src/guest/explore/$1" ;; esac
}
mutate() { # FILE CHANGE: the file with the change, if that is one
    sed "$2" "$(place "$1")" | cmp -s - "$(place "$1")" && return 1
    sed "$2" "$(place "$1")"
}
if [ "${1:-}" = --names ]; then list | sed 's/|.*//'; exit 0; fi
if [ "${1:-}" = --lines ]; then
    list | {
        bad=0
        while IFS='|' read -r name file change; do
            mutate "$file" "$change" >/dev/null || { echo "mutant $name: $file has no such line"; bad=1; }
        done
        exit $bad
    }
    exit
fi

work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp HEDDLE_TEST_JOBS=1
mkdir -p "$work/tree" "$TMPDIR"
make -s all build/unit/explore_graph build/unit/refine_random || exit 1
cp -a Makefile VERSION src include tests corpus build "$work/tree" || exit 1

checks() { # FILE: prints what notices the mutant
    local suite failed
    if [[ $1 = refine/* ]]; then
        for test in definition_agrees reductions_agree; do
            HEDDLE_COUNT=2000 timeout 1200 build/unit/refine_random $test >"$work/out" 2>&1 ||
                { echo "unit refine_random $test: $(grep -m 1 -o 'HEDDLE_SEED=[0-9]*' "$work/out")"; return; }
        done
        return
    fi
    if [[ $1 = reduce/confirm/* || $1 = facts/* || $1 = search/meet.c ]]; then
        for suite in 37_waiting 40_programs; do
            failed=$(timeout 600 bash "tests/suites/$suite.sh" 2>&1 | grep -m 1 '^FAIL')
            [ -z "$failed" ] || { echo "$suite: ${failed#FAIL }" | cut -c1-90; return; }
        done
        return
    fi
    timeout 60 build/unit/explore_graph >"$work/out" 2>&1 || { echo "unit explore_graph"; return; }
    failed=$(PROGRAMS=/heap_ timeout 100 bash tests/suites/40_programs.sh 2>&1 | grep -m 1 '^FAIL')
    [ -z "$failed" ] || { echo "programs: ${failed#FAIL }" | cut -c1-90; return; }
    for suite in 36_rest 31_validate 41_found 36_search 40_programs; do
        failed=$(timeout 600 bash "tests/suites/$suite.sh" 2>&1 | grep -m 1 '^FAIL')
        [ -z "$failed" ] || { echo "$suite: ${failed#FAIL }" | cut -c1-90; return; }
    done
}

bad=0 count=0
while IFS='|' read -r name file change; do
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    count=$((count + 1))
    path=$work/tree/$(place "$file")
    cp -p "$path" "$work/kept"
    if ! mutate "$file" "$change" >"$path"; then
        echo "FAIL mutant $name: $file has no such line"
        cp -p "$work/kept" "$path"
        bad=1
        continue
    fi
    if ! (cd "$work/tree" && make -s all build/unit/explore_graph build/unit/refine_random >"$work/out" 2>&1); then
        echo "FAIL mutant $name: it does not compile: $(grep -m 1 error "$work/out")"
        bad=1
    else
        seen=$(cd "$work/tree" && checks "$file")
        if [ -n "$seen" ]; then
            echo "ok mutant $name: $seen"
        else
            echo "FAIL mutant $name: nothing notices it"
            bad=1
        fi
    fi
    cp -p "$work/kept" "$path"
    touch "$path"
done < <(list)
echo "$count mutants"
exit $bad
