# shellcheck shell=bash disable=SC2016
# Mistakes in the annotations of holds/cell.c (its lines count), one a call: a name, what is expected, a pattern that the
# message must match, and the edits that make it.

# the specification is wrong
mistake false_post 'violated specification' 'false_post.c:26: @PostCondition __RET__ == value + 1 does not hold for Get() = 1 of T2, in the sequential history Set(v=1) by T1, Get() = 1 by T2' -e 's/__RET__ == value/__RET__ == value + 1/'
mistake false_pre 'violated specification' 'false_pre.c:25: @PreCondition value > 0 does not hold for Get() = 0 of T2' -e 's/value >= 0/value > 0/'
mistake no_point 'violated no-ordering-point' 'no_point.c:22: Get() = 0 of T2 has no ordering point; its @Ordering_Point_Set is Get_Point' -e '/int v = /,/return v/s/Label_Check: true/Label_Check: v/'
mistake impossible_rule 'violated synchronisation' 'impossible_rule.c:10: @Happens_Before Get -> Set: Get() = 0 of T2 does not happen before Set(v=1) of T1, which its ordering points put after it, in the sequential history Get() = 0 by T2, Set(v=1) by T1' -e 's/Set -> Get(Saw)/Set -> Get(Saw) Get -> Set/'
mistake no_release 'violated synchronisation' 'no_release.c:10: @Happens_Before Set -> Get(Saw): Set(v=1) of T1 does not happen before Get() = 1 of T2' -e 's/memory_order_release/memory_order_relaxed/'
mistake crash 'violated specification' 'crash.c:22: the annotated code crashes (.*) for Get() = ' -e 's/__RET__ == value/__RET__ == *pointer/'
mistake fence 'violated no-ordering-point' 'fence.c:30: no atomic operation of this call stands before the ordering point (a fence is none)' -e 's/int v = atomic_load.*/int v = 0; atomic_thread_fence(memory_order_seq_cst); (void)c;/'
mistake race_first 'violated race' 'data race' -e 's/atomic_store_explicit(&c->x, v, memory_order_release);/static int plain; plain++; &/' -e 's/    get(&c);/    set(\&c, 2);/' -e 's/__RET__ == value/__RET__ == value + 1/'
mistake never_called inconclusive 'no annotated method was called: nothing was judged' -e '/    [sg]et(&c/d'
mistake before_main inconclusive 'annotated methods are called before main' -e 's/^int main(void)/__attribute__((constructor)) static void early(void)\n{\n    set(\&c, 0);\n}\n&/'

# its code does not compile
mistake post_does_not_compile error 'post_does_not_compile.c:26:[0-9]*: error: .nothing. undeclared' -e 's/__RET__ == value/__RET__ == nothing/'
mistake state_does_not_compile error 'state_does_not_compile.c:8:[0-9]*: error: unknown type name .integer' -e 's/int value;/integer value;/'
mistake effect_does_not_compile error 'effect_does_not_compile.c:14:[0-9]*: error: .w. undeclared' -e 's/value = v;/value = w;/'
mistake point_does_not_compile error 'point_does_not_compile.c:30:[0-9]*: error: .w. undeclared' -e '/int v = /,/return/s/Check: true/Check: w/'
mistake init_does_not_compile error 'init_does_not_compile.c:9:[0-9]*: error: expected' -e 's/InitVar: value = 0;/InitVar: value = ;/'
mistake source_does_not_compile error 'source_does_not_compile.c:32:[0-9]*: .*undeclared identifier .nonsense' -e 's/    return v;/    return nonsense;/'

