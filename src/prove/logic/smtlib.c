/* Terms share subterms heavily (reads of written maps are case distinctions), so each term that is
 * used more than once is given a name with define-fun, in the order of the numbers: a term's parts
 * always have smaller numbers than the term. */
#include "prove/logic/smtlib.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

typedef struct Smtlib {
    FILE *file;
    const TermPool *pool;
    unsigned char *uses; /* 0, 1, 2 = more; capped */
} Smtlib;

static void smtlib_count(Smtlib *smtlib, Term term)
{
    if (smtlib->uses[term]) {
        smtlib->uses[term] = 2;
        return;
    }
    smtlib->uses[term] = 1;
    const TermNode *node = term_node(smtlib->pool, term);
    switch (node->kind) {
    case TERM_NUMBER:
    case TERM_SYMBOL:
    case TERM_TRUE:
    case TERM_FALSE:
        break;
    case TERM_READ:
        smtlib_count(smtlib, node->b);
        break;
    case TERM_NOT:
        smtlib_count(smtlib, node->a);
        break;
    case TERM_ITE:
        smtlib_count(smtlib, node->c);
        smtlib_count(smtlib, node->a);
        smtlib_count(smtlib, node->b);
        break;
    default:
        smtlib_count(smtlib, node->a);
        smtlib_count(smtlib, node->b);
    }
}

static bool smtlib_is_leaf(const TermNode *node)
{
    return node->kind == TERM_NUMBER || node->kind == TERM_SYMBOL || node->kind == TERM_TRUE ||
           node->kind == TERM_FALSE;
}

static void smtlib_term(Smtlib *smtlib, Term term, bool whole)
{
    static const char *const words[] = {
        [TERM_ADD] = "+", [TERM_SUB] = "-",   [TERM_ITE] = "ite", [TERM_EQ] = "=",
        [TERM_LE] = "<=", [TERM_NOT] = "not", [TERM_AND] = "and", [TERM_OR] = "or"};
    const TermNode *node = term_node(smtlib->pool, term);
    if (!whole && smtlib->uses[term] > 1 && !smtlib_is_leaf(node)) {
        fprintf(smtlib->file, "t%u", term);
        return;
    }
    switch (node->kind) {
    case TERM_NUMBER:
        fprintf(smtlib->file, node->number < 0 ? "(- %lld)" : "%lld",
                (long long)llabs(node->number));
        return;
    case TERM_SYMBOL:
        fprintf(smtlib->file, "|%s|", smtlib->pool->symbols.at[node->a]);
        return;
    case TERM_TRUE:
    case TERM_FALSE:
        fprintf(smtlib->file, node->kind == TERM_TRUE ? "true" : "false");
        return;
    case TERM_READ:
        fprintf(smtlib->file, "(|%s| ", smtlib->pool->maps.at[node->a]);
        smtlib_term(smtlib, node->b, false);
        break;
    default:
        fprintf(smtlib->file, "(%s ", words[node->kind]);
        smtlib_term(smtlib, node->a, false);
        if (node->kind != TERM_NOT) {
            fprintf(smtlib->file, " ");
            smtlib_term(smtlib, node->b, false);
        }
        if (node->kind == TERM_ITE) {
            fprintf(smtlib->file, " ");
            smtlib_term(smtlib, node->c, false);
        }
    }
    fprintf(smtlib->file, ")");
}

static void smtlib_body(Smtlib *smtlib, const Terms *terms, const char *title)
{
    const TermPool *pool = smtlib->pool;
    for (size_t i = 0; i < terms->count; i++)
        smtlib_count(smtlib, terms->at[i]);
    fprintf(smtlib->file, "; %s\n(set-info :status unsat)\n(set-logic QF_UFLIA)\n", title);
    for (size_t i = 0; i < pool->maps.count; i++)
        fprintf(smtlib->file, "(declare-fun |%s| (Int) Int)\n", pool->maps.at[i]);
    for (Term t = 0; t < pool->nodes.count; t++)
        if (smtlib->uses[t] && pool->nodes.at[t].kind == TERM_SYMBOL)
            fprintf(smtlib->file, "(declare-fun |%s| () Int)\n",
                    pool->symbols.at[pool->nodes.at[t].a]);
    for (Term t = 0; t < pool->nodes.count; t++) {
        const TermNode *node = term_node(pool, t);
        if (smtlib->uses[t] < 2 || smtlib_is_leaf(node))
            continue;
        fprintf(smtlib->file, "(define-fun t%u () %s ", t,
                node->kind >= TERM_TRUE ? "Bool" : "Int");
        smtlib_term(smtlib, t, true);
        fprintf(smtlib->file, ")\n");
    }
    for (size_t i = 0; i < terms->count; i++) {
        fprintf(smtlib->file, "(assert ");
        smtlib_term(smtlib, terms->at[i], false);
        fprintf(smtlib->file, ")\n");
    }
    fprintf(smtlib->file, "(check-sat)\n");
}

bool smtlib_write(const char *path, const TermPool *pool, const Terms *terms, const char *title,
                  Error *error)
{
    FileWriter file;
    file_begin(&file, path);
    Smtlib smtlib = {file.stream, pool, calloc(pool->nodes.count + 1, 1)};
    if (!smtlib.uses)
        die("out of memory");
    smtlib_body(&smtlib, terms, title);
    free(smtlib.uses);
    return file_commit(&file, error);
}
