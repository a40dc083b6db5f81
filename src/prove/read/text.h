/* text.h: reads operations from text, in either of two notations that may be mixed.
 *
 * The notation of this tool:
 *     program  := { item }
 *     item     := struct NAME { { kind NAME ; } } [;]      kind := int | bool | key | tid | struct
 * name | [global] kind NAME [[]] { , NAME [[]] } ;     [] is an unbounded array | collected ; nodes
 * are never reused while reachable | init { decls statements }                 from the empty heap,
 * all values 0 | [internal] op NAME { decls { walk } { subop | assert } { ensure | clause } } |
 * invariant [ NAME : ] [forall kind n [, kind m] :] formula ; | assume "sentence" ; printed with
 * the verdict | spec { items }                            operations of one sub-operation each
 * | spec (stack | queue) ;                                see ordered.h
 *     | refinement { { [ NAME : ] [forall kind n [, kind m] :] formula ; } }     see simulation.h
 *     subop    := (1|*) [LABEL :] [< { cond [;] } >] { statement } [...LABEL]
 *     cond     := expr rop expr | live expr | ( formula ) | (none|each) kind n : ( formula )
 *                                                          rop := == != < <= > >=
 *     statement:= new VAR ; | VAR = malloc kind ; | free VAR ; | lvalue = expr ; | READ lvalue ;
 *     ensure   := ensure [none [kind] n :] < conds >   kind: the first structure
 *     assert   := assert < conds >                          a fact at this point
 *     clause   := inserts VAR as VAR [rank VAR] at LABEL ; | removes VAR as VAR at LABEL ;
 *              | meets NAME ( VAR = VAR , VAR = VAR ) at LABEL ;         see meeting.h
 *     walk     := walk VAR from GLOBAL via FIELD [to VAR] keeping < conds > [until < conds >] ;
 *
 * The paper's notation: an operation is `name(kind arg, ...)` or `name`, declarations, then
 * sub-operations with tmarks up to the next operation; `READ P` of a local node means that P is
 * some node that was met. A global of structure type that is only used as `Q.field` is a record.
 *
 * In the paper's notation, steps that only touch a node which the operation has allocated and not
 * yet published are meant to be local: program->joined has them as part of the next step, and that
 * nobody can see the node before is shown of the text (memory.h). In this tool's notation a node
 * can be met (`live P`) from its `new` on; write both into the step that publishes. */
#ifndef HEDDLE_PROVE_READ_TEXT_H
#define HEDDLE_PROVE_READ_TEXT_H
#include "base/error.h"
#include "prove/ir.h"

MUST_USE bool text_read_file(Arena *arena, const char *path, IrProgram **out, Error *error);
/* The bytes of a file; they live as long as the arena. */
MUST_USE bool text_load(Arena *arena, const char *path, Str *out, Error *error);
/* Reads what SPEC says of the relation, with the names of PRODUCT, to whose facts it is added. */
MUST_USE bool text_read_refinement(Arena *arena, const IrProgram *spec, IrProgram *product,
                                   Error *error);
/* Reads what SPEC says of the relation, with the names of PRODUCT, to whose facts it is added. */
MUST_USE bool text_read_refinement(Arena *arena, const IrProgram *spec, IrProgram *product,
                                   Error *error);
MUST_USE bool text_read(Arena *arena, const char *path, Str text, IrProgram **out, Error *error);
#endif
