# Texts for interp.c (threads between bars) or, with -v blank=1, for locks.c, waits.c and confirms.c (between blanks), as
# they are on standard input, made programs with equal threads: some threads stand there twice, short ones three times.
# awk -v seed=N [-v blank=1] [-v most=THREADS] -f tests/twin/double.awk
BEGIN { srand(seed); FS = blank ? " " : "|"; separator = blank ? " " : "|"; if (!most) most = 4; short = blank ? 5 : 24 }
function is_thread(word) { return blank || word !~ /:/ }
{
    threads = left = 0
    for (i = 1; i <= NF; i++) threads += is_thread($i)
    chosen = 1 + int(rand() * threads); spare = most - threads; out = ""; t = 0
    for (i = 1; i <= NF; i++) {
        times = 1
        if (is_thread($i) && (++t == chosen || rand() < 0.3)) times = 2 + (length($i) < short && rand() < 0.5)
        while (times > 1 && times - 1 > spare) times--
        spare -= times - 1
        for (k = 0; k < times; k++) out = out (out == "" ? "" : separator) $i
    }
    print out
}
