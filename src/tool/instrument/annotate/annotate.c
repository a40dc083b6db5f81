#include "tool/instrument/annotate/annotate.h"
#include <errno.h>
#include <heddle_annotated.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/instrument/annotate/annotate_internal.h"
#include "tool/instrument/build.h"

/* ---- is there anything to do? ---- */

static const char *folder_of(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_printf(arena, "%.*s", (int)(slash - path), path) : ".";
}

typedef struct Look {
    Arena *arena;
    const Words *compile;
    Words seen;
} Look;

static bool look_into(Look *look, const char *path);

/* Follows #include "NAME" of a file in FOLDER. */
static bool look_include(Look *look, const char *folder, Str name)
{
    char *beside = arena_printf(look->arena, "%s/%.*s", folder, STR_ARG(name));
    if (access(beside, R_OK) == 0)
        return look_into(look, beside);
    for (size_t i = 0; i < look->compile->count; i++) {
        const char *word = look->compile->at[i], *in = NULL;
        if (!strncmp(word, "-I", 2) && word[2])
            in = word + 2;
        else if ((!strcmp(word, "-I") || !strcmp(word, "-iquote")) && i + 1 < look->compile->count)
            in = look->compile->at[++i];
        if (!in)
            continue;
        char *there = arena_printf(look->arena, "%s/%.*s", in, STR_ARG(name));
        if (access(there, R_OK) == 0)
            return look_into(look, there);
    }
    return false;
}

static bool look_into(Look *look, const char *path)
{
    for (size_t i = 0; i < look->seen.count; i++)
        if (!strcmp(look->seen.at[i], path))
            return false;
    if (look->seen.count > 1000)
        return false;
    vec_push(&look->seen, path);
    Buffer text = {0};
    bool found = file_read(path, &text, NULL) && annotation_present(buffer_str(&text));
    const char *folder = folder_of(look->arena, path);
    Str rest = buffer_str(&text), line;
    while (!found && str_next(&rest, '\n', &line)) {
        line = str_trim(line);
        if (!line.length || line.at[0] != '#')
            continue;
        line = str_trim((Str){line.at + 1, line.length - 1});
        if (!str_starts(line, STR("include")))
            continue;
        line = str_trim((Str){line.at + 7, line.length - 7});
        const char *end = line.length > 1 ? memchr(line.at + 1, '"', line.length - 1) : NULL;
        if (line.length && line.at[0] == '"' && end)
            found = look_include(look, folder, (Str){line.at + 1, (size_t)(end - line.at - 1)});
    }
    vec_free(&text);
    return found;
}

static FileLanguage language_of(const BuildRequest *request, size_t file)
{
    DEBUG_ASSERT(file < request->files.count);
    FileLanguage own = request->own.count ? request->own.at[file].language : FILE_UNKNOWN;
    return own != FILE_UNKNOWN ? own : compiler_file_language(request->files.at[file]);
}

static bool is_source(const BuildRequest *request, size_t file)
{
    FileLanguage language = language_of(request, file);
    return language == FILE_C || language == FILE_CXX;
}

/* The words for the compiler that count for one file: its own come first. The caller frees them. */
static Words words_of(const BuildRequest *request, size_t file)
{
    Words words = {0};
    if (request->own.count)
        words_append(&words, &request->own.at[file].flags);
    words_append(&words, &request->compile);
    return words;
}

static bool source_wanted(const BuildRequest *request, size_t file)
{
    Words words = words_of(request, file);
    Look look = {.arena = arena_new(), .compile = &words};
    bool found = is_source(request, file) && look_into(&look, request->files.at[file]);
    vec_free(&look.seen);
    vec_free(&words);
    arena_free(look.arena);
    return found;
}

/* A test of declared operations has no main function, and its own way to know what is correct. */
static bool declares_operations(const BuildRequest *request, size_t file)
{
    Buffer text = {0};
    bool found = is_source(request, file) && file_read(request->files.at[file], &text, NULL) &&
                 strstr(text.at ? text.at : "", "HD_OP");
    vec_free(&text);
    return found;
}

