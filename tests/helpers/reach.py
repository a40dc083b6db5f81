"""States that steps lead to, one after the other: what twins decide small programs by."""


def reach(first, steps, is_over):
    """(stuck, final): is there a state that no end can be reached from? And all states that are ends."""
    seen, todo, before, final = {first}, [first], {}, []
    while todo:
        state = todo.pop()
        if is_over(state):
            final.append(state)
        for after in steps(state):
            before.setdefault(after, []).append(state)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    ends, todo = set(final), list(final)
    while todo:
        for state in before.get(todo.pop(), []):
            if state not in ends:
                ends.add(state)
                todo.append(state)
    return ends != seen, final
