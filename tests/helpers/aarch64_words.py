#!/usr/bin/env python3
"""Compares the lines of aarch64_words.c with what the disassembler's text says: operands in memory (base, index,
displacement, bytes, which way), registers that are written and read, and where branches lead. Prints what differs."""
import re
import sys

NONE, UNKNOWN = -1, -2
WIDTH = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16, "w": 4, "x": 8}


def number(name):
    """The number of a general register; None for zero and others."""
    if name in ("sp", "wsp"):
        return 31
    match = re.fullmatch(r"[wx](\d+)", name)
    return int(match[1]) if match else None


def value(text):
    result = int(text.lstrip("#"), 0)
    return result - (1 << 64) if result >= 1 << 63 else result


def bytes_of(mnemonic, names):
    """How many bytes a load or store of these registers moves."""
    for end, size in (("sb", 1), ("sh", 2), ("sw", 4), ("b", 1), ("h", 2)):
        if mnemonic.endswith(end) and re.match(r"(ld|st)(u?r|p|tr)", mnemonic):
            return size * len(names)
    return sum(WIDTH[n[0]] for n in names)


def vectors(text):
    match = re.match(r"\{(.*?)\}(\[\d+\])?", text)
    names = match[1].split(", ")
    kind = names[0].split(".")[1]
    lanes, size = re.fullmatch(r"(\d*)([bhsd])", kind).groups()
    return names, WIDTH[size] * (1 if match[2] else int(lanes or 1))


def check(mnemonic, text, code):
    described, kind, base, index, displacement, size, loads, stores, writes, reads, step, flow, locked, immediate = code
    problems = []
    if not described:
        return problems
    bracket = text.find("[x") if "[x" in text else text.find("[sp")
    if bracket < 0:
        if size and base != UNKNOWN:
            problems.append("an operand in memory")
    elif locked or mnemonic.startswith("prf"):
        return problems
    else:
        inside, after = re.match(r"\[(.*?)\](.*)", text[bracket:]).groups()
        parts = [p.strip() for p in inside.split(",")]
        if number(parts[0]) != base:
            problems.append("base")
        want_index = NONE if len(parts) < 2 or parts[1].startswith("#") else number(parts[1])
        if (NONE if want_index is None else want_index) != index:
            problems.append("index")
        offset = value(parts[1]) if len(parts) > 1 and parts[1].startswith("#") else 0
        post = re.fullmatch(r", #(-?\w+)", after)
        want_step = offset if after == "!" else value(post[1]) if post else 0
        if want_step != step or offset != displacement:
            problems.append("displacement")
        if text.startswith("{"):
            names, each = vectors(text)
            want = 0 if mnemonic.endswith("r") and mnemonic.startswith("ld") else each * len(names)
        else:
            names = [n.strip() for n in text[:bracket].rstrip(", ").split(",")]
            want = bytes_of(mnemonic, names)
        if want and want != size:
            problems.append("%d bytes" % want)
        if (mnemonic.startswith("ld"), mnemonic.startswith("st")) != (bool(loads), bool(stores)):
            problems.append("which way")
        wanted = set()
        if mnemonic.startswith("ld") and not text.startswith("{"):
            wanted = {number(n) for n in names} - {None}
        if after == "!" or after.startswith(","):
            wanted.add(base)
        if sum(1 << r for r in wanted) != writes:
            problems.append("writes %x" % sum(1 << r for r in wanted))
        need = {number(n) for n in [parts[0], *parts[1:2]]} - {None}
        if mnemonic.startswith("st") and not text.startswith("{"):
            need |= {number(n) for n in names} - {None}
        if sum(1 << r for r in need) & ~reads:
            problems.append("reads")
        return problems
    names = [n.strip(" {}").split(".")[0].split("[")[0] for n in text.split(",")]
    general = [number(n) for n in names]
    compares = re.match(r"(cmp|cmn|tst|ccmp|ccmn)", mnemonic)
    branches = re.match(r"(b|bl|b\..*|cbn?z|tbn?z|br|blr|ret)$", mnemonic)
    if branches:
        targets = [n for n in names if n.startswith("#")]
        if targets and value(targets[-1]) != immediate:
            problems.append("target")
        if (flow == 0) != (mnemonic in ("bl", "blr")):
            problems.append("flow")
        return problems
    system = re.match(r"(msr|hint|nop|brk|udf|hlt|dmb|dsb|isb|svc|clrex|yield|dc|ic|sys)", mnemonic)
    if system:
        return problems
    wanted = set() if compares else {general[0]} - {None}
    if sum(1 << r for r in wanted) != writes:
        problems.append("writes %x" % sum(1 << r for r in wanted))
    keeps = mnemonic in ("movk", "bfi", "bfxil", "bfm", "bfc")
    need = {r for r in general[0 if compares or keeps else 1:] if r is not None}
    have = reads | (writes if kind == 5 else 0)
    if sum(1 << r for r in need) & ~have:
        problems.append("reads %x" % sum(1 << r for r in need))
    return problems


def main():
    seen, differ = 0, {}
    for line in sys.stdin:
        fields = line.rstrip("\n").split("\t")
        numbers = [int(f, 16) if i in (8, 9, 13) else int(f) for i, f in enumerate(fields[2:16])]
        seen += 1
        problems = check(fields[0], fields[1], numbers)
        if problems:
            differ.setdefault((fields[0], tuple(p.split()[0] for p in problems)), (line.strip(), problems, [0]))[2][0] += 1
    for line, problems, count in differ.values():
        print(count[0], problems, line)
    print("%d instructions, %d differ" % (seen, sum(d[2][0] for d in differ.values())))
    return bool(differ) or not seen


sys.exit(main())
