package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCurrent checks that the files in the package's folder equal the generator's output.
func TestCurrent(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 10 {
		t.Fatalf("%d files", len(files))
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(have, want) {
			t.Errorf("%s is not current: run go generate", name)
		}
	}
}
