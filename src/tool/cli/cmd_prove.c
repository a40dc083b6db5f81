/* cmd_prove.c: `heddle prove`: linearizable for any number of threads, by the sub-operations of its
 * operations. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "prove/read/model_reader.h"
#include "base/print.h"
#include "prove/read/text.h"
#include "base/file.h"
#include "tool/cli/output/common.h"
#include "tool/cli/options.h"
#include "tool/instrument/process.h"
#include "tool/report/json.h"
#include "tool/report/page/prove_html.h"
#include "tool/report/prove_report.h"

int cmd_prove(int argc, char **argv);

typedef struct ProveCommand {
    ProveOptions options;
    const char *path, *specification, *html;
    Vec(const char *) defines;
    bool json, explain, quiet;
} ProveCommand;

static const char doc[] =
    "Prove that a data structure, given as operations made of guarded atomic steps, is "
    "linearizable "
    "for any number of threads.\v"
    "MODEL is in the notation described in heddle-prove(1). Facts about its states are found, "
    "which "
    "steps can be exchanged is decided in every state, and if every execution can be reordered "
    "into a "
    "serial one and serial runs agree with the specification, the answer is `holds'. If the proof "
    "needs "
    "something that is not shown, the answer is inconclusive and names it. If there is no proof, a "
    "real "
    "violation is looked for with two and three threads.\n\n"
    "Exit status: 0 holds, 1 violated, 2 usage or input error, 3 inconclusive, 4 internal error.";

enum {
    KEY_JSON = 1000,
    KEY_EXPLAIN,
    KEY_HTML,
    KEY_CERTIFY,
    KEY_TIME,
    KEY_EFFORT,
    KEY_SERIAL,
    KEY_VALUES,
    KEY_KEYS,
    KEY_NO_WEAKENING,
    KEY_NO_SEARCH,
    KEY_RELATIONS,
    KEY_SPEC
};

static const struct argp_option prove_options[] = {
    {"json", KEY_JSON, 0, 0, "Print one JSON object", 0},
    {"explain", KEY_EXPLAIN, 0, 0,
     "Print the ordering and reversibility of each pair of steps with its reason, the facts that "
     "were "
     "found, and the proof",
     0},
    {"html", KEY_HTML, "FILE", 0, "Write the answer with its proof as one HTML page", 0},
    {"relations", KEY_RELATIONS, "FILE", 0,
     "Prove by Algorithm 1 on the relations of steps in FILE, each of which is checked", 0},
    {"certify", KEY_CERTIFY, "FILE", 0,
     "Write the proof as one SMT-LIB script of questions, each of which is unsatisfiable", 0},
    {"time", KEY_TIME, "TIME", 0, "Give up after that long, e.g. 60s (default: no limit)", 0},
    {"effort", KEY_EFFORT, "N", 0,
     "Thousands of steps that the solver may spend on one question before it leaves it open "
     "(default "
     "20000)",
     0},
    {"serial-operations", KEY_SERIAL, "N", 0,
     "Serial runs of up to N operations (default: as many as 150000 steps allow)", 0},
    {"values", KEY_VALUES, "N", 0, "In concrete runs a free integer is 0 to N (default 1)", 0},
    {"keys", KEY_KEYS, "N", 0, "In concrete runs there are N keys (default 2)", 0},
    {"define", 'D', "NAME=VALUE", 0, "Set a parameter of a model (.hm)", 0},
    {"spec", KEY_SPEC, "NAME", 0,
     "Which specification of a model (.hm), its own or the library's (default: its first)", 0},
    {"no-weakening", KEY_NO_WEAKENING, 0, 0,
     "Never replace a read by the facts that follow from it", 0},
    {"no-search", KEY_NO_SEARCH, 0, 0, "Do not look for a violation when there is no proof", 0},
    {0}};

static long prove_number(struct argp_state *state, const char *text, long least, long most)
{
    int64_t value;
    if (!str_to_int64(str_of(text), &value) || value < least || value > most) {
        argp_error(state, "'%s' is no number from %ld to %ld", text, least, most);
        return least;
    }
    return (long)value;
}

static error_t prove_parse(int key, char *text, struct argp_state *state)
{
    ProveCommand *command = state->input;
    uint64_t milliseconds;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &command->quiet;
        return 0;
    case KEY_JSON:
        command->json = true;
        return 0;
    case KEY_EXPLAIN:
        command->explain = command->options.tables = true;
        return 0;
    case KEY_HTML:
        command->html = text;
        command->options.tables = true;
        return 0;
    case KEY_RELATIONS:
        command->options.relations = text;
        return 0;
    case KEY_CERTIFY:
        command->options.certificates = text;
        return 0;
    case KEY_TIME:
        if (!options_parse_duration(text, &milliseconds) || !milliseconds)
            argp_error(state, "--time wants a time such as 60s, 5m or 1500ms, not `%s'", text);
        command->options.seconds = (double)milliseconds / 1000;
        return 0;
    case KEY_EFFORT:
        command->options.effort = (unsigned)prove_number(state, text, 1, 4000000);
        return 0;
    case KEY_SERIAL:
        command->options.serial_operations = (int)prove_number(state, text, 1, 12);
        return 0;
    case KEY_VALUES:
        command->options.values = (int)prove_number(state, text, 1, 8);
        return 0;
    case KEY_KEYS:
        command->options.keys = (int)prove_number(state, text, 1, 8);
        return 0;
    case KEY_NO_WEAKENING:
        command->options.weaken = false;
        return 0;
    case KEY_NO_SEARCH:
        command->options.search = false;
        return 0;
    case KEY_SPEC:
        command->specification = text;
        return 0;
    case 'D':
        vec_push(&command->defines, text);
        return 0;
    case ARGP_KEY_ARG:
        if (command->path)
            argp_error(state, "one model at a time");
        command->path = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no model is named");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int prove_complain(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    print_plain(stderr, "heddle: %s\n", text);
    return 2;
}

static double prove_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool prove_print(const ProveCommand *command, const Prove *prove, double seconds)
{
    Buffer out = {0};
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (command->json)
        return json_write(stdout,
                          prove_report_json(prove, command->path, seconds, usage.ru_maxrss));
    prove_report_text(prove, &out);
    if (command->explain) {
        buffer_printf(&out, "\n");
        prove_report_page(prove, &out);
    }
    print_text(stdout, buffer_str(&out));
    vec_free(&out);
    return print_finish();
}

static bool prove_write_page(const char *path, const Prove *prove, Error *error)
{
    Buffer out = {0};
    FileWriter file;
    file_begin(&file, path);
    prove_html(prove, &out);
    fwrite(out.at, 1, out.count, file.stream);
    vec_free(&out);
    return file_commit(&file, error);
}

/* By its name, the file is a model in the language of refine or operations in the prover's
 * notation. */
