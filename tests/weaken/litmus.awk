# Random litmus tests for tests/weaken/twin.sh, a file each:
#     awk -v seed=N -v count=M -v folder=FOLDER -f tests/weaken/litmus.awk
# Thread i accesses v[i], then v[i + 1]; what the assertion excludes is a cycle that sequential consistency forbids. So with
# strong orders it holds, and some of the weaker ones are needed: stores, loads, exchanges, compare-exchanges, fences.
function pick(n) { return int(rand() * n) }
function order(kind,  k) { # kind: r, w, u (both), f (fence)
    k = pick(10)
    if (k < 6) return "memory_order_seq_cst"
    if (k == 9) return kind == "f" ? "memory_order_acq_rel" : "memory_order_relaxed"
    return "memory_order_" (kind == "r" ? "acquire" : kind == "w" ? "release" : "acq_rel")
}
function write(place, value) {
    if (pick(4) == 0) return "    atomic_exchange_explicit(&v[" place "], " value ", " order("u") ");\n"
    return "    atomic_store_explicit(&v[" place "], " value ", " order("w") ");\n"
}
function read(place, into) {
    if (pick(5) == 0)
        return "    " into " = 100;\n    atomic_compare_exchange_strong_explicit(&v[" place "], &" into ", 101, " \
            order("u") ", " order("r") ");\n"
    if (pick(6) == 0) return "    " into " = atomic_fetch_add_explicit(&v[" place "], 0, " order("u") ");\n"
    return "    " into " = atomic_load_explicit(&v[" place "], " order("r") ");\n"
}
function program(  n, i, j, text, condition, body) {
    n = 2 + (pick(3) == 0)
    for (i = 0; i < n; i++) { first[i] = pick(2); second[i] = pick(2) } # 1: a write
    for (i = 0; i < n; i++) if (!second[i] && !first[(i + 1) % n]) second[i] = 1 # two reads make no edge
    condition = ""
    for (i = 0; i < n; i++) {
        j = (i + 1) % n
        condition = condition (i ? " && " : "") (second[i] && first[j] ? "v[" j "] == 2" : \
            second[i] ? "a[" j "] == 1" : "b[" i "] == 0")
    }
    text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n" \
        "static atomic_int v[" n "];\nstatic int a[" n "], b[" n "];\n"
    for (i = 0; i < n; i++) {
        # of two writes the one of the next thread comes last
        body = first[i] ? write(i, second[(i + n - 1) % n] ? 2 : 1) : read(i, "a[" i "]")
        if (pick(3) == 0) body = body "    atomic_thread_fence(" order("f") ");\n"
        body = body (second[i] ? write((i + 1) % n, 1) : read((i + 1) % n, "b[" i "]"))
        text = text "static void *thread" i "(void *argument)\n{\n" body "    return argument;\n}\n"
    }
    text = text "int main(void)\n{\n    pthread_t t[" n "];\n"
    for (i = 0; i < n; i++) text = text "    pthread_create(&t[" i "], NULL, thread" i ", NULL);\n"
    text = text "    for (int i = 0; i < " n "; i++)\n        pthread_join(t[i], NULL);\n    assert(!(" condition "));\n}\n"
    return text
}
BEGIN {
    srand(seed)
    for (number = 1; number <= count; number++) {
        path = folder "/litmus" number ".c"
        printf "%s", program() >path
        close(path)
    }
}
