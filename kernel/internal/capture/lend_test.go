//go:build unix

package capture

import (
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLend: while the streams are lent, descriptors 1 and 2 have their original targets. Afterward they lead
// to the capture again.
func TestLend(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	saved, err := unix.Dup(1)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(saved)
	if err := dup(int(w.Fd()), 1); err != nil {
		t.Fatal(err)
	}
	defer dup(saved, 1)

	var mu sync.Mutex
	var caught strings.Builder
	c, err := Start(func(_ Stream, text string) {
		mu.Lock()
		defer mu.Unlock()
		caught.WriteString(text)
	})
	if err != nil {
		t.Fatal(err)
	}
	unix.Write(1, []byte("one "))
	takeBack, err := c.Lend()
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	if got := caught.String(); got != "one " {
		t.Errorf("before it lends, the capture has passed on %q", got)
	}
	mu.Unlock()
	unix.Write(1, []byte("lent"))
	if err := takeBack(); err != nil {
		t.Fatal(err)
	}
	unix.Write(1, []byte("two"))
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	dup(saved, 1)
	outside := make([]byte, 100)
	n, _ := r.Read(outside)
	outside = outside[:n]
	if caught.String() != "one two" || string(outside) != "lent" {
		t.Errorf("caught %q, outside %q", caught.String(), outside)
	}
}
