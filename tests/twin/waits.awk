# Random texts for waits.c: awk -v seed=N -v count=M -f tests/twin/waits.awk
function pick(n) { return int(rand() * n) }
function cell() { return pick(3) ? pick(2) : 2 }
function access() { return substr("WVZwvzRrAA", 1 + pick(10), 1) cell() }
function wait(  k, n) {
    k = pick(22); n = pick(2)
    if (k < 20) return substr("FfGECcIiBbHQqNCBDDDd", k + 1, 1) n
    return k == 20 ? "X" n access() "x" n : "K" n access() "k" n
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
        threads = 2 + (pick(4) > 0); line = ""
        for (t = 0; t < threads; t++) {
            word = pick(3) ? wait() : access()
            while (length(word) < 5 && pick(3)) word = word (pick(2) ? wait() : access())
            line = line (t ? " " : "") word
        }
        print line
    }
}
