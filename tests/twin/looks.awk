# Texts for looks.c: awk -v seed=N -v count=M -f tests/twin/looks.awk prints random ones; with -v rare=1, threads that
# look into what another one may take, and write or free it then, mostly if a third one has said so.
function pick(n) { return int(rand() * n) }
function one(letters) { return substr(letters, 1 + pick(length(letters)), 1) }
function stack() { return pick(3) ? main_stack : 1 - main_stack }
function flag() { return 2 + (pick(3) == 0) }
function pop(x) { return one("LLLHl") x one("RRNNnrWc") flag_or_variable() one("zzzw-") one("nnnnz") one("aaaqx") one("---RWWNNffw") one("------uv") }
function push(x) { return one("LlLlHh") x one("nnnrRw") flag_or_variable() "-" one("pPhhh") one("rraax") "-" "-" }
function flag_or_variable() { return look_uses_flag ? flag() : pick(2) }
function number_round(x) { return one("LLLHl") x one("rrrwcCn") (pick(2) ? flag() : pick(2)) one("--zwo") one("aaaz") one("aaaqrx") one("---rrwww") one("--uuvss") }
function round() { look_uses_flag = pick(3) == 0; return pick(3) ? (pick(4) ? pop(stack()) : push(stack())) : number_round(flag()) }
function wait() { return one("QQQqSJTOEIDGNBPp") flag() one("rrrwcCna") (pick(2) ? flag() : pick(2)) }
function access() { return pick(3) ? one("WVZwvRrAaK") flag() : one("XXYYFxy") pick(2) }
function guarded(  k) { k = pick(4); return one("??!%&") flag() (k == 0 ? one("XY") pick(2) : k == 1 ? one("def") 0 : k == 2 ? round() : access()) }
function held() { return one("deff") 0 }
function word(  n, w, k) {
    for (n = 1 + pick(3); n > 0; n--) {
        k = pick(10)
        w = w (k < 4 ? round() : k < 5 ? wait() : k < 7 ? guarded() : k < 8 ? held() : access())
    }
    return w
}
function text(  threads, t, line) {
    main_stack = pick(2)
    threads = 2 + pick(5) % 3
    for (t = 0; t < threads; t++) line = line (t ? " " : "") word()
    return line
}
# --- rare races: cell X is taken, cell 3 says whether the taken node or variable 0 is written
function looker() { return one("LLLLHl") X (X < 2 ? one("RRNNrRRcWM") : one("rrrrcwC")) (pick(4) ? 0 : 3) one("---zzw") (X < 2 ? one("nnzza") : one("aaaz")) one("aaaaaqx") one("-----rR") one("-----us") }
function taker(  k) {
    k = pick(6)
    return k < 3 ? one("LLH") X one("nnnrN") 0 one("-zzw") (X < 2 ? one("nnzz") : one("aaz")) one("aaaaq") "--" \
         : k == 3 ? one("AAAKWVZ") X : k == 4 ? looker() : looker() pushing()
}
function pushing() { return one("LlH") (pick(3) ? X : pick(3)) one("nnnrR") 0 "-" one("hhhpP") one("rraa") "--" }
function use(  u) {
    u = X < 2 ? one("eeffdXYN") : one("XXXY")
    u = u == "N" ? pushing() : u 0
    return pick(4) == 0 ? u : one("????!%") 3 u
}
function teller() { return pick(5) ? one("WWWwA") 3 : one("QS") (2 + pick(2)) one("nrrc") 0 one("WwA") 3 }
function rare_word(  k, w) {
    k = pick(7)
    w = k < 2 ? looker() : k < 4 ? taker() use() : k == 4 ? teller() : k == 5 ? taker() (pick(2) ? use() : teller()) : pushing()
    if (pick(5) == 0) w = pick(2) ? w teller() : teller() w
    if (pick(6) == 0) w = w looker()
    return w
}
function rare_text(  threads, words, t, u, line) {
    X = pick(3); threads = 2 + (pick(5) > 0) + (pick(4) == 0)
    words[1] = looker(); words[2] = taker() use(); words[3] = pick(2) ? teller() : rare_word(); words[4] = rare_word()
    if (pick(4) == 0) words[1] = words[1] looker()
    if (threads > 2 && pick(5) == 0) words[1] = rare_word()
    for (t = threads; t > 1; t--) { u = 1 + pick(t); line = words[t]; words[t] = words[u]; words[u] = line }
    line = words[1]
    for (t = 2; t <= threads; t++) line = line " " words[t]
    return line
}
# --- small ones: one thread that looks and perhaps tells, one that takes or releases and writes, perhaps a third
function small_look(  Y) {
    Y = X < 2 ? one("RRNNrW") : one("rrrwa")
    return pick(3) ? one("LLHl") X Y 0 one("---w") (X < 2 ? one("zzna") : one("aaz")) one("aaaar") "--" : \
           pick(2) ? one("QQqSS") (pick(4) ? X : 2 + pick(2)) Y 0 : one("TJOOEIDDGGNBPPp") (2 + pick(2)) one("rrrwa") 0
}
function small_taker() { return one("AAKWWVZZF") X }
function small_take() { return pick(3) ? one("LLH") X "n" 0 one("-w") (X < 2 ? one("zzn") : one("aaz")) one("aaaaq") "--" : small_taker() }
function small_use(  u) {
    u = pick(5) == 0 ? (pick(2) ? "m0" one("XY") 0 "u0" : one("x") 0) : pick(3) ? one(X < 2 ? "eef" : "XXXY") 0 : one("L") (pick(2) ? X : 2) "n0-" one("hhp") one("ra") "--"
    return pick(3) ? u : one("??!%") 3 u
}
# One thread waits for a flag and looks, another one takes the flag when it is set, and uses what was looked at.
function flag_words(words) {
    X = 2
    words[1] = one("QQQqSPPp") X one("rrrwac") (pick(5) ? 0 : 2) (pick(3) ? "" : one("wWA") 3)
    words[2] = one("LLHHlh") X one("nnnr") 0 one("wwwo-") one("aaz") one("aaaqr") "--" small_use()
    words[3] = one("AAAWVK") X (pick(4) ? "" : small_use())
}
function small_text(  words, t, u, line, threads) {
    X = pick(4); if (X == 3) X = pick(2) ? 2 : 0
    words[1] = small_look() (pick(3) ? "" : one("wWA") 3); words[2] = small_take() small_use()
    words[3] = pick(3) == 0 ? small_take() : pick(2) ? one("wWA") (pick(3) ? 3 : X) : pick(2) ? small_look() : small_use()
    if (pick(8) == 0) words[2] = small_use() words[2]
    if (pick(8) == 0) words[3] = words[1 + pick(2)]
    if (pick(10) == 0) { words[1] = pick(2) ? words[1] "b0" : "b0" words[1]; words[2] = pick(2) ? words[2] "b0" : small_take() "b0" small_use() }
    if (pick(8) == 0) words[2] = "m0" words[2] "u0"
    threads = 2 + (pick(3) > 0)
    if (pick(4) == 0) { flag_words(words); threads = 3 }
    for (t = threads; t > 1; t--) { u = 1 + pick(t); line = words[t]; words[t] = words[u]; words[u] = line }
    return words[1] " " words[2] (threads > 2 ? " " words[3] : "")
}
BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) print rare ? rare_text() : small ? small_text() : text()
}
