#include "tool/report/scenario.h"
#include <stdio.h>

/* The first bar or slash that is not inside a string; the length if there is none. */
static size_t find_end(Str text, bool slashes_only)
{
    bool quoted = false;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '"')
            quoted = !quoted;
        else if (text.at[i] == '\\' && quoted)
            i++;
        else if (!quoted && (text.at[i] == '/' || (text.at[i] == '|' && !slashes_only)))
            return i;
    }
    return text.length;
}

void scenario_begin(Scenario *scenario, const char *text)
{
    *scenario = (Scenario){.rest = str_of(text)};
    scenario->framed = find_end(scenario->rest, true) < scenario->rest.length;
}

bool scenario_next(Scenario *scenario)
{
    while (scenario->rest.length) {
        Str *rest = &scenario->rest;
        size_t end = find_end(*rest, false);
        bool slash = end < rest->length && rest->at[end] == '/';
        scenario->calls = str_trim((Str){rest->at, end});
        end += end < rest->length;
        *rest = (Str){rest->at + end, rest->length - end};
        if (!scenario->framed || scenario->part == 1)
            snprintf(scenario->title, sizeof scenario->title, "T%u", ++scenario->thread);
        else
            snprintf(scenario->title, sizeof scenario->title, "%s",
                     scenario->part ? "after" : "before");
        scenario->part += slash;
        if (scenario->calls.length)
            return true;
    }
    return false;
}
