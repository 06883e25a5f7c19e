// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What can happen to a call, each with a probability of its own.
const (
	faultDelay   = "delay"   // everything is right, but takes up to 300 ms longer
	faultDrop    = "drop"    // the request never leaves; the connection ends
	faultCutCall = "cutcall" // only a part of the request arrives
	faultLost    = "lost"    // the gateway has done it; the reply is lost with the connection
	faultLate    = "late"    // the connection ends, and the request arrives up to 3 s later
	faultCut     = "cut"     // the reply ends in its middle
	faultStall   = "stall"   // the gateway has done it, and the reply never comes
	faultEarlier = "earlier" // the reply of the call before, on this connection, comes once more
	faultGarble  = "garble"  // the head of the reply is other bytes
	faultFalse   = "false"   // a conditional write took effect, and the reply says that it did not
)

var allFaults = []string{
	faultDelay, faultDrop, faultCutCall, faultLost, faultLate, faultCut, faultStall, faultEarlier,
	faultGarble, faultFalse,
}

const (
	longestDelay = 300 * time.Millisecond
	longestLate  = 3 * time.Second
)

// switches are what the proxy does now. They may be turned while it runs.
type switches struct {
	mutex         sync.Mutex
	random        *rand.Rand
	probabilities map[string]float64
	refuse        bool // new connections end at once
	silent        bool // nothing is answered any more, on old and new connections
	counts        map[string]int
	calls         map[string]int // by the method's name
}

func newSwitches(seed int64) *switches {
	return &switches{
		random:        rand.New(rand.NewSource(seed)),
		probabilities: map[string]float64{},
		counts:        map[string]int{},
		calls:         map[string]int{},
	}
}

// set takes "delay=0.1 cut=0.01"; what is not named stays.
func (s *switches) set(words []string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		probability, err := strconv.ParseFloat(value, 64)
		if err != nil || probability < 0 || probability > 1 {
			return fmt.Errorf("“%s”: a probability from 0 to 1 is needed", word)
		}
		if !isFault(name) {
			return fmt.Errorf("“%s”: there are %s", name, strings.Join(allFaults, ", "))
		}
		s.probabilities[name] = probability
	}
	return nil
}

func isFault(name string) bool {
	for _, known := range allFaults {
		if name == known {
			return true
		}
	}
	return false
}

func (s *switches) clear() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.probabilities = map[string]float64{}
	s.refuse, s.silent = false, false
}

// choose says what happens to the next call; "" is nothing.
func (s *switches) choose(request *message) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.calls[request.name]++
	for _, fault := range allFaults {
		if fault == faultFalse && !request.isConditional() {
			continue
		}
		if s.probabilities[fault] > 0 && s.random.Float64() < s.probabilities[fault] {
			return fault
		}
	}
	return ""
}

// count notes that a fault really happened.
func (s *switches) count(fault string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.counts[fault]++
}

func (s *switches) upTo(longest time.Duration) time.Duration {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return time.Duration(s.random.Int63n(int64(longest)))
}

// below is a number from 0 to n − 1.
func (s *switches) below(n int) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.random.Intn(n)
}

func (s *switches) isRefusing() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.refuse
}

func (s *switches) isSilent() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.silent
}
