# Random texts for blocks.c: awk -v seed=N -v count=M [-v looks=1] -f tests/twin/blocks.awk
# looks: every text has a step that looks at an address.
function pick(n) { return int(rand() * n) }
function step(  k) {
    k = pick(20)
    return substr("PPGGGXXCCTTQQARVEEGA", k + 1, 1) pick(2)
}
function look(  k) { k = pick(4); return k < 2 ? "I" pick(2) : k < 3 ? "H" pick(2) : "N0W0P0G0V0" }
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) {
        threads = 1 + pick(2); line = ""; at = looks ? pick(threads) : -1
        for (t = 0; t < threads; t++) {
            word = pick(8) ? "N0" : pick(3) ? "" : "L0"
            steps = 1 + pick(3)
            for (s = 0; s < steps; s++) word = word step()
            if (t == at) word = word look()
            line = line (t ? " " : "") word
        }
        print line
    }
}