bool annotate_wanted(const BuildRequest *request)
{
    bool wanted = false;
    for (size_t i = 0; i < request->files.count; i++) {
        if (declares_operations(request, i))
            return false;
        wanted = wanted || source_wanted(request, i);
    }
    return wanted;
}

/* ---- gathering ---- */

static bool fail_at(const char *path, const Annotation *a, Error *error, const char *format,
                    const char *word)
{
    char message[512];
    const char *hole = strstr(format, "%s");
    snprintf(message, sizeof message, "%.*s%s%s", (int)(hole - format), format, word, hole + 2);
    return error_at(error, path, a->line, a->column, "%s", message);
}

static size_t label_number(AnnotatedProgram *program, const char *name)
{
    for (size_t i = 0; i < program->labels.count; i++)
        if (!strcmp(program->labels.at[i], name))
            return i;
    arena_push(program->arena, &program->labels, name);
    return program->labels.count - 1;
}

/* An annotation of a header is met in every unit that includes it: it has one number. */
#define FIND(list, real_, annotation_, number)                                                     \
    do {                                                                                           \
        (number) = 0;                                                                              \
        while ((number) < (list).count &&                                                          \
               (strcmp((list).at[number].real, real_) ||                                           \
                (list).at[number].annotation->line != (annotation_)->line ||                       \
                (list).at[number].annotation->column != (annotation_)->column))                    \
            (number)++;                                                                            \
    } while (0)

static bool gather_structure(AnnotatedProgram *program, ProgramUnit *unit, size_t file,
                             const Annotation *a, Error *error)
{
    const UnitFile *in = &unit->unit.files.at[file];
    UnitStructure here = {.file = file};
    unit_scope_of(&unit->unit, file, a->begin, &here.scope);
    if (here.scope.function)
        return error_at(error, in->path, a->line, a->column,
                        "@Structure_Define is out of place: it must stand outside of functions, "
                        "in a class or in the file, before the methods");
    FIND(program->structures, in->real, a, here.number);
    if (here.number == program->structures.count) {
        ProgramStructure fresh = {.path = in->path, .real = in->real, .annotation = a};
        for (size_t i = 0; i < a->variables.count; i++)
            annotation_declared_names(program->arena, str_of(a->variables.at[i].text),
                                      &fresh.names);
        arena_push(program->arena, &program->structures, fresh);
    }
    arena_push(program->arena, &unit->structures, here);
    return true;
}

/* A method belongs to the structure of its class; else to the last one before it, in its file or in
 * those that it includes. */
static bool find_structure(const ProgramUnit *unit, size_t file, const Annotation *a,
                           const UnitFunction *function, size_t *number, Error *error)
{
    const UnitStructure *best = NULL, *elsewhere = NULL;
    for (size_t i = 0; i < unit->structures.count; i++) {
        const UnitStructure *s = &unit->structures.at[i];
        const UnitClass *class = &s->scope.class;
        if (class->present) {
            if (function->class.present && function->class.file == class->file &&
                function->class.begin == class->begin) {
                *number = s->number;
                return true;
            }
            continue;
        }
        if (s->file != file)
            elsewhere = s;
        else if (s->scope.after <= a->begin)
            best = s;
    }
    best = best ? best : elsewhere;
    if (!best)
        return fail_at(unit->unit.files.at[file].path, a, error,
                       "method %s has no structure: @Structure_Define must stand before it, or in "
                       "its class",
                       a->name.text);
    *number = best->number;
    return true;
}

/* The target of a pointer is copied if it can be printed, or if the code speaks of the pointer.
 * False if that is too much. */
