// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// line is one line of a history, as the workload writes it: a call that begins, or one that has
// returned.
type line struct {
	Call   *int   `json:"call"`
	Return *int   `json:"return"`
	Proc   string `json:"process"`
	Thread int    `json:"thread"`
	At     int64  `json:"at"` // nanoseconds

	Do       string          `json:"do"`
	Customer string          `json:"customer"`
	Order    int             `json:"order"`
	Orders   json.RawMessage `json:"orders"` // of a listing: how many; of an answer: seen orders
	If       string          `json:"if"`
	Revision int64           `json:"revision"`
	Content  string          `json:"content"`
	Outcome  string          `json:"outcome"`
	Error    string          `json:"error"`
}

// seen is what an answer says of one of its orders.
type seen struct {
	Order    int    `json:"order"`
	Outcome  string `json:"outcome"`
	Revision int64  `json:"revision"`
	Content  string `json:"content"`
	Error    string `json:"error"`
}

type key struct {
	customer string
	order    int
}

func (k key) String() string { return fmt.Sprintf("%s/%d", k.customer, k.order) }

// call is one call with its answer; without one the process was killed meanwhile.
type call struct {
	begin line
	end   *line
}

// history is what all processes have recorded, taken apart by order.
type history struct {
	operations map[key][]porcupine.Operation
	puts       map[string]put   // and patches, by content
	revisions  map[string]int64 // of a content, as some answer said
	wrong      []string         // what needs no model to be wrong
	calls      int
	counts     map[string]int // by "do outcome"; "load plain": without any condition
	longest    longest
	clients    map[string]int
}

// put is what was to be stored, and the answer that its caller got.
type put struct {
	key     key
	outcome string
}

type longest struct {
	Seconds float64 `json:"seconds"`
	Call    string  `json:"call"`
}

func readHistory(paths []string) (*history, error) {
	h := &history{
		operations: map[key][]porcupine.Operation{},
		puts:       map[string]put{},
		revisions:  map[string]int64{},
		counts:     map[string]int{},
		clients:    map[string]int{},
	}
	var calls []*call
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		found, err := readCalls(file)
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		calls = append(calls, found...)
	}
	for _, c := range calls {
		if err := h.learn(c); err != nil {
			return nil, err
		}
	}
	for _, c := range calls {
		h.add(c)
	}
	return h, nil
}

// readCalls matches answers to calls. A last line may have been cut off by the process's death.
func readCalls(reader io.Reader) ([]*call, error) {
	scanner := bufio.NewScanner(reader)
	scanner.Buffer(make([]byte, 1<<20), 1<<26)
	open := map[string]*call{}
	var calls []*call
	var broken error
	for number := 1; scanner.Scan(); number++ {
		if broken != nil {
			return nil, broken
		}
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			broken = fmt.Errorf("line %d: %w", number, err)
			continue
		}
		switch {
		case l.Call != nil:
			c := &call{begin: l}
			open[fmt.Sprintf("%s %d", l.Proc, *l.Call)] = c
			calls = append(calls, c)
		case l.Return != nil:
			name := fmt.Sprintf("%s %d", l.Proc, *l.Return)
			c := open[name]
			if c == nil {
				return nil, fmt.Errorf("line %d: an answer to no call", number)
			}
			delete(open, name)
			answer := l
			c.end = &answer
		default:
			return nil, fmt.Errorf("line %d: neither a call nor an answer", number)
		}
	}
	return calls, scanner.Err()
}

func (c *call) key() key { return key{c.begin.Customer, c.begin.Order} }

func (c *call) outcome() string {
	if c.end == nil {
		return "killed"
	}
	return judge(c.end.Outcome, c.end.Error)
}

// garbled says that the test spoils answers of gateways. A caller that meets several in a row gets
// an internal error, which is then as good as "not done". Any other internal error is a defect.
var garbled bool

var garbledErrors = []string{"malformed message", "larger than"}

func judge(outcome, text string) string {
	if outcome != "internal" {
		return outcome
	}
	for _, part := range garbledErrors {
		if garbled && strings.Contains(text, part) {
			return "undone"
		}
	}
	return "wrong"
}

func (c *call) String() string {
	return fmt.Sprintf("%s %s of process %s thread %d: %s", c.begin.Do, c.key(), c.begin.Proc,
		c.begin.Thread, c.outcome())
}

// saw are the single orders of an answer; nil if there was none.
func (c *call) saw() []seen {
	if c.end == nil || c.end.Outcome != "ok" {
		return nil
	}
	var all []seen
	if json.Unmarshal(c.end.Orders, &all) != nil {
		return nil
	}
	return all
}

// learn notes what was put, and which revision each content was said to have.
func (h *history) learn(c *call) error {
	h.calls++
	h.counts[c.begin.Do+" "+c.outcome()]++
	if c.begin.Do == "load" && c.outcome() == "ok" && c.end.Revision < firstOfPuts {
		h.counts["load plain"]++
	}
	if c.end != nil {
		if seconds := float64(c.end.At-c.begin.At) / 1e9; seconds > h.longest.Seconds {
			h.longest = longest{seconds, c.String()}
		}
	}
	switch c.begin.Do {
	case "put", "load", "patch":
		if _, twice := h.puts[c.begin.Content]; twice {
			return fmt.Errorf("content %s is put twice: that is no history", c.begin.Content)
		}
		h.puts[c.begin.Content] = put{c.key(), c.outcome()}
		if c.outcome() == "ok" && c.begin.Do != "patch" {
			h.tell(c, c.begin.Content, c.end.Revision)
		}
	case "get":
		if c.outcome() == "ok" {
			h.tell(c, c.end.Content, c.end.Revision)
		}
	case "get-many", "find":
		for _, s := range c.saw() {
			if s.Outcome == "ok" {
				h.tell(c, s.Content, s.Revision)
			}
		}
	case "delete", "list":
	default:
		return fmt.Errorf("“%s” is nothing that can be done", c.begin.Do)
	}
	return nil
}

