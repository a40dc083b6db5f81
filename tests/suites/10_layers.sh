# The include order of src/, and shell scripts that shellcheck accepts.
if tests/layers.sh; then echo "ok layers"; else echo "FAIL layers"; fi
if shellcheck -S warning dev .ci/run tests/*.sh; then echo "ok shellcheck"; else echo "FAIL shellcheck"; fi
