package main

import (
	"strings"
	"testing"
	"time"
)

func TestResults(t *testing.T) {
	const events = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:12: one thread: nobody: waits\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestC","Elapsed":0}
not JSON
{"Action":"output","Package":"p","Test":"TestD","Output":"out of range\n"}
{"Action":"fail","Package":"p","Elapsed":2}
{"Action":"skip","Package":"without/tests","Elapsed":0}
`
	var r results
	var out strings.Builder
	r.read(strings.NewReader(events), &out)
	r.print(&out, 3*time.Second)
	got := out.String()
	for _, want := range []string{
		"FAIL p TestC\n    c_test.go:1: wrong\n", "not JSON\n", "not finished: p TestD\nout of range\n", "fail   p 2.0 s\n",
		"1 tests passed under node, 2 failed, 1 skipped, in 3 s\n",
		"skipped: p TestB: one thread: nobody: waits\n", "failed: p TestC\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestQuoted(t *testing.T) {
	if got := quoted("node", "/a b/exec.cjs"); got != "'node' '/a b/exec.cjs'" {
		t.Error(got)
	}
}
