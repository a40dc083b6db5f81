# What tools say of our own sources: see tests/lint.sh.
exec tests/lint.sh