static bool prove_read(Arena *arena, const ProveCommand *command, IrProgram **out, Error *error)
{
    if (!str_ends(str_of(command->path), STR(".hm")))
        return text_read_file(arena, command->path, out, error);
    ModelOptions options = {.defines = command->defines.at,
                            .define_count = (int)command->defines.count};
    const Model *model;
    if (!model_read(arena, command->path, &options, &model, error))
        return false;
    const Module *specification = model_find_specification(model, command->specification);
    if (command->specification && !specification) {
        options.specification = command->specification;
        if (!model_read(arena, command->path, &options, &model, error))
            return false;
        specification = model_find_specification(model, command->specification);
        if (!specification)
            return error_set(error, "there is no specification '%s'", command->specification);
    }
    return model_reader_run(arena, model, specification, out, error);
}

int cmd_prove(int argc, char **argv)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    static const struct argp parser = {.options = prove_options,
                                       .parser = prove_parse,
                                       .args_doc = "MODEL",
                                       .doc = doc,
                                       .children = children};
    static const int exit_status[] = {
        [VERDICT_HOLDS] = 0, [VERDICT_VIOLATED] = 1, [VERDICT_INCONCLUSIVE] = 3};
    ProveCommand command = {.options = prove_defaults()};
    char name[] = "heddle prove";
    argv[0] = name;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &command);
    process_catch_interrupts();
    Arena *arena = arena_new();
    IrProgram *program;
    Prove prove;
    Error error = {0};
    double start = prove_now();
    int status;
    if (!prove_read(arena, &command, &program, &error)) {
        status = prove_complain(&error);
    } else {
        if (!prove_run(arena, program, &command.options, &prove, &error)) {
            status = prove_complain(&error);
        } else {
            status = exit_status[prove.verdict];
            if (!prove_print(&command, &prove, prove_now() - start) || !print_finish())
                status = 2;
            if (command.html && !prove_write_page(command.html, &prove, &error))
                status = prove_complain(&error);
        }
        prove_free(&prove);
    }
    vec_free(&command.defines);
    arena_free(arena);
    return status;
}
