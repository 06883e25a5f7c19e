// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

// Proxy stands between a client and gateways of HBase, and lets calls go wrong. It listens on one
// port of the kernel's choice for each gateway, prints them, and then takes commands from standard
// input, each answered by one line of JSON. It ends when the input ends.
//
//	set delay=0.1 cut=0.01     probabilities of faults, for each call; what is not named stays
//	clear                      no faults any more
//	close                      ends all connections
//	refuse on|off              new connections end at once
//	silent on|off              nothing is answered any more, on old and new connections
//	settle                     answers when all late requests have been delivered
//	stats                      what has happened so far
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
)

type proxy struct {
	framed   bool
	switches *switches
	late     sync.WaitGroup // requests whose callers have gone
	mutex    sync.Mutex
	open     map[*connection]bool
}

func main() {
	framed := flag.Bool("framed", false, "the gateways run with -framed")
	seed := flag.Int64("seed", 1, "of chance")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: proxy [-framed] [-seed N] HOST:PORT...")
		os.Exit(2)
	}
	p := &proxy{framed: *framed, switches: newSwitches(*seed), open: map[*connection]bool{}}
	var addresses []string
	for _, gateway := range flag.Args() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fmt.Fprintln(os.Stderr, "proxy:", err)
			os.Exit(3)
		}
		addresses = append(addresses, listener.Addr().String())
		go p.accept(listener, gateway)
	}
	fmt.Println("listening on", strings.Join(addresses, ","))
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		answer, err := p.obey(strings.Fields(commands.Text()))
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}

func (p *proxy) accept(listener net.Listener, gateway string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, "proxy:", err)
			continue
		}
		go p.serve(client, gateway)
	}
}

func (p *proxy) serve(client net.Conn, address string) {
	gateway, err := net.Dial("tcp", address)
	if p.switches.isRefusing() || err != nil {
		// A connection that could not be made is one that ends with a reset, not with an end of data.
		client.(*net.TCPConn).SetLinger(0)
		client.Close()
		if err == nil {
			gateway.Close()
		}
		return
	}
	c := &connection{proxy: p, client: client, gateway: gateway}
	p.mutex.Lock()
	p.open[c] = true
	p.mutex.Unlock()
	c.run()
	p.mutex.Lock()
	delete(p.open, c)
	p.mutex.Unlock()
}

func (p *proxy) closeAll() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for c := range p.open {
		c.client.Close()
		c.gateway.Close()
	}
	return len(p.open)
}

func (p *proxy) obey(words []string) (interface{}, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("an empty command")
	}
	done := map[string]string{"done": words[0]}
	switch words[0] {
	case "set":
		return done, p.switches.set(words[1:])
	case "clear":
		p.switches.clear()
		return done, nil
	case "close":
		return map[string]int{"closed": p.closeAll()}, nil
	case "refuse", "silent":
		if len(words) != 2 || (words[1] != "on" && words[1] != "off") {
			return nil, fmt.Errorf("%s on, or %s off", words[0], words[0])
		}
		p.turn(words[0], words[1] == "on")
		return done, nil
	case "settle":
		p.late.Wait()
		return done, nil
	case "stats":
		return p.stats(), nil
	}
	return nil, fmt.Errorf("no command “%s”", words[0])
}

func (p *proxy) turn(name string, on bool) {
	p.switches.mutex.Lock()
	defer p.switches.mutex.Unlock()
	if name == "refuse" {
		p.switches.refuse = on
	} else {
		p.switches.silent = on
	}
}

func (p *proxy) stats() interface{} {
	p.mutex.Lock()
	open := len(p.open)
	p.mutex.Unlock()
	p.switches.mutex.Lock()
	defer p.switches.mutex.Unlock()
	return map[string]interface{}{
		"calls": copied(p.switches.calls), "faults": copied(p.switches.counts), "open": open,
	}
}

func copied(counts map[string]int) map[string]int {
	result := map[string]int{}
	for name, n := range counts {
		result[name] = n
	}
	return result
}
