// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"io"
	"net"
	"time"
)

// connection is one connection of a client, and ours to the gateway for it. Calls follow one after
// the other, as nobody sends the next one on a connection before the answer is there.
type connection struct {
	proxy   *proxy
	client  net.Conn
	gateway net.Conn
	asked   reader
	told    reader
	last    *message // the reply before
}

func (c *connection) run() {
	defer c.client.Close()
	defer c.gateway.Close()
	c.asked = reader{source: bufio.NewReader(c.client), framed: c.proxy.framed}
	c.told = reader{source: bufio.NewReader(c.gateway), framed: c.proxy.framed}
	for {
		request, err := c.asked.read()
		if err != nil || !c.pass(request) {
			return
		}
	}
}

// pass carries one call. It returns whether the connection lives on.
func (c *connection) pass(request *message) bool {
	switches := c.proxy.switches
	fault := switches.choose(request)
	if switches.isSilent() {
		return c.stall()
	}
	switch fault {
	case faultDelay:
		time.Sleep(switches.upTo(longestDelay))
	case faultDrop:
		switches.count(fault)
		return false
	case faultCutCall:
		switches.count(fault)
		c.gateway.Write(request.bytes[:switches.below(len(request.bytes))])
		return false
	case faultLate:
		switches.count(fault)
		c.deliverLate(request)
		return false
	}
	if _, err := c.gateway.Write(request.bytes); err != nil {
		return false
	}
	reply, err := c.told.read()
	if err != nil {
		return false
	}
	return c.answer(reply, fault)
}

// answer gives the reply to the client, or what the fault makes of it.
func (c *connection) answer(reply *message, fault string) bool {
	switches := c.proxy.switches
	earlier := c.last
	c.last = reply
	if switches.isSilent() {
		return c.stall()
	}
	switch fault {
	case faultDelay:
		switches.count(fault)
	case faultLost:
		switches.count(fault)
		return false
	case faultCut:
		switches.count(fault)
		c.client.Write(reply.bytes[:switches.below(len(reply.bytes))])
		return false
	case faultStall:
		switches.count(fault)
		return c.stall()
	case faultEarlier:
		if earlier != nil {
			switches.count(fault)
			reply = earlier
		}
	case faultGarble:
		switches.count(fault)
		reply = c.garble(reply)
	case faultFalse:
		// The reply that is kept says what is true: it is another array of bytes.
		denied := &message{append([]byte(nil), reply.bytes...), reply.header, reply.name}
		if denied.deny() {
			switches.count(fault)
			reply = denied
		}
	}
	_, err := c.client.Write(reply.bytes)
	return err == nil
}

// stall answers nothing until the client gives up, or the proxy ends its connections.
func (c *connection) stall() bool {
	io.Copy(io.Discard, c.client)
	return false
}

// garble overwrites some of what comes before the struct: no network does that to a cell without
// being found out by its checksums, but a stranger's bytes can be there.
func (c *connection) garble(reply *message) *message {
	garbled := append([]byte(nil), reply.bytes...)
	for i := 0; i < 1+c.proxy.switches.below(4); i++ {
		at := c.proxy.switches.below(reply.header)
		garbled[at] ^= byte(1 + c.proxy.switches.below(255))
	}
	return &message{garbled, reply.header, reply.name}
}

// deliverLate sends the request when its caller has long gone.
func (c *connection) deliverLate(request *message) {
	gateway, err := net.Dial("tcp", c.gateway.RemoteAddr().String())
	if err != nil {
		return
	}
	wait := c.proxy.switches.upTo(longestLate)
	c.proxy.late.Add(1)
	go func() {
		defer c.proxy.late.Done()
		defer gateway.Close()
		time.Sleep(wait)
		gateway.SetDeadline(time.Now().Add(time.Minute))
		gateway.Write(request.bytes)
		told := reader{source: bufio.NewReader(gateway), framed: c.proxy.framed}
		told.read()
	}()
}
