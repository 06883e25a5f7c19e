// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func makeMessage(name string, body []byte, framed bool) []byte {
	var m bytes.Buffer
	binary.Write(&m, binary.BigEndian, uint32(version|2))
	binary.Write(&m, binary.BigEndian, uint32(len(name)))
	m.WriteString(name)
	binary.Write(&m, binary.BigEndian, uint32(77))
	m.Write(body)
	if !framed {
		return m.Bytes()
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(m.Len())), m.Bytes()...)
}

var nested = []byte{
	typeString, 0, 1, 0, 0, 0, 2, 'h', 'i',
	typeList, 0, 2, typeStruct, 0, 0, 0, 2, typeI64, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, typeStop, typeStop,
	typeMap, 0, 3, typeString, typeI16, 0, 0, 0, 1, 0, 0, 0, 1, 'k', 0, 9,
	typeStruct, 0, 4, typeBool, 0, 1, 1, typeStop, typeStop,
}

func TestMessagesEndWhereTheyEnd(t *testing.T) {
	for _, framed := range []bool{false, true} {
		first := makeMessage("get", nested, framed)
		second := makeMessage("put", []byte{typeStop}, framed)
		r := reader{source: bytes.NewReader(append(append([]byte{}, first...), second...)),
			framed: framed}
		for _, wanted := range []struct {
			name  string
			bytes []byte
		}{{"get", first}, {"put", second}} {
			m, err := r.read()
			if err != nil {
				t.Fatalf("framed %v: %s: %v", framed, wanted.name, err)
			}
			if m.name != wanted.name || !bytes.Equal(m.bytes, wanted.bytes) {
				t.Errorf("framed %v: %s with %d bytes, not %s with %d", framed, m.name, len(m.bytes),
					wanted.name, len(wanted.bytes))
			}
		}
		if _, err := r.read(); err == nil {
			t.Error("a message out of nothing")
		}
	}
}

func TestWhatIsNoMessage(t *testing.T) {
	deep := bytes.Repeat([]byte{typeStruct, 0, 1}, 1000)
	for _, wrong := range [][]byte{
		[]byte("GET / HTTP/1.1\r\n\r\n"),
		makeMessage("get", deep, false),
		makeMessage("get", []byte{99, 0, 1}, false),
		makeMessage("get", []byte{typeString, 0, 1, 0xff, 0xff, 0xff, 0xff}, false),
	} {
		r := reader{source: bytes.NewReader(wrong)}
		if _, err := r.read(); err == nil {
			t.Errorf("%q is taken for a message", wrong[:8])
		}
	}
}

func TestDenying(t *testing.T) {
	yes := []byte{typeBool, 0, 0, 1, typeStop}
	no := []byte{typeBool, 0, 0, 0, typeStop}
	for _, framed := range []bool{false, true} {
		for _, c := range []struct {
			name          string
			before, after []byte
			changes       bool
		}{
			{"checkAndMutate", yes, no, true}, {"checkAndPut", yes, no, true},
			{"checkAndMutate", no, no, false}, {"exists", yes, yes, false},
		} {
			r := reader{source: bytes.NewReader(makeMessage(c.name, c.before, framed)), framed: framed}
			m, err := r.read()
			if err != nil {
				t.Fatal(err)
			}
			if m.deny() != c.changes || !bytes.Equal(m.bytes, makeMessage(c.name, c.after, framed)) {
				t.Errorf("framed %v: %s % x became % x", framed, c.name, c.before, m.bytes)
			}
		}
	}
}

func TestProbabilities(t *testing.T) {
	s := newSwitches(1)
	for _, wrong := range []string{"delay", "delay=x", "delay=2", "delay=-1", "thunder=0.5"} {
		if s.set([]string{wrong}) == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
	if err := s.set([]string{"lost=1", "false=1"}); err != nil {
		t.Fatal(err)
	}
	if fault := s.choose(&message{name: "get"}); fault != faultLost {
		t.Errorf("a certain fault is %q", fault)
	}
	s.clear()
	if fault := s.choose(&message{name: "checkAndPut"}); fault != "" {
		t.Errorf("%q although there are no faults", fault)
	}
}
