// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Thrift's binary protocol as far as it takes to know where a message ends, what it is called, and
// where the answer of a conditional write is. Formats: Thrift specification "binary protocol", strict
// headers; a frame is a 4-byte big-endian length before the message.

const (
	maxMessage = 64 << 20
	maxNesting = 32
	version    = 0x80010000
	frameSize  = 4
)

const (
	typeStop   = 0
	typeBool   = 2
	typeByte   = 3
	typeDouble = 4
	typeI16    = 6
	typeI32    = 8
	typeI64    = 10
	typeString = 11
	typeStruct = 12
	typeMap    = 13
	typeSet    = 14
	typeList   = 15
)

var sizes = map[byte]int{
	typeBool: 1, typeByte: 1, typeDouble: 8, typeI16: 2, typeI32: 4, typeI64: 8,
}

// message is one request or reply, as it was sent.
type message struct {
	bytes  []byte // with the frame's length, if there is one
	header int    // how many of them come before the struct
	name   string
}

// reader takes messages out of a stream, and keeps the bytes of the one that it reads.
type reader struct {
	source io.Reader
	framed bool
	taken  bytes.Buffer
}

func (r *reader) read() (*message, error) {
	r.taken.Reset()
	if r.framed {
		return r.readFrame()
	}
	m, err := r.readHeader()
	if err == nil {
		err = r.skip(typeStruct, 0)
	}
	if err != nil {
		return nil, err
	}
	m.bytes = append([]byte(nil), r.taken.Bytes()...)
	return m, nil
}

func (r *reader) readFrame() (*message, error) {
	length, err := r.readSize()
	if err != nil {
		return nil, err
	}
	m, err := r.readHeader()
	if err != nil {
		return nil, err
	}
	if _, err := r.take(length + frameSize - r.taken.Len()); err != nil {
		return nil, err
	}
	m.bytes = append([]byte(nil), r.taken.Bytes()...)
	return m, nil
}

func (r *reader) readHeader() (*message, error) {
	first, err := r.take(4)
	if err != nil {
		return nil, err
	}
	if binary.BigEndian.Uint32(first)&0xffff0000 != version {
		return nil, fmt.Errorf("not a Thrift message in binary: % x", first)
	}
	length, err := r.readSize()
	if err != nil {
		return nil, err
	}
	name, err := r.take(length)
	if err != nil {
		return nil, err
	}
	m := &message{name: string(name)}
	_, err = r.take(4)
	m.header = r.taken.Len()
	return m, err
}

func (r *reader) take(n int) ([]byte, error) {
	if n < 0 || r.taken.Len()+n > maxMessage {
		return nil, errors.New("a message of impossible length")
	}
	before := r.taken.Len()
	if _, err := io.CopyN(&r.taken, r.source, int64(n)); err != nil {
		return nil, err
	}
	return r.taken.Bytes()[before:], nil
}

func (r *reader) readSize() (int, error) {
	size, err := r.take(4)
	if err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(size)
	if n > maxMessage {
		return 0, fmt.Errorf("a length of %d", n)
	}
	return int(n), nil
}

func (r *reader) skip(kind byte, depth int) error {
	if depth > maxNesting {
		return errors.New("nested too deeply")
	}
	switch kind {
	case typeString:
		n, err := r.readSize()
		if err == nil {
			_, err = r.take(n)
		}
		return err
	case typeStruct:
		return r.skipStruct(depth)
	case typeList, typeSet:
		return r.skipElements(1, depth)
	case typeMap:
		return r.skipElements(2, depth)
	}
	n, known := sizes[kind]
	if !known {
		return fmt.Errorf("type %d", kind)
	}
	_, err := r.take(n)
	return err
}

func (r *reader) skipStruct(depth int) error {
	for {
		kind, err := r.take(1)
		if err != nil || kind[0] == typeStop {
			return err
		}
		field := kind[0]
		if _, err := r.take(2); err != nil {
			return err
		}
		if err := r.skip(field, depth+1); err != nil {
			return err
		}
	}
}

func (r *reader) skipElements(perElement, depth int) error {
	taken, err := r.take(perElement)
	if err != nil {
		return err
	}
	kinds := append([]byte(nil), taken...)
	n, err := r.readSize()
	if err != nil {
		return err
	}
	for i := 0; i < n; i++ {
		for _, kind := range kinds {
			if err := r.skip(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// isConditional says whether the answer is "did it match".
func (m *message) isConditional() bool {
	return m.name == "checkAndMutate" || m.name == "checkAndPut" || m.name == "checkAndDelete"
}

// deny makes "it matched" say that it did not. It returns whether there was that to change.
func (m *message) deny() bool {
	// Field 0 of the result, a bool, and the end of the struct.
	answer := m.bytes[m.header:]
	if !m.isConditional() || !bytes.Equal(answer, []byte{typeBool, 0, 0, 1, typeStop}) {
		return false
	}
	answer[3] = 0
	return true
}
