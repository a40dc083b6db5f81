# What the rooms of src/ include and link to; files that comments name.
if tests/layers.sh; then echo "ok layers"; else echo "FAIL layers"; fi
if tests/comments.sh; then echo "ok comments"; else echo "FAIL comments"; fi
if tests/assertions.sh >/dev/null; then echo "ok assertions"; else echo "FAIL assertions: $(tests/assertions.sh | grep wanted)"; fi
if tests/mutants.sh --lines; then echo "ok lines of the mutants"; else echo "FAIL lines of the mutants"; fi
# What depends on the memory model is a column of record/memory_model.h, not a comparison somewhere.
if compared=$(grep -rnE '[!=]= MODEL_[A-Z0-9]+\b|\bcase MODEL_[A-Z0-9]+:' src --include='*.[ch]' | grep -vE 'MODEL_##|MODEL_COUNT'); then
    echo "FAIL models are compared: $compared"
else
    echo "ok models"
fi
# Hooks for tests are keys of HEDDLE_DEBUG (record/hooks.h), and CONTRIBUTING.md explains each of them. HEDDLE_BUILDS is
# where files lie, as HEDDLE_RUNTIME is, and holds for commands of a suite that set HEDDLE_DEBUG themselves.
if read=$(grep -rnE 'getenv\("HEDDLE_' src --include='*.[ch]' | grep -vE 'getenv\("HEDDLE_(LOG|RUNTIME|LIBCLANG|RANKS|CC|BUILDS)"\)'); then
    echo "FAIL hooks: $read"
elif missing=$(sed -nE 's/^    (FLAG|NUMBER|TEXT)\([a-z_]+, "([a-z-]+)".*/\2/p' src/record/hooks.h |
    while read -r key; do grep -qE "\`$key[\`=]" CONTRIBUTING.md || echo "$key"; done | grep .); then
    echo "FAIL hooks: CONTRIBUTING.md has no" $missing
else
    echo "ok hooks"
fi
# What the runtime writes lies in sections of its own names: image_restore would put back anything else.
if other=$(readelf -SW build/lib/heddle_rt.o | sed -nE 's/^ *\[ *[0-9]+\] ([^ ]+) .* WAT? .*/\1/p' | grep -vE '^(heddle_data|heddle_bss|\.init_array.*|\.fini_array.*|\.data\.rel\.ro.*|\.data\.rel\.local\.DW\.ref\..*)$'); then
    echo "FAIL sections of the runtime: $other would be restored with the program's data"
else
    echo "ok sections of the runtime"
fi
