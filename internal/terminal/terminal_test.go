package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestIs(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var none *os.File
	if Is(f) || Is(null) || Is(none) || Is(&bytes.Buffer{}) {
		t.Error("a file, /dev/null, nil or a buffer is taken for a terminal")
	}
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal to be had: ", err)
	}
	defer tty.Close()
	t.Setenv("TERM", "xterm")
	if !Is(tty) {
		t.Error("a terminal is not taken for one")
	}
	t.Setenv("TERM", "dumb")
	if Is(tty) {
		t.Error("a dumb terminal is taken for one")
	}
}
