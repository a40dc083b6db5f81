# Random texts for polls.c: awk -v seed=N -v count=M [-v atomics=1] -f tests/twin/polls.awk
# ATOMICS: mostly locks made of atomics.
# A lock that one thread tries once while another one looks under it is not generated: such rounds are not idle, and the
# search does not end (guest/explore/reduce/waiting/sections.c).
function pick(n) { return int(rand() * n) }
function digit() { return pick(3) ? 0 : 1 }
# TRIES 0: nobody tries; 1: mutex 1 and read-write lock 1 are tried, and looked at under the others; 2: one thread looks
# by trylock, the others take the lock; 3: several threads look, mostly by trylock
function poll() {
    if (tries == 2) return "T" digit()
    if (tries == 3) return substr("TTPPMA", 1 + pick(6), 1) digit()
    if (atomics) return substr("XXBCCMEEEGG", 1 + pick(11), 1) (tries == 1 ? 0 : digit())
    if (tries == 1) return substr("MDSA", 1 + pick(4), 1) 0
    return substr("MMMDSANN", 1 + pick(8), 1) digit()
}
function other(  k) {
    k = pick(13)
    if (atomics && k > 2) return tries == 1 && k > 9 ? "y" 1 : substr("xxcczfffWR", k - 2, 1) digit()
    if (tries == 1 && k > 9) return (k == 10 ? "d" : "t") 1
    return substr("mmmmeessnWWRR", 1 + k, 1) digit()
}
function answer(what, n,  i) {
    i = index("DSABXCEG", what)
    return (i ? substr("esWWxcff", i, 1) : "m") n
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
        threads = 2 + (pick(3) > 0); tries = pick(2) ? 0 : 1 + pick(atomics ? 1 : 2); polls = tries == 2
        if (!atomics && !pick(3)) { tries = 3; polls = 1 }
        for (t = 0; t < threads; t++) word[t] = ""
        p = poll(); a = pick(threads); b = (a + 1 + pick(threads - 1)) % threads
        if (pick(3)) word[b] = other()
        if (pick(6)) word[b] = word[b] answer(substr(p, 1, 1), substr(p, 2))
        if (!pick(3)) word[a] = other()
        word[a] = word[a] p
        c = threads == 2 ? b : 3 - a - b
        if (tries == 3) word[c] = word[c] poll()
        for (t = 0; t < threads; t++)
            while (word[t] == "" || (length(word[t]) < 6 && !pick(3)))
                word[t] = word[t] (!polls && !pick(4) ? (polls++ ? other() : poll()) : other())
        line = word[0]
        for (t = 1; t < threads; t++) line = line " " word[t]
        # (beside one who pauses nobody else counts itself in: the plain search would take too long)
        if (first = index(line, "G")) {
            before = substr(line, 1, first - 1); rest = substr(line, first + 1)
            gsub(/E/, "C", before); gsub(/[EG]/, "C", rest)
            line = before "G" rest
        }
        print line
    }
}