static bool choose_pointees(ProgramMethod *method)
{
    UnitMethod *f = &method->function;
    for (size_t i = 0; i < f->parameters.count; i++) {
        UnitValue *value = &f->parameters.at[i];
        value->pointee &= (value->pointee_kind != HEDDLE_FIELD_OTHER &&
                           value->pointee_kind != HEDDLE_FIELD_POINTER) ||
                          annotation_mentions(method->annotation, value->name);
    }
    f->result.pointee &= annotation_mentions(method->annotation, "__RET__") ||
                         annotation_mentions(method->annotation, "C_RET");
    size_t followed = f->result.pointee;
    for (size_t i = 0; i < f->parameters.count; i++)
        followed += f->parameters.at[i].pointee;
    return followed <= HEDDLE_ANNOTATED_POINTEES;
}

static bool gather_method(AnnotatedProgram *program, ProgramUnit *unit, size_t file,
                          const Annotation *a, Error *error)
{
    const UnitFile *in = &unit->unit.files.at[file];
    bool defined;
    const UnitFunction *function = unit_function_after(&unit->unit, file, a, &defined, error);
    if (!function)
        return false;
    size_t number;
    FIND(program->methods, in->real, a, number);
    if (number == program->methods.count) {
        ProgramMethod fresh = {.path = in->path, .real = in->real, .annotation = a};
        if (!find_structure(unit, file, a, function, &fresh.structure, error))
            return false;
        for (size_t i = 0; i < a->point_set.count; i++)
            fresh.labels |= (uint64_t)1 << (label_number(program, a->point_set.at[i].text) & 63);
        if (a->conditions.count > HEDDLE_ANNOTATED_CONDITIONS)
            return fail_at(in->path, a, error, "method %s has too many conditions", a->name.text);
        arena_push(program->arena, &program->methods, fresh);
    }
    if (!defined)
        return true;
    ProgramMethod *method = &program->methods.at[number];
    if (!unit_method_of(&unit->unit, function, &method->function, error))
        return false;
    method->defined = true;
    if (!choose_pointees(method))
        return fail_at(in->path, a, error, "method %s has too many pointer parameters",
                       a->name.text);
    UnitAnnotated here = {number, function};
    arena_push(program->arena, &unit->methods, here);
    return true;
}

static bool gather_point(AnnotatedProgram *program, ProgramUnit *unit, size_t file,
                         const Annotation *a, Error *error)
{
    const UnitFile *in = &unit->unit.files.at[file];
    UnitScope scope;
    unit_scope_of(&unit->unit, file, a->begin, &scope);
    if (!unit_check_point(&unit->unit, file, a, scope.function, error))
        return false;
    UnitPoint here = {.file = file};
    FIND(program->points, in->real, a, here.number);
    if (here.number == program->points.count) {
        AnnotatedProgramPoint fresh = {.path = in->path, .real = in->real, .annotation = a};
        fresh.label = label_number(program, a->label.text);
        if (a->potential_label.text)
            fresh.potential = label_number(program, a->potential_label.text);
        arena_push(program->arena, &program->points, fresh);
    }
    arena_push(program->arena, &unit->points, here);
    return true;
}

static bool gather_unit(AnnotatedProgram *program, ProgramUnit *unit, Error *error)
{
    for (int pass = 0; pass < 2; pass++) /* structures first */
        for (size_t f = 0; f < unit->unit.files.count; f++)
            for (size_t i = 0; i < unit->unit.files.at[f].annotations.count; i++) {
                const Annotation *a = &unit->unit.files.at[f].annotations.at[i];
                bool structure = a->kind == ANNOTATION_STRUCTURE;
                if (structure != (pass == 0))
                    continue;
                bool fine = structure ? gather_structure(program, unit, f, a, error)
                            : a->kind == ANNOTATION_METHOD
                                ? gather_method(program, unit, f, a, error)
                                : gather_point(program, unit, f, a, error);
                if (!fine)
                    return false;
            }
    return true;
}

/* ---- what belongs together ---- */

