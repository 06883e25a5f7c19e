// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"hash/maphash"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// input is what a call asks of one order. do: put, load, patch, delete, see, find, or list, which does
// not show patches.
type input struct {
	do        string
	condition string // any, absent, revision; of a load: any, or new
	expected  int64  // for condition revision
	content   string // of a patch: what it adds; of find: how the content is to end, without patches
}

// output is the answer that the caller got. Of an unknown put: the revision if some call has seen
// it, else 0.
type output struct {
	outcome  string // ok, not-found, conflict, unknown
	revision int64  // ok: what was stored or seen; conflict: what is there, 0: nothing
	content  string
}

// order is the state of one order: a register that may be empty, whose revisions only grow.
type order struct {
	live     bool
	content  string
	revision int64 // notKnown: of an unknown put that nobody has seen yet
	last     int64 // the greatest revision so far
	loaded   bool  // a load has put it, at a revision of loads
}

const notKnown = -1

// All others are larger than those of loads.
const firstOfPuts = 1 << 40

// observe is the state after an answer said that the order is there with this revision.
func (o order) observe(revision int64) (bool, order) {
	if !o.live || revision <= 0 {
		return false, o
	}
	if o.revision != notKnown {
		return o.revision == revision, o
	}
	if revision <= o.last {
		return false, o
	}
	o.revision, o.last = revision, revision
	return true, o
}

// allows: a caller that expects a revision has seen it before, so the revision is known.
func (o order) allows(in input) bool {
	switch in.condition {
	case "any":
		return true
	case "absent":
		return !o.live
	case "new":
		// Of two loads that put the same order, the later one wins.
		return !o.live || o.loaded
	case "revision":
		return o.live && o.revision == in.expected
	}
	return false
}

func (o order) stored(in input, revision int64) order {
	last := o.last
	if revision > last {
		last = revision
	}
	loaded := in.do == "load" && revision < firstOfPuts
	return order{live: true, content: in.content, revision: revision, last: last, loaded: loaded}
}

// A content is what a put has stored and, each after a +, what patches have added since.
const added = "+"

func patched(content, by string) string {
	parts := append(strings.Split(content, added), by)
	sort.Strings(parts[1:])
	return strings.Join(parts, added)
}

func withoutPatches(content string) string {
	before, _, _ := strings.Cut(content, added)
	return before
}

func (o order) step(in input, out output) (bool, order) {
	switch in.do {
	case "see":
		return o.see(o.content, out)
	case "list":
		return o.see(withoutPatches(o.content), out)
	case "find":
		if strings.HasSuffix(withoutPatches(o.content), in.content) {
			return o.see(o.content, out)
		}
		return out.outcome == "not-found", o
	case "patch":
		return o.patch(in, out)
	case "put", "load":
		return o.put(in, out)
	case "delete":
		return o.delete(in, out)
	}
	return false, o
}

func (o order) see(content string, out output) (bool, order) {
	if out.outcome == "not-found" {
		return !o.live, o
	}
	if content != out.content {
		return false, o
	}
	return o.observe(out.revision)
}

func (o order) put(in input, out output) (bool, order) {
	switch out.outcome {
	case "ok":
		return o.allows(in) && out.revision > o.last, o.stored(in, out.revision)
	case "conflict":
		return o.refuse(in, out)
	case "unknown":
		if out.revision > 0 {
			// Somebody has seen it, so it has taken effect.
			return o.allows(in) && out.revision > o.last, o.stored(in, out.revision)
		}
		if o.allows(in) {
			return true, o.stored(in, notKnown)
		}
		return true, o
	}
	return false, o
}

func (o order) patch(in input, out output) (bool, order) {
	can := o.live && o.allows(in)
	in.content = patched(o.content, in.content)
	switch out.outcome {
	case "ok":
		return can && out.revision > o.last, o.stored(in, out.revision)
	case "not-found":
		return !o.live, o
	case "conflict":
		return o.refuse(in, out)
	case "unknown":
		if can {
			return true, o.stored(in, notKnown)
		}
		return true, o
	}
	return false, o
}

// refuse: a conflict says which revision is there, and that is not the wanted one.
func (o order) refuse(in input, out output) (bool, order) {
	if in.condition == "any" || (in.condition == "revision" && in.expected == out.revision) {
		return false, o
	}
	if out.revision == 0 {
		return in.condition == "revision" && !o.live, o
	}
	return o.observe(out.revision)
}

func (o order) delete(in input, out output) (bool, order) {
	deleted := order{last: o.last}
	switch out.outcome {
	case "ok":
		return o.live && o.allows(in), deleted
	case "not-found":
		return !o.live, o
	case "conflict":
		return o.refuse(in, out)
	case "unknown":
		if o.live && o.allows(in) {
			return true, deleted
		}
		return true, o
	}
	return false, o
}

var hashSeed = maphash.MakeSeed()

// model is one order. An unknown write returns at the end of time: it takes effect at any moment
// after its call, or after everything else, which is never.
var model = porcupine.Model{
	Init: func() interface{} { return order{} },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		ok, next := state.(order).step(in.(input), out.(output))
		return ok, next
	},
	Hash: func(state interface{}) uint64 {
		o := state.(order)
		var hash maphash.Hash
		hash.SetSeed(hashSeed)
		hash.WriteString(o.content)
		if o.loaded {
			hash.WriteString(" loaded")
		}
		return hash.Sum64() ^ uint64(o.revision)
	},
	DescribeOperation: func(in, out interface{}) string { return describe(in.(input), out.(output)) },
	DescribeState: func(state interface{}) string {
		o := state.(order)
		if !o.live {
			return "absent"
		}
		return fmt.Sprintf("%s @%d", o.content, o.revision)
	},
}

func describe(in input, out output) string {
	text := in.do
	if in.content != "" {
		text += " " + in.content
	}
	switch in.condition {
	case "absent", "new":
		text += " if " + in.condition
	case "revision":
		text += fmt.Sprintf(" if @%d", in.expected)
	}
	text += " → " + out.outcome
	if out.content != "" {
		text += " " + out.content
	}
	if out.revision != 0 {
		text += fmt.Sprintf(" @%d", out.revision)
	}
	return text
}
