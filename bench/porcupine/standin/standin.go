// Package porcupine stands in for Porcupine where its sources are not at hand: the part of its interface
// that bench/porcupine uses, and the same search (Wing and Gong, with Lowe's memory of configurations),
// with the same data structures, so that it does the same work: a doubly linked list of calls and
// returns from which linearized operations are taken out, a set of operations as words, which is copied
// for each step that the model allows, and a hash table from the hash of such a set to the
// configurations with it; before that two copies of the events, one with numbers, one with times; a goroutine for each part of the history. Figures measured with it are
// labelled so.
package porcupine

import (
	"sync/atomic"
	"time"
)

type EventKind bool

const (
	CallEvent   EventKind = false
	ReturnEvent EventKind = true
)

type Event struct {
	ClientId int
	Kind     EventKind
	Value    interface{}
	Id       int
}

type Model struct {
	PartitionEvent func(history []Event) [][]Event
	Init           func() interface{}
	Step           func(state, input, output interface{}) (bool, interface{})
	Equal          func(a, b interface{}) bool
}

type CheckResult string

const (
	Unknown CheckResult = "Unknown"
	Ok      CheckResult = "Ok"
	Illegal CheckResult = "Illegal"
)

// set is a set of operations, by number.
type set []uint64

func (s set) with(number int) set {
	larger := make(set, len(s))
	copy(larger, s)
	larger[number/64] |= 1 << (number % 64)
	return larger
}

func (s set) hash() (sum uint64) {
	for _, word := range s {
		sum = (sum ^ word) * 0xff51afd7ed558ccd
	}
	return
}

func (s set) same(other set) bool {
	for i, word := range s {
		if other[i] != word {
			return false
		}
	}
	return true
}

// entry is an event of a part with its number and its place in time.
type entry struct {
	kind     EventKind
	value    interface{}
	number   int
	time     int64
	client   int
	metadata interface{}
}

// numbered gives the operations of a part numbers from 0, in the order of their calls.
func numbered(part []Event) (events []Event) {
	numbers := make(map[int]int)
	for _, e := range part {
		number, known := numbers[e.Id]
		if !known {
			number = len(numbers)
			numbers[e.Id] = number
		}
		e.Id = number
		events = append(events, e)
	}
	return
}

func entries(part []Event) (all []entry) {
	for i, e := range numbered(part) {
		all = append(all, entry{e.Kind, e.Value, e.Id, int64(i), e.ClientId, nil})
	}
	return
}

// event is a call (with its end) or a return in the list.
type event struct {
	value          interface{}
	end            *event
	number         int
	before, behind *event
}

// list makes the linked list of a part behind a head, from its end.
func list(part []entry) (head *event, count int) {
	ends := make(map[int]*event)
	var first *event
	for i := len(part) - 1; i >= 0; i-- {
		added := &event{value: part[i].value, number: part[i].number, behind: first}
		if part[i].kind == ReturnEvent {
			ends[added.number] = added
		} else {
			added.end = ends[added.number]
		}
		if first != nil {
			first.before = added
		}
		first = added
	}
	head = &event{number: -1, behind: first}
	if first != nil {
		first.before = head
	}
	return head, len(part) / 2
}

func (e *event) unlink() {
	e.before.behind = e.behind
	if e.behind != nil {
		e.behind.before = e.before
	}
}

func (e *event) relink() {
	e.before.behind = e
	if e.behind != nil {
		e.behind.before = e
	}
}

type configuration struct {
	done  set
	state interface{}
}

type choice struct {
	call  *event
	state interface{} // before it
}

func seen(model Model, known []configuration, c configuration) bool {
	for _, other := range known {
		if c.done.same(other.done) && model.Equal(c.state, other.state) {
			return true
		}
	}
	return false
}

// search returns whether the part is linearizable, and for each operation the order that it was found in.
func search(model Model, part []entry, stop *int32) (bool, []*[]int) {
	head, count := list(part)
	orders := make([]*[]int, count)
	done := make(set, (count+63)/64)
	memory := make(map[uint64][]configuration)
	var choices []choice
	state := model.Init()
	at := head.behind
	for head.behind != nil {
		if atomic.LoadInt32(stop) != 0 {
			return false, orders
		}
		if at.end == nil { // this return comes before every call that is left: another choice
			if len(choices) == 0 {
				return false, orders
			}
			last := choices[len(choices)-1]
			choices = choices[:len(choices)-1]
			state = last.state
			done[last.call.number/64] &^= 1 << (last.call.number % 64)
			last.call.end.relink()
			last.call.relink()
			at = last.call.behind
			continue
		}
		if ok, next := model.Step(state, at.value, at.end.value); ok {
			c := configuration{done.with(at.number), next}
			if !seen(model, memory[c.done.hash()], c) {
				hash := c.done.hash()
				memory[hash] = append(memory[hash], c)
				choices = append(choices, choice{at, state})
				state = next
				done[at.number/64] |= 1 << (at.number % 64)
				at.unlink()
				at.end.unlink()
				at = head.behind
				continue
			}
		}
		at = at.behind
	}
	order := make([]int, len(choices))
	for i, c := range choices {
		order[i] = c.call.number
	}
	for i := range orders {
		orders[i] = &order
	}
	return true, orders
}

// CheckEventsTimeout judges the parts of the history side by side, until one is not linearizable.
func CheckEventsTimeout(model Model, history []Event, timeout time.Duration) CheckResult {
	parts := [][]Event{history}
	if model.PartitionEvent != nil {
		parts = model.PartitionEvent(history)
	}
	if model.Equal == nil {
		model.Equal = func(a, b interface{}) bool { return a == b }
	}
	var stop int32
	answers := make(chan bool, len(parts))
	orders := make([][]*[]int, len(parts))
	for i, part := range parts {
		go func(i int, part []entry) {
			ok, found := search(model, part, &stop)
			orders[i] = found
			answers <- ok
		}(i, entries(part))
	}
	var late <-chan time.Time
	if timeout > 0 {
		late = time.After(timeout)
	}
	for range parts {
		select {
		case ok := <-answers:
			if !ok {
				atomic.StoreInt32(&stop, 1)
				return Illegal
			}
		case <-late:
			atomic.StoreInt32(&stop, 1)
			return Unknown
		}
	}
	return Ok
}