static bool check_labels(const AnnotatedProgram *program, Error *error)
{
    if (program->labels.count > HEDDLE_ANNOTATED_LABELS)
        return error_set(error, "the annotations have more than %d labels",
                         HEDDLE_ANNOTATED_LABELS);
    uint64_t in_sets = 0, at_points = 0, potential = 0;
    for (size_t i = 0; i < program->methods.count; i++)
        in_sets |= program->methods.at[i].labels;
    for (size_t i = 0; i < program->points.count; i++) {
        const AnnotatedProgramPoint *p = &program->points.at[i];
        at_points |= (uint64_t)1 << p->label;
        if (p->annotation->kind == ANNOTATION_POTENTIAL)
            potential |= (uint64_t)1 << p->label;
    }
    for (size_t i = 0; i < program->methods.count; i++) {
        const ProgramMethod *m = &program->methods.at[i];
        for (size_t k = 0; k < m->annotation->point_set.count; k++) {
            const AnnotationName *name = &m->annotation->point_set.at[k];
            for (size_t l = 0; l < program->labels.count; l++)
                if (!strcmp(program->labels.at[l], name->text) && !(at_points >> l & 1))
                    return error_at(error, m->path, name->line, name->column,
                                    "no ordering point has the label %s", name->text);
        }
    }
    for (size_t i = 0; i < program->points.count; i++) {
        const AnnotatedProgramPoint *p = &program->points.at[i];
        AnnotationKey kind = p->annotation->kind;
        if ((kind == ANNOTATION_LABEL_CHECK || kind == ANNOTATION_CHECK) &&
            !(in_sets >> p->label & 1))
            return error_at(error, p->path, p->annotation->label.line, p->annotation->label.column,
                            "label %s is in no method's @Ordering_Point_Set",
                            p->annotation->label.text);
        if (kind == ANNOTATION_CHECK && !(potential >> p->potential & 1))
            return error_at(error, p->path, p->annotation->potential_label.line,
                            p->annotation->potential_label.column,
                            "no @Potential_Ordering_Point has the label %s",
                            p->annotation->potential_label.text);
    }
    return true;
}

static bool resolve(AnnotatedProgram *program, Error *error)
{
    for (size_t i = 0; i < program->methods.count; i++)
        if (!program->methods.at[i].defined)
            return fail_at(program->methods.at[i].path, program->methods.at[i].annotation, error,
                           "the body of method %s is in none of the files",
                           program->methods.at[i].annotation->name.text);
    if (!check_labels(program, error))
        return false;
    if (!annotate_resolve_rules(program, error))
        return false;
    if (!program->methods.count)
        return error_at(error, program->structures.count ? program->structures.at[0].path : "",
                        program->structures.count ? program->structures.at[0].annotation->line : 0,
                        0, "there is no annotated method: nothing could be checked");
    return true;
}

/* ---- copies ---- */

static int compare_edits(const void *left, const void *right)
{
    const Edit *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->serial < b->serial ? -1 : a->serial > b->serial;
}

static bool write_copy(const char *path, const char *head, const UnitFile *file, Edits *edits,
                       const char *tail, Error *error)
{
    qsort(edits->at, edits->count, sizeof(Edit), compare_edits);
    FileWriter writer;
    file_begin(&writer, path);
    FILE *to = writer.stream;
    fputs(head, to);
    fprintf(to, "#line 1 \"%s\"\n", file->path);
    size_t at = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const Edit *edit = &edits->at[i];
        fwrite(file->text.at + at, 1, edit->begin - at, to);
        fputs(edit->text, to);
        at = edit->end;
    }
    fwrite(file->text.at + at, 1, file->text.length - at, to);
    fputs(tail, to);
    return file_commit(&writer, error);
}

