package randprog

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// TestCompiled: compiled programs end, and print something.
func TestCompiled(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: nothing can be compiled")
	}
	var sources []string
	for seed := range uint64(20) {
		sources = append(sources, New(seed, Options{}).Source)
	}
	got, err := Compiled(sources)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range got {
		if text == "" {
			t.Errorf("program %d prints nothing:\n%s", i, sources[i])
		}
	}
}

// TestCompiledExplodes: a program that needs too much memory is identified before the machine runs out of
// memory.
func TestCompiledExplodes(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: nothing can be compiled")
	}
	_, err := Compiled([]string{
		"package main\n\nfunc Run() {}\n",
		"package main\n\nfunc Run() {\n\tvar kept [][]byte\n\tfor {\n\t\tkept = append(kept, make([]byte, 1<<16))\n\t}\n}\n",
	})
	var e *ProgramError
	if !errors.As(err, &e) || e.Index != 1 || !strings.Contains(e.Why, "MiB") {
		t.Errorf("Compiled returns %v", err)
	}
}

func TestOutput(t *testing.T) {
	var o Output
	for range 3 {
		if n, err := o.Write(make([]byte, mostOutput/2+1)); n != mostOutput/2+1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(o.String()) != mostOutput {
		t.Errorf("%d bytes are kept, not %d", len(o.String()), mostOutput)
	}
}