# something is missing, or unknown
mistake no_set error 'no_set.c:12:5: method Set has no @Ordering_Point_Set' -e '/Ordering_Point_Set: Set_Point/d'
mistake label_nowhere error 'label_nowhere.c:13:[0-9]*: no ordering point has the label Sat_Point' -e 's/Set: Set_Point/Set: Sat_Point/'
mistake label_in_no_set error 'label_in_no_set.c:31:[0-9]*: label Other is in no method' -e 's/Label: Get_Point/Label: Other/' -e 's/Set: Get_Point/Set: Set_Point/'
mistake no_label error 'no_label.c:30:[0-9]*: @Ordering_Point_Label_Check has no @Label' -e '/Label: Get_Point/s/.*/*\//'
mistake no_structure error 'no_structure.c:8:[0-9]*: method Set has no structure' -e '/Structure_Define/,/Happens_Before/d'
mistake no_method error 'no_method.c:7: there is no annotated method' -e '/@Happens_Before/s/@Happens.*\*/*/' -e '/Method: /,/\*\//d' -e '/Label_Check/,/\*\//d' -e '/set(&c/d;/get(&c/d'
mistake no_body error 'no_body.c:[0-9]*:[0-9]*: the body of method Other is in none of the files' -e 's/^static cell c;/\/** @Method: Other\n    @Ordering_Point_Set: Set_Point *\/\nvoid other(cell *c);\n&/'
mistake no_potential error 'no_potential.c:31:[0-9]*: no @Potential_Ordering_Point has the label Nowhere' -e '/int v = /,/return v/s/Label_Check: true/Check: true\n        @Potential_Ordering_Point_Label: Nowhere/'
mistake unknown_method error 'unknown_method.c:10:[0-9]*: @Happens_Before: the structure has no method Gat' -e 's/-> Get(Saw)/-> Gat(Saw)/'
mistake unknown_condition error 'unknown_condition.c:10:[0-9]*: method Get has no @HB_Condition Seen' -e 's/(Saw)/(Seen)/'
mistake unknown_keyword error 'unknown_keyword.c:26:5: unknown keyword @PostConditon' -e 's/@PostCondition/@PostConditon/'
mistake rule_without_arrow error 'rule_without_arrow.c:10:[0-9]*: -> is missing between the two methods' -e 's/Set -> Get(Saw)/Set Get/'
mistake twice error 'twice.c:26:5: @PreCondition is given twice' -e 's/@PostCondition/@PreCondition/'
mistake empty error 'empty.c:26:5: @PostCondition is empty' -e 's/@PostCondition.*/@PostCondition *\//'

# something is out of place
mistake part_of_other error 'part_of_other.c:9:5: @SideEffect is no part of @Structure_Define' -e 's/@InitVar/@SideEffect/'
mistake method_without_function error 'method_without_function.c:12:5: @Method Set is out of place: it must stand right before a function' -e 's/^static void set(/static int between; &/'
mistake structure_in_function error 'structure_in_function.c:38:[0-9]*: @Structure_Define is out of place' -e 's/    set(&c, 1);/    \/** @Structure_Define: @DeclareVar: int y; *\/\n&/'
mistake point_outside error 'point_outside.c:35:5: @Ordering_Point_Label_Check is out of place: it must stand inside a function' -e 's/^static cell c;/\/** @Ordering_Point_Label_Check: true\n    @Label: Set_Point *\/\n&/'
mistake point_in_expression error 'point_in_expression.c:30:[0-9]*: @Ordering_Point_Label_Check is out of place: it must stand between two statements' -e 's/int v = atomic_load_explicit(&c->x, memory_order_acquire);/int v = atomic_load_explicit(\&c->x, memory_order_acquire) +/' -e 's/    return v;/0;\n    return v;/'
mistake point_without_braces error 'point_without_braces.c:32:[0-9]*: @Ordering_Point_Label_Check comes after a statement without braces' -e 's/    int v = \(atomic_load.*\)/    int v;\n    while ((v = 0))\n        v = \1/' -e '/Label_Check: true/s/^/      /'
mistake returning_effect error 'returning_effect.c:14:[0-9]*: @SideEffect may not return' -e 's/value = v;/if (v) return; value = v;/'
mistake return_in_macro error 'return_in_macro.c:33:[0-9]*: a return inside a macro' -e 's/    return v;/    GIVE(v)/' -e 's/^static int get(/#define GIVE(x) return x;\n&/'

# the words of the later papers
mistake later_no_label error 'later_no_label.c:30:[0-9]*: @OPCheck wants a label in parentheses' -e '/int v = /,/return v/s/@Ordering_Point_Label_Check: true/@OPCheck: true/'
mistake later_pair error 'later_pair.c:10:[0-9]*: @Commutativity: the structure has no method Gat' -e 's/@Happens_Before: Set -> Get(Saw)/@Commutativity: Set <-> Gat/'
mistake later_arrow error 'later_arrow.c:10:[0-9]*: @Admissibility wants two methods, such as enq <-> deq' -e 's/@Happens_Before: Set -> Get(Saw)/@Admissibility: Set -> Get/'
mistake later_justified 'violated specification' '@JustifyingPostcondition __RET__ == value + 1 does not hold for Get() = [01] of T2 in any sequential history of the calls before it' -e 's/@PostCondition: __RET__ == value/@JustifyingPostcondition: __RET__ == value + 1/'
mistake later_in_no_set error 'later_in_no_set.c:30:[0-9]*: label OP is in no method' -e '/int v = /,/return v/s/@Ordering_Point_Label_Check: true/@OPDefine: true *\/ \/*/' -e '/Label: Get_Point/s/.*/*\//' -e 's/Set: Get_Point/Set: Set_Point/'
