// SPDX-FileCopyrightText: The tallorder authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A history by hand: each entry is one call on one order, "begin end what answer". An end of "-"
// is a process that was killed.
type sample struct {
	name  string
	right bool
	calls []string
}

var samples = []sample{
	{"one after the other", true, []string{
		"0 1 get|not-found", "2 3 put x any|ok 10", "4 5 get|ok x 10", "6 7 put y any|ok 12",
		"8 9 get|ok y 12", "10 11 delete any|ok", "12 13 get|not-found", "14 15 delete any|not-found",
	}},
	{"at the same time, both ways", true, []string{
		"0 9 put x any|ok 10", "1 8 put y any|ok 12", "2 3 get|ok x 10", "4 5 get|ok y 12",
	}},
	{"read before it was acknowledged", true, []string{"0 9 put x any|ok 10", "1 2 get|ok x 10"}},
	{"an old value is read", false, []string{
		"0 1 put x any|ok 10", "2 3 put y any|ok 12", "4 5 get|ok x 10",
	}},
	{"an acknowledged put is lost", false, []string{"0 1 put x any|ok 10", "2 3 get|not-found"}},
	{"back and forth", false, []string{
		"0 9 put x any|ok 10", "0 9 put y any|ok 12", "1 2 get|ok y 12", "3 4 get|ok x 10",
		"5 6 get|ok y 12",
	}},
	{"a revision goes back", false, []string{"0 1 put x any|ok 12", "2 3 put y any|ok 10"}},
	{"a revision goes back after a delete", false, []string{
		"0 1 put x any|ok 12", "2 3 delete any|ok", "4 5 put y any|ok 10",
	}},
	{"one revision for two", false, []string{
		"0 9 put x any|ok 10", "1 8 put y any|ok 10", "10 11 get|ok y 10",
	}},
	{"read with another revision", false, []string{"0 1 put x any|ok 10", "2 3 get|ok x 12"}},
	{"a content that nobody has put", false, []string{"0 1 put x any|ok 10", "2 3 get|ok z 10"}},
	{"an internal error", false, []string{"0 1 put x any|ok 10", "2 3 get|internal"}},
	{"a torn order", false, []string{"0 1 put x any|ok 10", "2 3 get|wrong"}},

	{"must be absent", true, []string{
		"0 1 put x absent|ok 10", "2 3 put y absent|conflict 10", "4 5 delete any|ok",
		"6 7 put z absent|ok 14",
	}},
	{"must be absent, and two were first", false, []string{
		"0 9 put x absent|ok 10", "1 8 put y absent|ok 12",
	}},
	{"must be absent, refused without a reason", false, []string{"0 1 put x absent|conflict 0"}},
	{"refused with the wrong revision", false, []string{
		"0 1 put x any|ok 10", "2 3 put y absent|conflict 8",
	}},
	{"a revision is expected", true, []string{
		"0 1 put x any|ok 10", "2 3 put y 10|ok 12", "4 5 put z 10|conflict 12",
		"6 7 delete 10|conflict 12", "8 9 delete 12|ok", "10 11 put w 12|conflict 0",
	}},
	{"two replace the same revision", false, []string{
		"0 1 put x any|ok 10", "2 9 put y 10|ok 12", "3 8 put z 10|ok 14",
	}},
	{"the expected revision was there", false, []string{
		"0 1 put x any|ok 10", "2 3 put y 10|conflict 10",
	}},
	{"deleted twice", false, []string{
		"0 1 put x any|ok 10", "2 9 delete any|ok", "3 8 delete any|ok",
	}},
	{"a delete that was refused without a reason", false, []string{
		"0 1 put x any|ok 10", "2 3 delete any|not-found",
	}},

	{"unknown, and never happened", true, []string{
		"0 1 put x any|ok 10", "2 3 put y any|unknown", "4 5 get|ok x 10",
	}},
	{"unknown, and happened late", true, []string{
		"0 1 put x any|ok 10", "2 3 put y any|unknown", "4 5 get|ok x 10", "6 7 get|ok y 12",
	}},
	{"unknown, and happened twice", false, []string{
		"0 1 put x any|ok 10", "2 3 put y any|unknown", "4 5 get|ok y 12", "6 7 put z any|ok 14",
		"8 9 get|ok y 12",
	}},
	{"unknown, and stored twice", false, []string{
		"0 1 put y any|unknown", "2 3 get|ok y 12", "4 5 get|ok y 14",
	}},
	{"unknown, and happened before it was asked", false, []string{
		"0 1 get|ok y 12", "2 3 put y any|unknown",
	}},
	{"unknown, and only a conflict tells", true, []string{
		"0 1 put x any|unknown", "2 3 put y absent|conflict 10", "4 5 put z 10|ok 12",
	}},
	{"an unknown delete", true, []string{
		"0 1 put x any|ok 10", "2 3 delete any|unknown", "4 5 get|ok x 10", "6 7 get|not-found",
	}},
	{"an unknown delete that came back", false, []string{
		"0 1 put x any|ok 10", "2 3 delete any|unknown", "4 5 get|not-found", "6 7 get|ok x 10",
	}},
	{"an unknown replacement whose condition does not hold", false, []string{
		"0 1 put x any|ok 10", "2 3 put y 8|unknown", "4 5 get|ok y 12",
	}},
	{"a process that was killed", true, []string{
		"0 1 put x any|ok 10", "2 - put y any", "4 5 get|ok x 10", "6 7 get|ok y 12", "8 - get",
	}},
	{"nothing was done", true, []string{
		"0 1 put x any|ok 10", "2 3 put y any|undone", "4 5 get|ok x 10",
	}},
	{"nothing was done, and there it is", false, []string{
		"0 1 put x any|ok 10", "2 3 put y any|undone", "4 5 get|ok y 12",
	}},
	{"refused, and there it is", false, []string{
		"0 1 put x any|ok 10", "2 3 put y absent|conflict 10", "4 5 get|ok y 12",
	}},

	{"loaded, and replaced", true, []string{
		"0 1 load x new|ok 5", "2 3 put y 5|ok 1100000000010", "4 5 load z new|conflict 1100000000010",
	}},
	{"loaded over a put", false, []string{
		"0 1 put x any|ok 1100000000010", "2 3 load y new|ok 1100000000011",
	}},
	{"loaded under a put, and there it is", false, []string{
		"0 1 put x any|ok 1100000000010", "2 3 load y new|ok 5",
	}},
	{"loaded twice, and the later load wins", true, []string{
		"0 9 load x new|ok 5", "1 8 load y new|ok 7", "10 11 get|ok y 7",
	}},
	{"loaded twice, and the earlier load wins", false, []string{
		"0 9 load x new|ok 5", "1 8 load y new|ok 7", "10 11 get|ok x 5",
	}},
	{"loaded with an unknown outcome, and then by another load", true, []string{
		"0 1 load x new|unknown", "2 3 load y new|ok 7", "4 5 get|ok y 7",
	}},
	{"a load replaces what exists", true, []string{
		"0 1 put x any|ok 1100000000010", "2 3 load y any|ok 1100000000012",
	}},
	{"a load left it, and there it is", false, []string{
		"0 1 put x any|ok 1100000000010", "2 3 load y new|conflict 1100000000010", "4 5 get|ok y 5",
	}},

	{"patched, and the next patch keeps it", true, []string{
		"0 1 put x any|ok 10", "2 3 patch p any|ok 12", "4 5 get|ok x+p 12", "6 7 patch a 12|ok 14",
		"8 9 get|ok x+a+p 14", "10 11 list|x 14", "12 13 put y any|ok 16", "14 15 get|ok y 16",
	}},
	{"two patches at the same time", true, []string{
		"0 1 put x any|ok 10", "2 9 patch p any|ok 14", "3 8 patch q any|ok 12", "4 5 get|ok x+q 12",
		"10 11 get|ok x+p+q 14",
	}},
	{"a patch is lost", false, []string{
		"0 1 put x any|ok 10", "2 9 patch p any|ok 14", "3 8 patch q any|ok 12", "10 11 get|ok x+p 14",
	}},
	{"a patch brings back what was replaced", false, []string{
		"0 1 put x any|ok 10", "2 9 patch p any|ok 14", "3 4 put y any|ok 12", "10 11 get|ok x+p 14",
	}},
	{"a patch of nothing", true, []string{"0 1 patch p any|not-found", "2 3 patch q 8|conflict 0"}},
	{"a patch of nothing is done", false, []string{"0 1 patch p any|ok 10"}},
	{"a patch in spite of its condition", false, []string{
		"0 1 put x any|ok 10", "2 3 put y any|ok 12", "4 5 patch p 10|ok 14",
	}},
	{"an unknown patch that happened late", true, []string{
		"0 1 put x any|ok 10", "2 3 patch p any|unknown", "4 5 get|ok x 10", "6 7 get|ok x+p 12",
	}},
	{"an unknown patch that happened twice", false, []string{
		"0 1 put x any|ok 10", "2 3 patch p any|unknown", "4 5 get|ok x+p 12", "6 7 patch q any|ok 14",
		"8 9 get|ok x+p+q 16",
	}},
	{"a patch that was refused, and there it is", false, []string{
		"0 1 put x any|ok 10", "2 3 patch p any|undone", "4 5 get|ok x+p 12",
	}},

	{"listed and not", true, []string{
		"0 1 list|", "2 3 put x any|ok 10", "4 5 list|x 10", "6 7 delete any|ok", "8 9 list|",
	}},
	{"not listed", false, []string{"0 1 put x any|ok 10", "2 3 list|"}},
	{"listed with what was replaced", false, []string{
		"0 1 put x any|ok 10", "2 3 put y any|ok 12", "4 5 list|x 10",
	}},

	{"found by what it holds", true, []string{
		"0 1 find 1|", "2 3 put x1 any|ok 10", "4 5 find 1|x1 10", "6 7 find 2|", "8 9 put x2 any|ok 12",
		"10 11 find 1|", "12 13 find 2|x2 12", "14 15 patch p1 any|ok 14", "16 17 find 2|x2+p1 14",
		"18 19 find 1|", "20 21 delete any|ok", "22 23 find 2|",
	}},
	{"found before and after it has changed meanwhile", true, []string{
		"0 1 put x1 any|ok 10", "2 9 put x2 any|ok 12", "3 8 find 1|", "4 5 find 1|x1 10", "10 11 find 2|x2 12",
	}},
	{"not found", false, []string{"0 1 put x1 any|ok 10", "2 3 find 1|"}},
	{"found by what it held", false, []string{
		"0 1 put x1 any|ok 10", "2 3 put x2 any|ok 12", "4 5 find 1|x2 12",
	}},
	{"found with what was replaced", false, []string{
		"0 1 put x1 any|ok 10", "2 3 put y1 any|ok 12", "4 5 find 1|x1 10",
	}},
	{"not found while a patch changes something else", false, []string{
		"0 1 put x1 any|ok 10", "2 9 patch p any|ok 12", "3 8 find 1|",
	}},
}

