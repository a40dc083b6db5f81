#include "tool/report/causes.h"
#include "base/print.h"
#include "base/str.h"

static void write_cause(Sheet *sheet, const AnswerCause *cause, uint32_t number)
{
    Buffer line = {0};
    buffer_printf(&line, "%u. %llu test%s: %s%s%s%s%s", number, (unsigned long long)cause->tests,
                  cause->tests == 1 ? "" : "s", violation_word(cause->violation),
                  *cause->operations ? ", " : "", cause->operations, *cause->place ? ", at " : "",
                  cause->place);
    buffer_printf(&line, "; the smallest is %s: %s%s%s%s", cause->shape, cause->test,
                  cause->confirmed ? "" : " (it did not fail once more)",
                  cause->record_path ? "; " : "", cause->record_path ? cause->record_path : "");
    sheet_paragraph(sheet, line.at, 5, 2);
    vec_free(&line);
}

static void write_numbers(Sheet *sheet, const Outcome *outcome)
{
    Buffer line = {0};
    const uint64_t numbers[] = {outcome->all_histories,         outcome->all_rejected,
                                outcome->all_distinct,          outcome->all_distinct_rejected,
                                outcome->all_sequences,         outcome->all_conflicts,
                                outcome->all_conflicts_allowed, outcome->all_tests};
#define N(i) (unsigned long long)numbers[i]
    buffer_printf(
        &line,
        "Of %llu executions of %llu tests %llu are rejected; %llu distinct histories, %llu "
        "of them rejected, with %llu sequentializations.",
        N(0), N(7), N(1), N(2), N(3), N(4));
    buffer_printf(
        &line,
        " %llu executions are not conflict serializable; of these %llu are allowed all the "
        "same.",
        N(5), N(6));
#undef N
    if (outcome->all_partial)
        buffer_printf(&line,
                      " Of a test that was not explored to its end %llu executions were counted as "
                      "well, and %llu of them are rejected.",
                      (unsigned long long)outcome->all_partial,
                      (unsigned long long)outcome->all_partial_rejected);
    fputc('\n', sheet->to);
    sheet_paragraph(sheet, line.at, 2, 0);
    vec_free(&line);
}

void causes_write(Sheet *sheet, const Answer *answer)
{
    const Outcome *outcome = &answer->outcome;
    if (answer->causes) {
        print_plain(sheet->to, "\n%llu of %llu tests fail%s\n",
                    (unsigned long long)outcome->tests_failed, (unsigned long long)outcome->tests,
                    answer->cause_count ? ":" : "");
        for (uint32_t i = 0; i < answer->cause_count; i++)
            write_cause(sheet, &answer->causes[i], i + 1);
    }
    if (outcome->all_tests || outcome->all_partial)
        write_numbers(sheet, outcome);
}
