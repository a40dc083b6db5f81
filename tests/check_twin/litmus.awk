# A random test of small operations on two or three places, with memory orders and seq_cst fences drawn at random:
# awk -v seed=N -f litmus.awk. Mostly seq_cst, mostly fences, or mixed, by seed. With -v parts=1 the places are a word and
# its two halves. With -v parts=2 each place is the low half of a word whose other half stays 0, and some loads are of the
# word; -v parts=3 is the same test with loads of the half: the answers are equal.
function draw(bound) { state = (state * 1103515245 + 12345) % 2147483648; return int(state / 65536) % bound }
function order(kind, pick) {
    pick = draw(4)
    if (seed % 3 == 0 && pick) return "memory_order_seq_cst"
    return "memory_order_" (pick == 0 ? "relaxed" : pick == 1 ? "seq_cst" : kind)
}
function fence() { if (draw(seed % 3 == 1 ? 2 : 6) == 0) print "    atomic_thread_fence(memory_order_seq_cst);" }
function access(place, pick) {
    pick = draw(9)
    from = place
    if (parts > 1) { from = draw(3) && parts == 2 ? place ".word" : place ".low"; place = place ".low" }
    if (pick < 4) print "    r = 2 * r + atomic_load_explicit(&" from ", " order("acquire") ");"
    else if (pick < 8) print "    atomic_store_explicit(&" place ", " 1 + draw(2) ", " order("release") ");"
    else print "    r += atomic_fetch_add_explicit(&" place ", 1, " order("acq_rel") ");"
}
BEGIN {
    state = seed * 7919 + 1; for (i = 0; i < 5; i++) draw(2)
    print "#include <heddle.h>\n#include <stdatomic.h>"
    print parts ? "static union { atomic_int word; struct { atomic_short low, high; }; } " (parts == 1 ? "u;" : "x, y, z;") : "static atomic_int x, y, z;"
    if (parts == 1) print "#define x u.word\n#define y u.low\n#define z u.high"
    places = parts == 1 ? 3 : 2 + draw(2); count = 4 + draw(3)
    for (o = 0; o < count; o++) {
        print "HD_OP(op" o ")\n{\n    int r = 0;"
        fence(); access(substr("xyz", 1 + draw(places), 1))
        if (draw(3) == 0) { fence(); access(substr("xyz", 1 + draw(places), 1)) }
        fence()
        print "    return HD_INT(r);\n}"
    }
    threads = 2 + draw(3)
    for (t = 0; t < threads; t++) {
        text = text (t ? " | " : "")
        for (i = draw(2) + (threads < 4); i >= 0; i--) text = text "op" draw(count) "() "
    }
    print "HD_SCENARIO(\"" text "\")"
}
