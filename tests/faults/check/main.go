// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

// Check says whether histories that the workload has recorded are linearizable: whether there is an
// order of all calls, each at a moment between its beginning and its end, in which every answer was
// right. Exit code 0 if so, 1 if not, 2 if the call is wrong, 3 if it could not find out in time.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	exitRight = iota
	exitWrong
	exitUsage
	exitUndecided
)

// summary is what the check has found, for programs.
type summary struct {
	Orders     int            `json:"orders"`
	Calls      int            `json:"calls"`
	Operations int            `json:"operations"` // of single orders, as the model sees them
	Concurrent int            `json:"concurrent"` // that overlap another one of their order
	Counts     map[string]int `json:"counts"`
	Longest    longest        `json:"longest"`
	Wrong      []string       `json:"wrong"`
	Undecided  []string       `json:"undecided"`
}

func main() {
	timeout := flag.Duration("timeout", time.Minute, "for one order")
	first := flag.Bool("first", false, "stop at the first order that is wrong")
	asJSON := flag.Bool("json", false, "print a summary as JSON")
	html := flag.String("html", "", "directory for a picture of each order that is wrong")
	flag.BoolVar(&garbled, "garbled", false, "answers of gateways were garbled: see README.md")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: check [OPTION]... HISTORY...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(exitUsage)
	}
	h, err := readHistory(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(exitUsage)
	}
	result := check(h, options{*timeout, *first, *html})
	if *asJSON {
		text, _ := json.MarshalIndent(result, "", "  ")
		fmt.Println(string(text))
	} else {
		result.print()
	}
	os.Exit(result.exitCode())
}

func (s *summary) exitCode() int {
	switch {
	case len(s.Wrong) > 0:
		return exitWrong
	case len(s.Undecided) > 0:
		return exitUndecided
	}
	return exitRight
}

func (s *summary) print() {
	for _, text := range append(s.Wrong, s.Undecided...) {
		fmt.Println(text)
	}
	fmt.Printf("%d calls on %d orders, %d of %d operations at the same time as another; the longest "+
		"call took %.3f s\n", s.Calls, s.Orders, s.Concurrent, s.Operations, s.Longest.Seconds)
}

// options says how the orders are looked at.
type options struct {
	timeout time.Duration // for one order
	first   bool          // stop at the first order that is wrong
	html    string        // directory for pictures; "" for none
}

// check runs the model over every order, on all processors.
func check(h *history, how options) *summary {
	s := &summary{Calls: h.calls, Counts: h.counts, Longest: h.longest, Wrong: h.wrong}
	keys := h.keys()
	s.Orders = len(keys)
	if h.calls == 0 {
		s.Wrong = append(s.Wrong, "an empty history shows nothing")
	}
	work := make(chan key)
	var mutex sync.Mutex
	var workers sync.WaitGroup
	for i := 0; i < runtime.GOMAXPROCS(0); i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for k := range work {
				verdict, text := checkOrder(k, h.operations[k], how.timeout, how.html)
				mutex.Lock()
				s.Operations += len(h.operations[k])
				s.Concurrent += countConcurrent(h.operations[k])
				if verdict == porcupine.Illegal {
					s.Wrong = append(s.Wrong, text)
				} else if verdict == porcupine.Unknown {
					s.Undecided = append(s.Undecided, text)
				}
				mutex.Unlock()
			}
		}()
	}
	wrong := func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return len(s.Wrong) > 0
	}
	for _, k := range keys {
		if how.first && wrong() {
			break
		}
		work <- k
	}
	close(work)
	workers.Wait()
	return s
}

func countConcurrent(operations []porcupine.Operation) int {
	n := 0
	var latest int64
	for i, operation := range operations {
		if i > 0 && operation.Call <= latest {
			n++
		}
		if operation.Return > latest && operation.Output.(output).outcome != "unknown" {
			latest = operation.Return
		}
	}
	return n
}

func checkOrder(k key, operations []porcupine.Operation, timeout time.Duration,
	html string) (porcupine.CheckResult, string) {
	verdict := porcupine.CheckOperationsTimeout(model, operations, timeout)
	switch verdict {
	case porcupine.Ok:
		return verdict, ""
	case porcupine.Unknown:
		return verdict, fmt.Sprintf("%s: not decided within %s, %d operations", k, timeout,
			len(operations))
	}
	_, info := porcupine.CheckOperationsVerbose(model, operations, timeout)
	text := fmt.Sprintf("%s: no order explains all answers\n%s", k, explain(operations, info))
	if html != "" {
		path := filepath.Join(html, strings.ReplaceAll(k.String(), "/", "-")+".html")
		if err := porcupine.VisualizePath(model, info, path); err != nil {
			text += "  no picture: " + err.Error() + "\n"
		} else {
			text += "  picture: " + path + "\n"
		}
	}
	return verdict, text
}

const explained = 12 // operations on each side of the first that fits nowhere

// explain shows the operations around the first that has no place in the longest order found.
func explain(operations []porcupine.Operation, info porcupine.LinearizationInfo) string {
	placed := map[string]int{}
	for _, orders := range info.PartialLinearizationsOperations() {
		best := []porcupine.Operation{}
		for _, candidate := range orders {
			if len(candidate) > len(best) {
				best = candidate
			}
		}
		for i, operation := range best {
			placed[identify(operation)] = i + 1
		}
	}
	first := len(operations)
	for i, operation := range operations {
		if placed[identify(operation)] == 0 && operation.Output.(output).outcome != "unknown" {
			first = i
			break
		}
	}
	var text strings.Builder
	for i, operation := range operations {
		if i < first-explained || i > first+explained {
			continue
		}
		place := "  -"
		if n := placed[identify(operation)]; n > 0 {
			place = fmt.Sprintf("%3d", n)
		}
		end := "      ∞"
		if operation.Output.(output).outcome != "unknown" {
			end = milliseconds(operation.Return - operations[0].Call)
		}
		mark := " "
		if i == first {
			mark = ">"
		}
		fmt.Fprintf(&text, "%s %s %s–%s  %-8s %s\n", mark, place,
			milliseconds(operation.Call-operations[0].Call), end, operation.Metadata,
			describe(operation.Input.(input), operation.Output.(output)))
	}
	return text.String()
}

func identify(operation porcupine.Operation) string {
	return fmt.Sprintf("%d %d", operation.ClientId, operation.Call)
}

func milliseconds(nanoseconds int64) string {
	return fmt.Sprintf("%9.3f", float64(nanoseconds)/1e6)
}
