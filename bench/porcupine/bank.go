package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/anishathalye/porcupine"
)

// Eight accounts of 100 each, as bench/porcupine/bank.py and the model bank:8x100 of Heddle have them.
type bankState [8]int
type bankInput struct {
	name      string
	arguments []int
}
type bankOutput struct {
	done     bool // of a transfer
	balance  int
	balances bankState
}

var bankModel = porcupine.Model{
	Init: func() interface{} {
		var state bankState
		for i := range state {
			state[i] = 100
		}
		return state
	},
	Step: func(before, input, output interface{}) (bool, interface{}) {
		state, in, out := before.(bankState), input.(bankInput), output.(bankOutput)
		switch in.name {
		case "read":
			return state == out.balances, before
		case "balance":
			return state[in.arguments[0]] == out.balance, before
		}
		if state[in.arguments[0]] < in.arguments[2] || !out.done {
			return state[in.arguments[0]] < in.arguments[2] && !out.done, before
		}
		state[in.arguments[0]] -= in.arguments[2]
		state[in.arguments[1]] += in.arguments[2]
		return true, state
	},
}

func readBank(path string) []porcupine.Event {
	var events []porcupine.Event
	open := make(map[int]int)
	id := 0
	lines(path, func(text string) {
		var event struct {
			Process  int
			Type, Op string
			Args     []int
			Result   json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &event); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		if event.Type == "call" {
			open[event.Process] = id
			events = append(events, porcupine.Event{ClientId: event.Process, Kind: porcupine.CallEvent, Value: bankInput{event.Op, event.Args}, Id: id})
			id++
			return
		}
		var output bankOutput // of the three forms, the two that do not fit are left alone
		json.Unmarshal(event.Result, &output.done)
		json.Unmarshal(event.Result, &output.balance)
		json.Unmarshal(event.Result, &output.balances)
		events = append(events, porcupine.Event{ClientId: event.Process, Kind: porcupine.ReturnEvent, Value: output, Id: open[event.Process]})
	})
	return events
}
