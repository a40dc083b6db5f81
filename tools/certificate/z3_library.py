#!/usr/bin/env python3
"""Answers SMT-LIB commands from standard input with the installed libz3, where there is no program `z3'.

  z3_library.py [-t:MILLISECONDS]     the time for each question"""
import ctypes, ctypes.util, re, sys


def library():
    """Its file; None if it is not installed."""
    return ctypes.util.find_library("z3")


def commands(text):
    """The commands of a script, one by one."""
    depth = start = 0
    for m in re.finditer(r'"[^"]*"|\|[^|]*\||;[^\n]*|[()]', text):
        if m.group() == "(":
            start = m.start() if depth == 0 else start
            depth += 1
        elif m.group() == ")":
            depth -= 1
            if depth == 0:
                yield text[start:m.end()]


def main():
    z3 = ctypes.CDLL(library())
    on_error = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)(lambda context, code: None)  # it is printed, too
    z3.Z3_mk_config.restype = z3.Z3_mk_context.restype = ctypes.c_void_p
    z3.Z3_eval_smtlib2_string.restype = ctypes.c_char_p
    config = ctypes.c_void_p(z3.Z3_mk_config())
    for word in sys.argv[1:]:
        z3.Z3_set_param_value(config, b"timeout", word.removeprefix("-t:").encode())
    context = ctypes.c_void_p(z3.Z3_mk_context(config))
    z3.Z3_set_error_handler(context, on_error)
    for command in commands(sys.stdin.read()):
        sys.stdout.write(z3.Z3_eval_smtlib2_string(context, command.encode()).decode())
        sys.stdout.flush()


if __name__ == "__main__":
    main()
