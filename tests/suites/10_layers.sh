# The include order of src/.
if tests/layers.sh; then echo "ok layers"; else echo "FAIL layers"; fi
