# Random texts for futexes.c: awk -v seed=N -v count=M -f tests/twin/futexes.awk; -v more=1: also bit sets, two futexes at once
function pick(n) { return int(rand() * n) }
function one(letters) { return substr(letters, 1 + pick(length(letters)), 1) }
function word(  n, text, c) {
    if (pick(4) == 0) { c = pick(2); return "D" c (pick(2) ? one("WVZRA") (1 - c) : "") "U" c }
    for (n = 1 + pick(3); n > 0; n--) text = text one(more ? "WZAssookkKpqiImmMxnyL" : "WVZRAAsstuokkjKL") (pick(3) ? 0 : 1)
    return text
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) print word() " " word() (pick(3) ? " " word() : "")
}
