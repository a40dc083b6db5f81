# Draws COUNT tests for `heddle check --scenario` from the operations that a test file declares:
#   awk -v seed=1 -v count=5 -f tests/helpers/draw_tests.awk queue_check.c
# Two or three threads with one to three calls each, in any order. Prints a line for each test. A role of HD_SINGLE has one
# thread. Operations whose values are no numbers, or that have two parameters, are left out.
match($0, /HD_OP\([^)]*\)/) {
    n = split(substr($0, RSTART + 6, RLENGTH - 7), word, /[ \t]*,[ \t]*/)
    name = word[1]
    if (n == 1) call[++calls] = name "()"
    for (i = 4; i <= n; i++)
        if (word[i] ~ /^-?[0-9]+$/) call[++calls] = name "(" word[i] ")"
    while (owner_count < calls) owner_name[++owner_count] = name
}
match($0, /HD_SINGLE\("[^"]*"\)/) {
    roles = split(substr($0, RSTART + 11, RLENGTH - 13), role, "|")
    for (r = 1; r <= roles; r++) {
        n = split(role[r], word, " ")
        for (i = 1; i <= n; i++) role_of[word[i]] = r
    }
}
function column(r, length_,   text, n, i, which) {
    n = 0
    for (i = 1; i <= calls; i++)
        if (role_of[owner_name[i]] + 0 == r) which[++n] = call[i]
    if (!n) return ""
    text = which[1 + int(rand() * n)]
    for (i = 2; i <= length_; i++) text = text " " which[1 + int(rand() * n)]
    return text
}
END {
    srand(seed)
    for (t = 0; t < count; t++) {
        n = 0; threads = 2 + int(rand() * 2); most = 5 - threads
        for (k = 1; k <= threads; k++)
            if ((text = column(k <= roles ? k : 0, 1 + int(rand() * most))) != "") {
                place = 1 + int(rand() * ++n)
                test[n] = test[place]; test[place] = text
            }
        if (n < 2) continue
        line = test[1]
        for (k = 2; k <= n; k++) line = line " | " test[k]
        print line
    }
}
