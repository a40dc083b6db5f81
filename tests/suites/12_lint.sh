# What tools say of our own sources: see tests/lint.sh. By day without cppcheck (./dev lint has it).
[ -n "${HEDDLE_NIGHTLY:-}" ] || export HEDDLE_LINT=short
exec tests/lint.sh
