package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// An event is a line of the output of go test -json.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// results are the results of all tests.
type results struct {
	passed int
	failed []string
	skips  []skip
	said   map[string][]string // output lines of running tests, by package and test
}

// A skip is a test that was skipped.
type skip struct{ test, reason string }

// read reads the events of go test -json, and writes finished packages and failures to w.
func (r *results) read(events io.Reader, w io.Writer) {
	r.said = map[string][]string{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(w, lines.Text()) // not JSON, for example from a program that could not be built
			continue
		}
		r.add(e, w)
	}
}

func (r *results) add(e event, w io.Writer) {
	name := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if e.Action == "build-output" {
			fmt.Fprint(w, e.Output)
		}
		r.said[name] = append(r.said[name], e.Output)
		return
	case "pass":
		if e.Test != "" {
			r.passed++
		}
	case "skip":
		if e.Test != "" {
			r.skips = append(r.skips, skip{name, reason(r.said[name])})
		}
	case "fail":
		r.failed = append(r.failed, name)
		fmt.Fprintf(w, "FAIL %s\n%s", name, strings.Join(r.said[name], ""))
		if e.Test == "" { // the package ended with unfinished tests, one of which may have crashed it
			for test, lines := range r.said {
				if strings.HasPrefix(test, name) && test != name {
					fmt.Fprintf(w, "not finished: %s\n%s", test, strings.Join(lines, ""))
				}
			}
		}
	default:
		return
	}
	if e.Test == "" {
		fmt.Fprintf(w, "%-6s %s %.1f s\n", e.Action, e.Package, e.Elapsed)
	}
	delete(r.said, name)
}

// reason returns the reason why a test was skipped. It finds the reason in the last of the given output lines that has
// the form "file.go:1: reason".
func reason(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if _, text, ok := strings.Cut(line, ".go:"); ok {
			_, text, _ = strings.Cut(text, ": ")
			return strings.TrimSpace(text)
		}
	}
	return "no reason is given"
}

// print writes the totals and the skipped tests.
func (r *results) print(w io.Writer, took time.Duration) {
	fmt.Fprintf(w, "%d tests passed under node, %d failed, %d skipped, in %.0f s\n", r.passed, len(r.failed), len(r.skips), took.Seconds())
	for _, s := range r.skips {
		fmt.Fprintf(w, "skipped: %s: %s\n", s.test, s.reason)
	}
	for _, f := range r.failed {
		fmt.Fprintf(w, "failed: %s\n", f)
	}
}
