# Random texts for futexes.c: awk -v seed=N -v count=M -f tests/twin/futexes.awk; -v more=1: also bit sets, two futexes at once
# -v loops=1: loops whose rounds for nothing write what they have read, and hardly any futex call
function pick(n) { return int(rand() * n) }
function one(letters) { return substr(letters, 1 + pick(length(letters)), 1) }
function word(  n, text, c) {
    if (pick(4) == 0) { c = pick(2); return "D" c (pick(2) ? one("WVZRA") (1 - c) : "") "U" c }
    for (n = 1 + pick(3); n > 0; n--) text = text one(more ? "WZAssookkKpqiImmMxnyL" : "WVZRAAsstuokkjKL") (pick(3) ? 0 : 1)
    return text
}
function loop(  k, c) {
    k = pick(8); c = pick(6) ? theme : pick(3)
    if (k < 4) return one(kind < 2 ? "TBBE" : "TBXFNE") (k < 3 ? c : pick(3))
    if (k == 4) return "F" c one("WVZRA") pick(3) "f" c
    if (k == 5) return "X" c one("WVRA") pick(3) "Z" c
    return kind < 2 ? "A" theme one("WV") ((theme + 1 + pick(2)) % 3) : one("WVA") pick(3)
}
function loop_word(  n, text) {
    for (n = 1 + (pick(3) == 0); n > 0; n--) text = text (pick(5) ? loop() : pick(8) ? one("WVZRAA") pick(3) : one("skKL") pick(2))
    return text
}
function loop_text(  line, n) {
    theme = pick(3); kind = pick(4)
    line = loop_word()
    for (n = 1 + pick(3); n > 0; n--) line = line " " loop_word()
    return line
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) print loops ? loop_text() : word() " " word() (pick(3) ? " " word() : "")
}
