# Turns the programs of tests/oracle/mixed, which have one regular shape, into the twin's language:
# awk -f from_c.awk m000.c  prints one line.
function order(word) {
    sub(/.*memory_order_/, "", word); sub(/[^a-z_].*/, "", word)
    return word == "relaxed" ? "rlx" : word == "acquire" ? "acq" : word == "release" ? "rel" : \
           word == "acq_rel" ? "ar" : word == "seq_cst" ? "sc" : "unknown"
}
function emit(text) { line = line (first ? "" : "; ") guard text; first = 0; guard = "" }
{ location = ""; if (match($0, /&[xyz]/)) location = substr($0, RSTART + 1, 1); n = split($0, part, /, */) }
/^static void \*t[0-9]/ { line = line (threads++ ? "|" : ""); first = 1; next }
/^\te = / { expected = $3 + 0; next }
/atomic_store_explicit/ { emit("st." order(part[3]) " " location " " part[2]); next }
/if \(atomic_load_explicit/ {
    value = $0; sub(/.*== /, "", value); sub(/\).*/, "", value)
    emit("ld." order(part[2]) " " location " r0"); guard = "[r0=" value "] "; next
}
/atomic_load_explicit/ { emit("ld." order(part[2]) " " location " r1"); next }
/atomic_exchange_explicit/ { emit("xchg." order(part[3]) " " location " " part[2] " r1"); next }
/atomic_fetch_add_explicit/ { emit("add." order(part[3]) " " location " " part[2] " r1"); next }
/atomic_compare_exchange_strong_explicit/ {
    emit("cas." order(part[4]) "." order(part[5]) " " location " " expected " " part[3] " r1"); next
}
/atomic_thread_fence/ { emit("fence." order($0)); next }
END { print line }
