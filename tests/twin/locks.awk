# Random texts for locks.c: awk -v seed=N -v count=M [-v waits=1] -f tests/twin/locks.awk
# waits: with loops that wait in two of three places.
function pick(n) { return int(rand() * n) }
function access(  k) { k = pick(10); return (k < 3 ? "R" : k < 6 ? "W" : k < 8 ? "A" : k < 9 ? "w" : "r") pick(2) }
function wait(  k, n, body) {
    k = pick(8); n = pick(2)
    if (k < 5) return substr("FfCcB", k + 1, 1) n
    body = access()
    return k < 7 ? "X" n body "x" n : "K" n body "k" n
}
function section(depth,  k, n, body) {
    if (waits && !depth && pick(3)) return wait()
    k = pick(10); n = pick(2)
    if (k < 2) return access()
    body = pick(3) ? access() : ""
    if (depth < 2 && !pick(4)) body = body section(depth + 1)
    if (k < 6) return "L" (n = depth ? 1 - n % 2 : n) body "U" n
    if (k == 6) return "T" n body "U" n
    if (k == 7) return "S" n body "P" n
    if (k == 8) return "D" n body "d" n
    return "E" n body "e" n
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
        threads = 2 + (pick(3) > 0); line = ""
        for (t = 0; t < threads; t++) {
            word = section(0)
            if (length(word) < 7 && pick(2)) word = word section(0)
            line = line (t ? " " : "") word
        }
        print line
    }
}