/* A copied header is included by its copy's name. */
static void redirect_include(AnnotatedProgram *program, const UnitFile *file, unsigned line,
                             const char *target, Edits *edits)
{
    size_t begin = 0;
    for (unsigned l = 1; l < line && begin < file->text.length; begin++)
        l += file->text.at[begin] == '\n';
    size_t end = begin;
    while (end < file->text.length && file->text.at[end] != '\n')
        end++;
    Edit edit = {begin, end, arena_printf(program->arena, "#include \"%s\"", target), edits->count};
    arena_push(program->arena, edits, edit);
}

static bool write_unit(AnnotatedProgram *program, ProgramUnit *unit, const Workspace *workspace,
                       bool table, AnnotatedSource *out, Error *error)
{
    Arena *arena = program->arena;
    size_t count = unit->unit.files.count;
    Edits *edits = arena_array_of(arena, Edits, count);
    bool *copied = arena_array_of(arena, bool, count);
    const char **copy = arena_array_of(arena, const char *, count);
    annotate_emit(program, unit, edits);
    copied[0] = true;
    for (size_t i = 0; i < count; i++)
        copied[i] |= edits[i].count > 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < unit->unit.files.at[i].includes.count; k++)
                if (!copied[i] && copied[unit->unit.files.at[i].includes.at[k].target])
                    more = copied[i] = true;
    }
    const char *folder = arena_printf(arena, "%s/annotated_%zu", workspace->path, unit->source);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) /* a second build writes the same copies */
        return error_set(error, "can't make %s: %s", folder, strerror(errno));
    for (size_t i = 0; i < count; i++) {
        const char *path = unit->unit.files.at[i].path, *slash = strrchr(path, '/');
        copy[i] = arena_printf(arena, "%s/%zu_%s", folder, i, slash ? slash + 1 : path);
    }
    const char *header = build_own_file(arena, "heddle_annotated.h");
    if (!header)
        return error_set(error, "heddle_annotated.h is not where the tool was installed");
    for (size_t i = 0; i < count; i++) {
        const UnitFile *file = &unit->unit.files.at[i];
        if (!copied[i])
            continue;
        for (size_t k = 0; k < file->includes.count; k++)
            if (copied[file->includes.at[k].target])
                redirect_include(program, file, file->includes.at[k].line,
                                 copy[file->includes.at[k].target], &edits[i]);
        const char *head = i ? "" : arena_printf(arena, "#include \"%s\"\n", header);
        const char *tail = i || !table ? "" : annotate_emit_table(program, unit->unit.cxx);
        if (!write_copy(copy[i], head, file, &edits[i], tail, error))
            return false;
        arena_push(arena, &out->flags, "-iquote");
        arena_push(arena, &out->flags, folder_of(arena, file->path));
        arena_push(arena, &out->originals, file->path);
    }
    out->copy = copy[0];
    return true;
}

bool annotate_program(Arena *arena, const Workspace *workspace, const BuildRequest *request,
                      AnnotatedSources *out, Error *error)
{
    AnnotatedProgram program = {.arena = arena};
    bool fine = true;
    for (size_t i = 0; i < request->files.count; i++) {
        AnnotatedSource source = {.path = request->files.at[i]};
        arena_push(arena, out, source);
        if (source_wanted(request, i)) {
            ProgramUnit unit = {.source = i};
            arena_push(arena, &program.units, unit);
        }
    }
    for (size_t i = 0; i < program.units.count && fine; i++) {
        ProgramUnit *unit = &program.units.at[i];
        Words words = words_of(request, unit->source);
        fine = unit_parse(&unit->unit, arena, request->files.at[unit->source],
                          language_of(request, unit->source) == FILE_CXX, &words, error) &&
               gather_unit(&program, unit, error);
        vec_free(&words);
    }
    fine = fine && resolve(&program, error);
    for (size_t i = 0; i < program.units.count && fine; i++)
        fine = write_unit(&program, &program.units.at[i], workspace, i == 0,
                          &out->at[program.units.at[i].source], error);
    for (size_t i = 0; i < program.units.count; i++)
        unit_free(&program.units.at[i].unit);
    return fine;
}
