#!/usr/bin/env bash
# Mutants of the state key, of what steps touch (steps/taken.h), of steps that are repeated (steps/repeat.h), of reads
# made late (steps/late.h) and of stores that are settled (buffers.h): each is made in a copy of the sources, and a structure
# of this folder must then be decided otherwise than its `// run:` lines expect. By hand, and nightly (37_unbounded.sh);
# `key_mutants.sh 3 7` makes these two; `key_mutants.sh lines` only sees that there is something to replace for each.
# Clauses that no test shows to be needed, and what they are for:
#   memory.c, divert_write and divert_forget_rounds: such a step touches everything. What the runtime writes for itself
#     today is the thread's own, or belongs to a lock whose word the same steps access visibly, and others compare it with
#     their own number only; rounds are forgotten in the requests of threads that wait, which are not foreseen. The clause
#     spares us that argument for each of some 60 places.
#   search.c, growth_passes, and what the crew tells of it: names what grows in an answer that is inconclusive anyway.
#   buffers.c, has_print_of_other, and prints that stay (let_prints_go): stores that race with an access of somebody who has
#     let go of the block since are flushed as steps, so that the race is found. Random structures have no such race so far.
#   steps/late.c, late_settles, `late_used`: to settle stores in other searches would be right as well.
#   steps/late.c, states_key_by_number: the key of a state in which somebody is late goes with the names of the state before.
#     Of two such states that differ in which of two equal threads is late, one would stand for the other.
# A line: file of src/guest/states, what is replaced (a basic regular expression of sed), by what, files that show it,
# what is wrong.
set -u
cd "$(dirname "$0")/../.." || exit 2
lines=; [ "${1:-}" != lines ] || { lines=1; shift; }
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
[ -n "$lines" ] || { cp -a Makefile VERSION tools src include tests build "$out" && cd "$out"; } || exit 2
number=0
while IFS=@ read -r file from to show what; do
    number=$((number + 1))
    [ $# = 0 ] || [[ " $* " == *" $number "* ]] || continue
    if [ -n "$lines" ]; then
        sed "s@$from@$to@" "src/guest/states/$file" | cmp -s - "src/guest/states/$file" &&
            echo "FAIL key mutant $number ($what): nothing to replace"
        continue
    fi
    cp "src/guest/states/$file" original
    sed -i "s@$from@$to@" "src/guest/states/$file"
    if cmp -s original "src/guest/states/$file"; then
        echo "FAIL key mutant $number ($what): nothing to replace"
    elif ! make -s >make.log 2>&1; then
        echo "FAIL key mutant $number ($what): it does not compile: $(grep -m 1 error make.log || tail -n 1 make.log)"
    elif shown=$(UNBOUNDED=$show bash tests/suites/37_unbounded.sh | grep '^FAIL' | head -n 1 | grep .); then
        echo "ok key mutant $number: $what: ${shown:5:100}"
    else
        echo "FAIL key mutant $number ($what): no test shows it"
    fi
    cp original "src/guest/states/$file"
done <<'MUTANTS'
part.c@scanned.at\[i\] = stack_word(sp, i);@scanned.at[i] = stack_word(sp, i) \& ~UINT64_C(0xff);@key.c@a live byte of each stack word is left out
part.c@= {true, !only_reads,@= {true, false,@key.c@the operand of a request is left out
part.c@pointers .= 1u << i;@pointers |= 0u << i;@key.c@where pointers of a request lead is left out
part.c@return POINTER + k;@return POINTER + 0 * k;@key.c@which pointers of a stack are equal is left out
part.c@ || part->pieces.i. != before->pieces.i.@ \&\& part->pieces[i] != before->pieces[i]@treiber@pieces of a stack that differ are taken for the same
state.c@ || states_blocks_changed@ || 0 * states_blocks_changed@treiber@blocks that a step has changed are not put back
step.c@        scrub_clean(fibers\[t\].sp, fibers\[t\].base, states_stacks_shared >> t & 1);@        (void)t;@treiber|spsc@dead bytes of stacks are kept
key.c@\(number << 32) + \)offset@\10 * offset@key.c@where a pointer leads inside a block is left out
key.c@(uint64_t)block->number << 32@(uint64_t)(block->number > 0) << 32@treiber|list_set@all blocks have one name
key.c@KEY_POINTER + ((uint64_t)block->number << 32)@block->at@treiber@blocks are named by their addresses
key.c@block->freed@0@key.c@whether a block was freed is left out
key.c@ | bits << 44@ + 0 * bits@key.c@which bytes of a block were written is left out
key.c@            \*at++ = bits;@            (void)bits;@key.c@which bytes of a large block were written is left out
key.c@    at = put_value(at, block_word(block, 0));@    (void)0;@treiber|ms_queue@what blocks hold is left out
key.c@        \*at++ = tag + shift;@        (void)(tag + shift);@key.c@which tag a pointer has is left out
key.c@        \*at++ = i;@        (void)i;@key.c@which word has a value is left out
key.c@        at = put_prints(at, order\[t\]);@        *at++ = 0 * (uintptr_t)put_prints;@key.c@what threads touched since their last step is left out
key.c@\*at++ = thread->overtaken@(void)0@key.c@how often a call was overtaken is left out
tickets.c@distance = 0u - @distance = 1u - @vyukov|ticket@tickets are moved by one too little
elsewhere.c@    if (same@    if (1@addresses|vyukov@no step is compared with the one elsewhere
transcript.c@    return known@    return 0 \&\& known@addresses@no step is tested elsewhere
visited.c@else if (sets_include(set, other))@else if (sets_include(other, set))@treiber|spsc|k_fifo@the antichain is kept the wrong way round
key.c@        at = put_buffer(at, t);@        (void)put_buffer;@registers|peterson@what is in store buffers is left out
step.c@ || stored) && !inside@) \&\& !inside@registers@a call's first load is made before its stores can reach memory
search.c@sets_turn(is_start ? set : explain_step(set), step.turn)@is_start ? set : explain_step(set)@treiber@explanations are not kept by slots
search.c@turn_then(turn_inverse(now.turn), turn)@0 * turn@treiber|tas@steps forget which thread is which
elsewhere.c@        states_exchange_threads(t, runs);@        runs = t;@two_lock@no other thread takes a step in place of the first
memory.c@LIKELY(!(states_stacks_shared >> fiber_current \& 1))@1@mcs|key.c@what a thread does to its own stack, where others look, is not seen
part.c@        scanned.at\[i\] &= mask\[i\];@        (void)mask;@back_off@bytes that only stretch a wait are kept
part.c@ &= mask\[i\];@ = 0 * mask[i];@back_off@all bytes of a thread that may back off are left out
key.c@    bool several = symmetry_order(order, by);@    bool several = symmetry_order(order, by) \&\& 0;@models/box@threads with equal hashes keep their order
steps/taken.c@    if (touched->bytes) {@    if (0) {@let_go|benign@a step does not touch its visible access
steps/taken.c@i < prints->count; i++@i < 0 * prints->count; i++@let_go|benign|buffered_race@a step does not touch its plain accesses
steps/taken.c@i < buffer->count; i++@i < 0 * buffer->count; i++@buffered_race@a step does not touch what it puts into its store buffer
steps/taken.c@ || states_stacks_shared@@returned@steps of threads that share stacks are foreseen
steps/taken.c@                        kind->decisions};@                        0};@let_go@who can reach a block is no part of what a step is like
steps/taken.c@ || parent->waiting >> thread & 1@@condition_buffer@a thread that has waited is foreseen to wait
steps/perform.c@            states_touch(q->address, q->size, q->kind != REQUEST_LOAD);@            (void)0;@benign@a step does not touch its plain access that races
step.c@states_touch(asked.address, asked.size, false); /\* it was@(void)0; /* it was@condition_buffer|key.c@a step does not touch what it finds that it has to wait for
buffers.c@return address < b->at\[i\].at || .*@return address < b->at[i].at;@own_stores@a load that a store covers in part does not wait
buffers.c@for (uint32_t i = 0; i < b->count; i++) {@for (uint32_t i = b->count; i-- > 0;) {@own_stores@stores in a buffer are read and shown in the wrong order
key.c@        buffers_each_word(t, 0, mark);@        (void)0;@own_stores@what a store in a buffer leads to counts as its own
memory.c@    buffers_forget(t, at, bytes);@    (void)bytes;@own_stores@stores to memory that was freed stay
key.c@        part_each_pointer((uint32_t)thread, part_scan(thread), 0, mark);@        (void)0;@lent_node@what a stack leads to that others look into counts as its owner's
tickets.c@    for (uint32_t i = 0; i < states_block_count; i++) {@    for (uint32_t i = 0; i < 0 * states_block_count; i++) {@ticket_lock@tickets in the heap are not moved
steps/late.c@for (uint32_t e = 0; e < here.runs\[f\].ends; e++)@for (uint32_t e = 0; e < MIN(1u, here.runs[f].ends); e++)@late_reads@a thread is late only for the sake of first ends
steps/late.c@for (uint32_t e = 0; e < here.runs\[t\].ends; e++)@for (uint32_t e = 0; e < MIN(1u, here.runs[t].ends); e++)@late_reads@who is late is followed by first ends only
steps/late.c@i < last.count; i++) {@i < 0 * last.count; i++) {@late_tests@what a thread that is late has read is left out
steps/late.c@    \*key = key_of(\*key, late);@    (void)key_of;@late_tests@who is late is no part of a state
steps/late.c@ \&\& way != STATES_FLUSH \&\& @ \&\& @late_tests@a flush is taken for the run of its thread
early.c@    for (const char \*at = fibers\[t\].sp;@    for (const char *at = fibers[t].base;@early_leak@an early object that a stack leads to is forgotten
early.c@i < states_words.count; i++)@i < 0 * states_words.count; i++)@early_leak@one that a word leads to is forgotten
early.c@    for (uint32_t i = 0; i < blocks\[block\]->bytes \&\&@    for (uint32_t i = 0; i < 0 * blocks[block]->bytes \&\&@early_leak@one that a block leads to is forgotten
early.c@        if (is_root(&places.at\[i\]))@        if (0 * is_root(\&places.at[i]))@early_leak@one that static memory leads to is forgotten
early.c@        reach(buffer->at\[i\].at);@        (void)buffer;@early_leak@one that a store which waits is for is forgotten
early.c@i < PART_REQUEST_WORDS; i++)@i < 0 * PART_REQUEST_WORDS; i++)@early_leak@one that a request leads to is forgotten
early.c@        heap_forget_early@        if (0) heap_forget_early@early_leak@one that is forgotten is not freed
key.c@if ((int)t != thread && states_has_stack\[t\])@if ((int)t != thread \&\& states_has_stack[t] \&\& !without_stores)@settled@stores are settled that a thread can look at
key.c@i < states_words.count && wanted; i++@i < states_words.count \&\& wanted \&\& !without_stores; i++@settled@stores are settled to what variables lead to
steps/late.c@return late_used && !stays;@return late_used;@settled@stores are settled while somebody is late
buffers.c@for (; is_settled(t); any = true)@for (; is_settled(t); any = false)@settled@stores that others have kept from it are not settled
search.c@sets_turn(explain_step(now.set), step->turn)@explain_step(now.set)@alike@explanations after a step that is known are not kept by slots
search.c@        turn = taken_turn(state);@        (void)taken_turn;@alike@a node without a copy has the names of another one than the first
steps/taken.c@turn_then(step.turn, turn_inverse(taken_turn(step.to)))@0@alike@steps are foreseen by threads with other names
steps/taken.c@step.turn = turn_then(names, after->turn)@step.turn = after->turn@alike@steps that are foreseen lead to other slots
steps/taken.c@        to->turn = step->turn;@        to->turn = 0;@alike@the names of the first copy are forgotten
key.c@ | (uint64_t)thread->place << 32@@alike@which calls are left to a thread is left out
steps/taken.c@of->stores\[thread\] != parent->stores\[thread\]@0@settled@steps are foreseen past a store that is settled
steps/repeat.c@!op_unannounced \&\& @@repeated@a step is repeated in which the runtime has read what no access announces
steps/repeat.c@\*sure = e->at >= .*;@*sure = true;@repeated@of a value that a run has written in part nothing is compared
steps/repeat.c@made.is_known = e->kind == REPEAT_FREE@made.is_known = true@treiber@plain values are not compared
steps/repeat.c@states_poke((void \*)w->at, w->bytes, w->value);@(void)w;@treiber@what a repeated step has written is not written again
steps/repeat.c@ << 32 . part_present.t.@ << 32@treiber@steps are repeated whatever the stack of their thread is
memory.c@        check_races(t, (uintptr_t)address, bytes, writes, true, pc);@        (void)pc;@benign|spsc|key.c|repeated@repeated steps do not look for races
memory.c@        add_print(t, (uintptr_t)address, bytes, writes, pc);@        (void)pc;@benign|spsc|key.c|repeated@what repeated steps access is not noted
steps/repeat.c@fiber_of_stack(q->address) < 0@true@repeated@steps that work on their own stack are repeated
MUTANTS
