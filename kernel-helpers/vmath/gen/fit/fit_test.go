package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent checks that coefficients.go equals this program's output.
func TestCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../../../internal/coefficients/coefficients.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Error("package coefficients is not current")
	}
}
