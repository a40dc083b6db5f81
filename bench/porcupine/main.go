// Measures Porcupine (https://github.com/anishathalye/porcupine) on logs of etcd, of key-value
// stores and of banks: `porcupine etcd|parts|whole|bank SECONDS FILE...` prints for each file its name, the answer and
// the processor time of the check alone, the best of several, in milliseconds.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/anishathalye/porcupine"
)

const nothing = -1 << 30 // what a register holds before the first write

type registerInput struct {
	kind     string
	argument [2]int
}
type registerOutput struct {
	ok, unknown bool
	value       int
}

var registerModel = porcupine.Model{
	Init: func() interface{} { return nothing },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		now, in, out := state.(int), input.(registerInput), output.(registerOutput)
		switch in.kind {
		case "read":
			return out.unknown || out.value == now, now
		case "write":
			return true, in.argument[0]
		default: // cas
			fits := in.argument[0] == now
			if fits {
				return out.ok || out.unknown, in.argument[1]
			}
			return !out.ok || out.unknown, now
		}
	},
}

type kvInput struct{ kind, key, value string }

func kvStep(now string, in kvInput, out string) (bool, string) {
	switch in.kind {
	case "get":
		return out == now, now
	case "put":
		return true, in.value
	default: // append
		return true, now + in.value
	}
}

var kvModel = porcupine.Model{
	PartitionEvent: func(history []porcupine.Event) [][]porcupine.Event {
		number := make(map[string]int)
		part := make(map[int]int)
		var parts [][]porcupine.Event
		for _, event := range history {
			if event.Kind == porcupine.CallEvent {
				key := event.Value.(kvInput).key
				if _, known := number[key]; !known {
					number[key] = len(parts)
					parts = append(parts, nil)
				}
				part[event.Id] = number[key]
			}
			parts[part[event.Id]] = append(parts[part[event.Id]], event)
		}
		return parts
	},
	Init: func() interface{} { return "" },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		ok, next := kvStep(state.(string), input.(kvInput), output.(string))
		return ok, next
	},
}

var kvWholeModel = porcupine.Model{
	Init: func() interface{} { return map[string]string{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		in, cells := input.(kvInput), state.(map[string]string)
		ok, value := kvStep(cells[in.key], in, output.(string))
		if in.kind == "get" || !ok {
			return ok, state
		}
		next := make(map[string]string, len(cells)+1)
		for key, other := range cells {
			next[key] = other
		}
		next[in.key] = value
		return true, next
	},
	Equal: func(a, b interface{}) bool {
		x, y := a.(map[string]string), b.(map[string]string)
		if len(x) != len(y) {
			return false
		}
		for key, value := range x {
			if other, found := y[key]; !found || other != value {
				return false
			}
		}
		return true
	},
}

var etcdLine = regexp.MustCompile(`(\d+)\s+:(invoke|ok|fail|info)\s+:(\w+)\s+(.*)$`)
var kvLine = regexp.MustCompile(`:process (\d+), :type :(\w+), :f :(\w+), :key "(.*?)", :value (?:"(.*)"|nil)\}`)
var number = regexp.MustCompile(`-?\d+`)

func lines(path string, take func(text string)) {
	file, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		take(scanner.Text())
	}
}

func integers(text string) (values [2]int) {
	values[0] = nothing
	for i, word := range number.FindAllString(text, 2) {
		values[i], _ = strconv.Atoi(word)
	}
	return
}

// An operation that failed did not happen, except for cas, which found another value; one whose
// outcome is unknown returns after everything else.
func readEtcd(path string) []porcupine.Event {
	var events []porcupine.Event
	open := make(map[int]int) // by process: the index of its call
	id := 0
	lines(path, func(text string) {
		field := etcdLine.FindStringSubmatch(text)
		if field == nil {
			return
		}
		process, _ := strconv.Atoi(field[1])
		output := registerOutput{ok: field[2] == "ok"}
		switch {
		case field[2] == "invoke":
			open[process] = len(events)
			input := registerInput{field[3], integers(field[4])}
			events = append(events, porcupine.Event{ClientId: process, Kind: porcupine.CallEvent, Value: input, Id: id})
			id++
			return
		case field[2] == "info":
			return
		case field[2] == "fail" && field[3] != "cas":
			output.unknown = true // a read that failed tells nothing
		}
		output.value = integers(field[4])[0]
		events = append(events, porcupine.Event{ClientId: process, Kind: porcupine.ReturnEvent, Value: output, Id: events[open[process]].Id})
	})
	return finish(events, registerOutput{unknown: true})
}

func readKv(path string) []porcupine.Event {
	var events []porcupine.Event
	open := make(map[int]int)
	id := 0
	lines(path, func(text string) {
		field := kvLine.FindStringSubmatch(text)
		if field == nil {
			return
		}
		process, _ := strconv.Atoi(field[1])
		if field[2] == "invoke" {
			open[process] = id
			events = append(events, porcupine.Event{ClientId: process, Kind: porcupine.CallEvent, Value: kvInput{field[3], field[4], field[5]}, Id: id})
			id++
			return
		}
		events = append(events, porcupine.Event{ClientId: process, Kind: porcupine.ReturnEvent, Value: field[5], Id: open[process]})
	})
	return finish(events, "")
}

// Operations without a return get one at the end.
func finish(events []porcupine.Event, output interface{}) []porcupine.Event {
	returned := make(map[int]bool)
	for _, event := range events {
		if event.Kind == porcupine.ReturnEvent {
			returned[event.Id] = true
		}
	}
	for _, event := range events {
		if event.Kind == porcupine.CallEvent && !returned[event.Id] {
			events = append(events, porcupine.Event{ClientId: event.ClientId, Kind: porcupine.ReturnEvent, Value: output, Id: event.Id})
		}
	}
	return events
}

func cpu() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Sec+usage.Stime.Sec)*1e3 + float64(usage.Utime.Usec+usage.Stime.Usec)/1e3
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: porcupine etcd|parts|whole|bank SECONDS FILE...")
		os.Exit(2)
	}
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	for _, path := range os.Args[3:] {
		model, read := registerModel, readEtcd
		if os.Args[1] == "bank" {
			model, read = bankModel, readBank
		} else if os.Args[1] != "etcd" {
			read = readKv
			model = kvModel
			if os.Args[1] == "whole" {
				model = kvWholeModel
			}
		}
		events := read(path)
		best, result := 0.0, porcupine.Unknown
		start := time.Now()
		for i := 0; i < 20 && (i == 0 || time.Since(start) < time.Second); i++ {
			repeat := 1
			before := cpu()
			for n := 1; ; n *= 4 { // long enough for the clock
				for ; repeat <= n; repeat++ {
					result = porcupine.CheckEventsTimeout(model, events, time.Duration(seconds*1e9))
				}
				if cpu()-before > 5 {
					break
				}
			}
			if took := (cpu() - before) / float64(repeat-1); i == 0 || took < best {
				best = took
			}
		}
		answer := map[porcupine.CheckResult]string{porcupine.Ok: "holds", porcupine.Illegal: "violated", porcupine.Unknown: "inconclusive"}[result]
		fmt.Printf("%s %s %.4f\n", filepath.Base(path), answer, best)
	}
}
