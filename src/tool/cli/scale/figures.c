#include "tool/cli/scale/figures.h"
#include "tool/report/jsontext.h"

double figures_part_left(const Ledger *ledger)
{
    double units = 0, begun = 0;
    for (size_t i = 0; i < ledger->units.count; i++) {
        units += ledger->units.at[i].head.left;
        begun += 1 - MIN(ledger->units.at[i].head.left, 1.0);
    }
    if (ledger->complete)
        return 0;
    if (ledger->states.states) /* nobody knows how many states follow those that are known */
        return (double)ledger->states.frontier / (double)ledger->states.states;
    if (!ledger->tests_planned)
        return MIN(units, 1.0);
    double shares = ledger->shards ? ledger->shards : 1;
    double planned = (double)ledger->tests_planned / shares;
    return MAX(0.0, 1 - ((double)ledger->counts.tests + begun) / planned);
}

json_t *figures_json(const char *path, const Ledger *ledger)
{
    json_t *object = json_object();
    json_put(object, "journal", json_text(path));
    json_put(object, "command", json_text(ledger->command));
    json_put(object, "subject", json_text(ledger->subject));
    json_put(object, "complete", json_boolean(ledger->complete));
    json_put(object, "verdict", json_text(ledger->verdict));
    json_put(object, "violation", json_text(ledger->violation));
    json_put(object, "left", json_real(figures_part_left(ledger)));
    json_put(object, "units", json_integer((json_int_t)ledger->units.count));
    json_put(object, "seconds", json_real(ledger->seconds));
    if (ledger->states.states) {
        json_put(object, "states", json_integer((json_int_t)ledger->states.states));
        json_put(object, "transitions", json_integer((json_int_t)ledger->states.transitions));
        json_put(object, "frontier", json_integer((json_int_t)ledger->states.frontier));
        json_put(object, "depth", json_integer((json_int_t)ledger->states.depth));
    }
#define X(name) json_put(object, #name, json_integer((json_int_t)ledger->counts.name));
    UNIT_COUNTS(X)
#undef X
    return object;
}
