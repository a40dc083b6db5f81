# random.awk -v seed=1 -v events=20 -v spec=fifo|register:0|cas-register: a log of 3 or 4 processes with random results, most of them
# wrong; some calls never return.
function any(n) { return int(rand() * n) }
BEGIN {
    srand(seed); processes = 3 + any(2)
    for (step = 0; step < events; step++) {
        p = any(processes)
        if (!(p in busy)) {
            a = ""
            if (spec == "fifo") { op[p] = rand() < 0.5 ? "enq" : "deq"; if (op[p] == "enq") a = ++puts }
            else {
                r = rand(); op[p] = r < 0.4 ? "write" : r < 0.7 || spec != "cas-register" ? "read" : "cas"
                if (op[p] == "write") a = any(3)
                if (op[p] == "cas") a = any(3) ", " any(3)
            }
            print "{\"process\":" p ",\"type\":\"call\",\"op\":\"" op[p] "\",\"args\":[" a "]}"; busy[p] = 1
        } else if (rand() < 0.9) {
            result = op[p] == "deq" ? (rand() < 0.25 ? "\"empty\"" : 1 + any(puts + 1)) : op[p] == "read" ? any(3) : op[p] == "cas" ? (rand() < 0.5 ? "true" : "false") : "null"
            print "{\"process\":" p ",\"type\":\"return\",\"result\":" result "}"; delete busy[p]
        }
    }
}
