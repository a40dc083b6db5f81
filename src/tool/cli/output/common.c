#include "tool/cli/output/common.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_COLOR = 0x300 };

static const struct argp_option common_options[] = {
    {"quiet", 'q', 0, 0, "Nothing on standard error but mistakes: no progress, no remarks", 40},
    {"verbose", 'v', 0, 0, "Tell on standard error which commands are run, with their words", 40},
    {"color", KEY_COLOR, "WHEN", 0,
     "auto (on a terminal, unless NO_COLOR is set), always or never (auto)", 40},
    {0}};

static void set_color(const char *when, struct argp_state *state)
{
    if (!strcmp(when, "never")) {
        setenv("NO_COLOR", "1", 1);
        unsetenv("CLICOLOR_FORCE");
    } else if (!strcmp(when, "always")) {
        unsetenv("NO_COLOR");
        setenv("CLICOLOR_FORCE", "1", 1);
    } else if (strcmp(when, "auto") != 0) {
        argp_error(state, "--color is auto, always or never, not `%s'", when);
    }
}

static error_t common_parse(int key, char *text, struct argp_state *state)
{
    bool *quiet = state->input;
    switch (key) {
    case 'q':
        *quiet = true;
        return 0;
    case 'v':
        setenv("HEDDLE_LOG", "all:info,instrument:debug,cli:debug", 0);
        return 0;
    case KEY_COLOR:
        set_color(text, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp common_argp = {common_options, common_parse, 0, 0, 0, 0, 0};
