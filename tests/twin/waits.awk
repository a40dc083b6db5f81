# Random texts for waits.c: awk -v seed=N -v count=M -f tests/twin/waits.awk
function pick(n) { return int(rand() * n) }
function access() { return substr("WVZwvzRrA", 1 + pick(9), 1) pick(2) }
function wait(  k, n) {
    k = pick(18); n = pick(2)
    if (k < 16) return substr("FfGECcIiBbHQqNCB", k + 1, 1) n
    return k == 16 ? "X" n access() "x" n : "K" n access() "k" n
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
