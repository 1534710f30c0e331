package main

import (
	"bytes"
	"slices"
	"testing"

	"overcomplete/internal/testfile"
)

func TestGenerated(t *testing.T) {
	for name, source := range files {
		want, err := source()
		if err != nil {
			t.Fatal(err)
		}
		got := testfile.Read(t, "../"+name)
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what gen writes: run go generate ./kernel/internal/rt", name)
		}
	}
}

func TestSignaturesOnce(t *testing.T) {
	list := signatures(results)
	slices.Sort(list)
	if n := len(list); len(slices.Compact(list)) != n {
		t.Error("a signature is there twice")
	}
}