func (h *history) tell(c *call, content string, revision int64) {
	before, known := h.revisions[content]
	if known && before != revision {
		h.fault("%s: content %s has revision %d, and had %d: it was stored twice", c, content,
			revision, before)
	}
	h.revisions[content] = revision
}

func (h *history) fault(format string, args ...interface{}) {
	h.wrong = append(h.wrong, fmt.Sprintf(format, args...))
}

// add appends the call to the histories of the orders that it is about.
func (h *history) add(c *call) {
	if c.outcome() == "wrong" {
		h.fault("%s: %s", c, c.end.Error)
		return
	}
	switch c.begin.Do {
	case "put", "load", "patch", "delete":
		h.addWrite(c)
	case "get":
		h.addSeen(c, input{do: "see"}, c.key(), seen{
			Outcome: c.outcome(), Revision: endOf(c).Revision, Content: endOf(c).Content,
			Error: endOf(c).Error,
		})
	case "get-many":
		for _, s := range c.saw() {
			h.addSeen(c, input{do: "see"}, key{c.begin.Customer, s.Order}, s)
		}
	case "list":
		h.addPages(c, input{do: "list"})
	case "find":
		h.addPages(c, input{do: "find", content: c.begin.Content})
	}
}

func endOf(c *call) line {
	if c.end == nil {
		return line{}
	}
	return *c.end
}

func (h *history) addWrite(c *call) {
	in := input{do: c.begin.Do, condition: c.begin.If, expected: c.begin.Revision,
		content: c.begin.Content}
	out := output{outcome: c.outcome()}
	last := int64(math.MaxInt64)
	switch out.outcome {
	case "undone":
		// Nothing has happened, and nothing ever will: whoever sees it has no place in the order.
		return
	case "unknown", "killed":
		out.outcome = "unknown"
		out.revision = h.revisions[in.content]
	default:
		out.revision = c.end.Revision
		last = c.end.At
	}
	h.append(c, c.key(), in, out, last)
}

// addSeen takes what a call says of one order.
func (h *history) addSeen(c *call, in input, k key, s seen) {
	switch judge(s.Outcome, s.Error) {
	case "ok":
		for _, part := range strings.Split(s.Content, added) {
			origin, known := h.puts[part]
			if !known || origin.key != k {
				h.fault("%s: order %s has content %q, which nobody has put there", c, k, part)
			}
			if origin.outcome == "undone" || origin.outcome == "conflict" || origin.outcome == "not-found" {
				h.fault("%s: order %s has content %s, whose writer was told “%s”", c, k, part,
					origin.outcome)
			}
		}
		h.append(c, k, in, output{"ok", s.Revision, s.Content}, c.end.At)
	case "not-found":
		h.append(c, k, in, output{outcome: "not-found"}, c.end.At)
	case "wrong":
		h.fault("%s: order %s: %s", c, k, s.Error)
	}
}

// addPages takes a listing or a search for a look at each order of the customer. One that is not among
// them was not there at some moment meanwhile, or was not what is looked for; its date never changes here.
// If one could not be read, nobody knows which.
func (h *history) addPages(c *call, in input) {
	if c.outcome() != "ok" {
		return
	}
	var n int
	if json.Unmarshal(c.begin.Orders, &n) != nil {
		h.fault("%s: does not say of how many orders", c)
		return
	}
	listed := map[int]seen{}
	for _, s := range c.saw() {
		if s.Outcome != "ok" {
			h.addSeen(c, in, c.key(), s)
			return
		}
		if _, twice := listed[s.Order]; twice {
			h.fault("%s: order %d comes twice", c, s.Order)
		}
		listed[s.Order] = s
	}
	for i := 0; i < n; i++ {
		s, there := listed[i]
		if !there {
			s = seen{Order: i, Outcome: "not-found"}
		}
		h.addSeen(c, in, key{c.begin.Customer, i}, s)
	}
}

func (h *history) append(c *call, k key, in input, out output, last int64) {
	name := fmt.Sprintf("%s %d", c.begin.Proc, c.begin.Thread)
	client, known := h.clients[name]
	if !known {
		client = len(h.clients)
		h.clients[name] = client
	}
	h.operations[k] = append(h.operations[k], porcupine.Operation{
		ClientId: client, Input: in, Output: out, Call: c.begin.At, Return: last, Metadata: name,
	})
}

// keys are the orders, in the order in which they first appear.
func (h *history) keys() []key {
	keys := make([]key, 0, len(h.operations))
	for k, operations := range h.operations {
		sort.SliceStable(operations, func(i, j int) bool {
			return operations[i].Call < operations[j].Call
		})
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		return h.operations[keys[i]][0].Call < h.operations[keys[j]][0].Call
	})
	return keys
}