// write makes the file that the workload would have written.
func (s sample) write(t *testing.T) string {
	var text strings.Builder
	for i, c := range s.calls {
		question, answer, _ := strings.Cut(c, "|")
		words := strings.Fields(question)
		fmt.Fprintf(&text, `{"call":%d,"process":"a","thread":%d,"at":%s,"customer":"c","order":0,`,
			i, i, words[0])
		text.WriteString(questionFields(t, words[2:]) + "}\n")
		if words[1] != "-" {
			fmt.Fprintf(&text, `{"return":%d,"process":"a","at":%s,`, i, words[1])
			text.WriteString(answerFields(words[2], strings.Fields(answer)) + "}\n")
		}
	}
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func questionFields(t *testing.T, words []string) string {
	condition := func(word string) string {
		if word == "any" || word == "absent" || word == "new" {
			return fmt.Sprintf(`"if":"%s","revision":0`, word)
		}
		return `"if":"revision","revision":` + word
	}
	switch words[0] {
	case "put", "load", "patch":
		return fmt.Sprintf(`"do":"%s","content":"%s",%s`, words[0], words[1], condition(words[2]))
	case "delete":
		return `"do":"delete",` + condition(words[1])
	case "get":
		return `"do":"get"`
	case "list":
		return `"do":"list","orders":1`
	case "find":
		return `"do":"find","orders":1,"content":"` + words[1] + `"`
	}
	t.Fatalf("no such call: %v", words)
	return ""
}

func answerFields(do string, words []string) string {
	if do == "list" || do == "find" {
		if len(words) == 0 {
			return `"outcome":"ok","orders":[]`
		}
		return fmt.Sprintf(
			`"outcome":"ok","orders":[{"order":0,"outcome":"ok","content":"%s","revision":%s}]`,
			words[0], words[1])
	}
	text := fmt.Sprintf(`"outcome":"%s"`, words[0])
	if do == "get" && len(words) == 3 {
		return text + fmt.Sprintf(`,"content":"%s","revision":%s`, words[1], words[2])
	}
	if len(words) == 2 {
		return text + `,"revision":` + words[1]
	}
	return text
}

func TestSamples(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			h, err := readHistory([]string{s.write(t)})
			if err != nil {
				t.Fatal(err)
			}
			result := check(h, options{timeout: time.Minute})
			if right := result.exitCode() == exitRight; right != s.right {
				t.Errorf("right: %v, should be %v: %v", right, s.right, result.Wrong)
			}
			if !s.right && len(result.Wrong) == 0 {
				t.Error("it does not say what is wrong")
			}
		})
	}
}

