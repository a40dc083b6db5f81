module heddle/bench/porcupine

go 1.16

require github.com/anishathalye/porcupine v1.0.0
