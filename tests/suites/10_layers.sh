# What the rooms of src/ include and link to; files that comments name.
if tests/layers.sh; then echo "ok layers"; else echo "FAIL layers"; fi
if tests/comments.sh; then echo "ok comments"; else echo "FAIL comments"; fi
