#include "guest/harness/by_hand.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest/explore/search/explore.h"
#include "guest/harness/dump.h"
#include "record/hooks.h"
#include "record/reductions.h"

static ExploreOptions options_by_hand(void)
{
    ExploreOptions o = {.model = MODEL_DEFAULT,
                        .races = hooks.ignore_races ? RACES_IGNORE : RACES_DEFAULT,
                        .reductions = hooks.no_reductions ? 0 : REDUCTIONS_ALL,
                        .second_opinion = hooks.second_opinion,
                        .checkpoints = !hooks.re_execute,
                        .preemptions = (int32_t)hooks.preemptions,
                        .schedules = (uint64_t)MAX(hooks.schedules, 0),
                        .jobs = 1,
                        .keep_going = hooks.keep_going,
                        .follow_hopeless = hooks.follow_hopeless,
                        .plain_search = hooks.plain_search,
                        .tso_axioms = hooks.tso_axioms,
                        .weak_cas = hooks.weak_cas,
                        .thread_local_storage = hooks.thread_local_storage};
    o.check.annotated = hooks.annotated;
    if (hooks.scenario) {
        o.check.enabled = 1;
        snprintf(o.check.scenario, sizeof o.check.scenario, "%s", hooks.scenario);
    }
    if (hooks.release_sequences)
        o.release_sequences =
            strcmp(hooks.release_sequences, "c++20") ? RELEASE_C11 : RELEASE_CXX20;
    if (hooks.model && !model_from_word(hooks.model, &o.model))
        die("%s is none of" MODEL_WORDS, hooks.model);
    return o;
}

/* Explores in a process of its own. If that finds a violation, the present one goes on with a
 * replay, as the tool would have it done; otherwise it ends. Returns in the process that explores,
 * too. */
static void explore_elsewhere(Link *link)
{
    pid_t child = fork();
    if (child < 0)
        die("cannot start a process");
    if (child == 0)
        return;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!link->has_record)
        _exit(0);
    if (link->options.check.enabled) { /* the record may be of a smaller test */
        CheckOptions *check = &link->options.check;
        snprintf(check->scenario, sizeof check->scenario, "%.*s",
                 STR_ARG(outcome_text(&link->outcome, OUTCOME_scenario)));
    }
    link->mode = LINK_REPLAY;
}

Link *by_hand_begin(void)
{
    Link *link = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (link == MAP_FAILED)
        die("cannot map memory");
    link->options = options_by_hand();
    link->mode = LINK_EXPLORE;
    if (hooks.confirm)
        explore_elsewhere(link);
    if (hooks.outcomes)
        dump_outcomes_to(hooks.outcomes);
    return link;
}

void by_hand_tell_replay(const Link *link)
{
    if (link->outcome.replayed)
        dprintf(1, "confirmed\n");
    else
        dprintf(1, "unconfirmed: %.*s\n", STR_ARG(outcome_text(&link->outcome, OUTCOME_reason)));
}

/* How often each reduction has left something out. */
static void tell_reductions(const Link *link)
{
    for (unsigned i = 0; i < REDUCTION_COUNT; i++)
        if (link->outcome.reductions[i])
            dprintf(1, " %s=%llu", reduction_words[i],
                    (unsigned long long)link->outcome.reductions[i]);
}

void by_hand_tell(const Link *link, FindingKind kind)
{
    double cpu_us = (double)link->outcome.cpu_ns / 1e3;
    dprintf(1,
            "%s %s %llu executions %llu blocked %llu stuck %llu cut %llu dead ends %.3f ms "
            "%.3f us/exec %u restarts;",
            verdict_word((Verdict)link->outcome.verdict),
            violation_word((ViolationKind)link->outcome.violation),
            (unsigned long long)counts.executions, (unsigned long long)counts.blocked,
            (unsigned long long)counts.stuck, (unsigned long long)counts.cut,
            (unsigned long long)counts.dead_ends, cpu_us / 1e3,
            cpu_us / (double)(counts.executions + counts.blocked + 1), exploration.restarts);
    tell_reductions(link);
    dprintf(1, " %s\n", kind == FINDING_NONE ? "" : finding.message);
    if (hooks.second_opinion)
        dprintf(1, "second opinion: %s\n",
                link->outcome.disagrees  ? "another answer"
                : link->outcome.seconded ? "the same answer"
                                         : "none");
    if (kind == FINDING_VIOLATION)
        dump_graph(1);
}