func TestNoHistory(t *testing.T) {
	for name, text := range map[string]string{
		"an answer to no call": `{"return":7,"process":"a","at":1,"outcome":"ok"}` + "\n",
		"a hole":               "{\"call\":\n{}\n",
		"something else":       "{}\n",
		"unknown":              `{"call":0,"process":"a","at":1,"do":"dance"}` + "\n",
		"twice": `{"call":0,"process":"a","at":1,"do":"put","content":"x"}` + "\n" +
			`{"call":1,"process":"a","at":1,"do":"put","content":"x"}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readHistory([]string{path}); err == nil {
			t.Errorf("%s is taken for a history", name)
		}
	}
	h, err := readHistory([]string{os.DevNull})
	if err != nil {
		t.Fatal(err)
	}
	if check(h, options{timeout: time.Minute}).exitCode() != exitWrong {
		t.Error("an empty history is right")
	}
}

// Where answers were garbled, an error that says so means that nothing was done.
func TestGarbled(t *testing.T) {
	garbled = true
	defer func() { garbled = false }()
	for text, wanted := range map[string]string{
		"the gateway failed: malformed message: reply 3 where 4 is due": "undone",
		"no such method": "wrong",
	} {
		if judge("internal", text) != wanted {
			t.Errorf("%s: not %s", text, wanted)
		}
	}
}

// A line that was cut off when its process was killed is not the history's fault.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	text := `{"call":0,"process":"a","at":1,"do":"get","customer":"c","order":0}` + "\n" + `{"retu`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readHistory([]string{path}); err != nil {
		t.Error(err)
	}
}
