# Texts for confirms.c: awk -v seed=N -v count=M -f tests/twin/confirms.awk prints random ones;
# with -v all=1, all texts of one loop on cells 0 and 1 beside a thread with an access to each, before it or after it;
# with -v all=3, the same for loops with fences, plain writes and leftovers;
# with -v taken=1, random loops that read a link between their first read and a compare-exchange, relaxed for the most
# part, beside threads that change the cell by read-modify-writes, and now and then by a store;
# with -v ordered=1, loops of seq_cst accesses beside threads that store values which come back, most of them seq_cst,
# and relaxed ones to the third cell before a seq_cst one tells of it (confirm/ordered.h), and now and then a weak one;
# with -v contents=1, loops that leave behind what plain memory holds which others have published (facts/contents.h);
# with -v retries=1, loops that go on with what a compare-exchange has found, and with what its publisher has read before
# (guest/explore/search/ghost.h, pauses), the publisher after the loops as often as before them;
# with -v all=2, all attempts to leave beside a thread that takes cell 0 and one that writes cell 1.
function pick(n) { return int(rand() * n) }
function one(letters) { return substr(letters, 1 + pick(length(letters)), 1) }
function loop(  x, y) {
    x = pick(3) ? 0 : pick(3); y = (x + 1 + (pick(4) == 0)) % 3
    if (pick(4) == 0) return one("MMm") x y one("aabd") one("11-") one("wwwzxbge") one("ooo1") one("--w")
    return one("LLlS") x y one("naarffbbdmegkpq") one("---012") one("aarcczebb3") one("-012") one("---wa")
}
function access() { return one("WVTZwvtzRrAAaKF") (pick(4) ? pick(2) : 2) }
function many(  word, n) {
    for (n = 1 + pick(3); n > 0; n--) word = word access()
    return word
}
function taker() { return pick(2) ? one("AAaaK") 0 : one("wvtWVAaz") (pick(5) ? 1 : 2) }
function takers_of(  word, n) {
    for (n = 1 + pick(3); n > 0; n--) word = word taker()
    return pick(12) ? word : word one("wW") 0
}
function linked() { return one("LLlS") "01" one("rrrfmab") one("---12") one("cccczzb") one("--1") one("--wa") }
function beside_takers(  other) {
    other = (pick(3) ? takers_of() : linked()) (pick(2) ? " " takers_of() : "")
    return pick(2) ? linked() " " other : other " " linked()
}
function strong_loop() { return "S01" one("haabdhhpn") one("----12") one("aaaccbb3z") one("--1") one("---wa") }
function strong() { return one("IJJUUBNI") (pick(5) ? pick(2) : 2) }
function told(  word, n) {
    for (n = 1 + pick(2); n > 0; n--) word = word one("wvvt") 2
    return word one("IJB") 1
}
function strongs(  word, n) {
    for (n = 1 + pick(3); n > 0; n--) word = word (pick(3) ? strong() : told())
    return pick(10) ? word : word access()
}
function ordered_text(  other) {
    other = (pick(3) ? strongs() : strong_loop()) (pick(2) ? " " strongs() : "")
    if (pick(6) == 0) other = "I" 0 "J" 0 "I" 0 " " other
    return pick(2) ? strong_loop() " " other : other " " strong_loop()
}
function published_loop() { return one("LLLS") "01" one("oooiiuuj") one("------12") one("cccbba3z") one("--12") one("---wa") }
function publisher() { return pick(3) ? one("PQQ") 0 : one("AVWZvT") (pick(2) ? 0 : 1) }
function publishers(  word, n) {
    for (n = 1 + pick(3); n > 0; n--) word = word publisher()
    return word
}
function contents_text(  text, word) {
    do text = any_contents_text(); # threads with the same word have one place: they would race
    while (split(text, word, " ") && (word[1] == word[2] || word[2] == word[3] || word[1] == word[3]))
    return text
}
function any_contents_text(  other) {
    other = (pick(4) ? publishers() : published_loop()) (pick(2) ? " " publishers() : "")
    if (pick(4) == 0) other = publisher() published_loop() " " publishers()
    return pick(2) ? published_loop() " " other : other " " published_loop()
}
function retry() { return one("HHHh") "01" one("oooin") one("--0012") one("cccz") "--" }
function retries_text(  word, text) {
    do {
        text = one("QQQP") 0 (pick(3) ? "" : one("PQ") 0)
        if (pick(3) == 0) text = one("rR") 1 text
        text = pick(2) ? retry() " " text : text " " retry()
        word = pick(3) == 0 ? retry() : one("VWAK") 0 (pick(3) ? "" : one("VWz") 1)
        text = pick(2) ? word " " text : text " " word
        if (pick(5) == 0) text = text " " one("VW") 0
    } while (split(text, words, " ") && (words[1] == words[2] || words[2] == words[3] || words[1] == words[3]))
    return text
}
function random(  threads, t, line, word) {
    threads = 2 + (pick(3) > 0)
    for (t = 0; t < threads; t++) {
        word = t == 0 || pick(3) == 0 ? loop() : many()
        if (pick(4) == 0) word = pick(2) ? word access() : access() word
        line = pick(2) && t ? word " " line : line (t ? " " : "") word
    }
    return line
}
function beside(word,  a, b, other) {
    for (a = 1; a <= length(letters); a++) for (b = 1; b <= length(letters); b++) {
        other = access_of(a, 0) access_of(b, 1)
        print word " " other; print other " " word
        other = access_of(b, 1) access_of(a, 0)
        print word " " other; print other " " word
    }
}
function every_leftover(  h, y, e, c) {
    for (h = 1; h <= 3; h++) for (y = 1; y <= 5; y++) for (e = 1; e <= (y > 3 ? 2 : 1); e++) for (c = 1; c <= 6; c++)
        beside(substr("LlS", h, 1) "01" substr("egkpq", y, 1) substr("-1", e, 1) substr("arczeb", c, 1) "--")
}
function every_leave(  h, y, e, c, o, a, b, word) {
    for (h = 1; h <= 2; h++) for (y = 1; y <= 3; y++) for (e = 1; e <= 2; e++) for (c = 1; c <= 6; c++) for (o = 1; o <= 2; o++) {
        word = substr("Mm", h, 1) "01" substr("abd", y, 1) substr("-1", e, 1) substr("wzxbge", c, 1) substr("o1", o, 1) "-"
        for (a = 1; a <= 6; a++) for (b = 1; b <= 5; b++) {
            print word " " takers[a] " " linkers[b]
            print takers[a] " " word " " linkers[b]
            print linkers[b] " " takers[a] " " word
        }
    }
}
function every(  h, y, e, c, l, word) {
    for (h = 1; h <= 3; h++) for (y = 1; y <= 5; y++) for (e = 1; e <= 3; e++) for (c = 1; c <= 5; c++)
        for (l = 1; l <= (c == 5 ? 3 : 1); l++) {
            word = substr("LlS", h, 1) "01" substr("arfbm", y, 1) substr("-12", e, 1) substr("arczb", c, 1) \
                   substr("-12", l, 1) "-"
            beside(word)
        }
}
function access_of(k, cell) { return substr(letters, k, 1) cell }
BEGIN {
    srand(seed)
    letters = "WVwvA"
    split("A0 V0 V0W0 W0V0 A0W2 W2A0", takers); split("W1 W1Z1 w1z1 V1Z1W1 Z1", linkers)
    if (all == 2) every_leave()
    else if (all == 3) every_leftover()
    else if (all) every()
    else for (i = 0; i < count; i++) print taken ? beside_takers() : contents ? contents_text() : retries ? retries_text() : ordered ? ordered_text() : random()
}
