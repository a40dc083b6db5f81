# Random texts for waits.c: awk -v seed=N -v count=M [-v barriers=1] [-v exchanges=1] -f tests/twin/waits.awk
# exchanges: most threads take locks by exchanges that are a load and a compare-exchange.
# barriers: most threads wait at barriers, too, mostly all of them at the same one, once or twice.
function pick(n) { return int(rand() * n) }
function cell() { return pick(3) ? pick(2) : 2 }
function access() { return substr("WVZwvzRrAA", 1 + pick(10), 1) cell() }
function wait(  k, n) {
    k = pick(22); n = pick(2)
    if (k < 20) return substr("FfGECcIiBbHQqNCBDDDd", k + 1, 1) n
    return k == 20 ? "X" n access() "x" n : "K" n access() "k" n
}
function exchange(  k, n) {
    k = theme < 2 && pick(6) ? 4 * theme + pick(4) : pick(9); n = pick(6) == 0
    if (k < 4) return substr("SSss", k + 1, 1) n access() (pick(2) ? "x" : "y") n
    if (k < 6) return "U" n access() "u" n
    if (k < 8) return pick(8) ? "O" n access() "o" n : pick(3) ? "j" n access() "o" n : substr("ehg", 1 + pick(3), 1) n
    return "T" cell()
}
function meet(n) { return (pick(3) ? "P" : "p") n }
# A word with barriers between its steps: RULE 0 once at barrier N, 1 twice, 2 anything.
function meeting(rule, n) {
    if (rule == 2) return (pick(2) ? access() : "") meet(pick(2)) (pick(2) ? access() : "") (pick(3) ? "" : meet(pick(2)))
    return (pick(3) ? access() : "") meet(n) (pick(3) ? access() : wait()) (rule ? meet(n) (pick(2) ? access() : "") : "")
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
        threads = 2 + (pick(4) > 0); line = ""
        if (exchanges) theme = pick(3) # of its threads: a lock, a reader-writer lock, anything
        if (barriers) { rule = pick(3); n = pick(4) ? threads - 2 : pick(2) }
        for (t = 0; t < threads; t++) {
            word = barriers && pick(6) ? meeting(rule, n) : exchanges && pick(5) ? exchange() : pick(3) ? wait() : access()
            while (length(word) < 5 && pick(3)) word = word (pick(2) ? wait() : access())
            if (exchanges && theme == 1 && pick(8) == 0) word = word substr("eehg", 1 + pick(4), 1) "0"
            if (exchanges && pick(3) == 0) word = word (threads == 2 && pick(2) ? exchange() : access())
            line = line (t ? " " : "") word
        }
        print line
    }
}
