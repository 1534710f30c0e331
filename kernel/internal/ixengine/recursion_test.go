package ixengine

import (
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/engine"
)

func TestStackUsed(t *testing.T) {
	var deeper func(n int) uintptr
	deeper = func(n int) uintptr {
		var kilo [1024]byte
		kilo[n%1024] = byte(n)
		if n == 0 {
			return stackUsed() + uintptr(kilo[1])
		}
		return deeper(n-1) + uintptr(kilo[n%1024]) - uintptr(byte(n))
	}
	few, many := deeper(10), deeper(5000)
	if perCall := (many - few) / 4990; few < 10<<10 || few > 1<<20 || perCall < 1<<10 || perCall > 4<<10 {
		t.Errorf("%d bytes with 10 calls of a kilobyte each, %d with 5000", few, many)
	}
}

// A method that shows itself ends its goroutine, also one that an earlier cell has
// left behind, and the kernel's own go on.
func TestEndlessMethod(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector cannot follow a recursion that fills the stack")
	}
	late := make(chan *engine.Error, 1)
	s := fresh(t, Options{Background: func(e *engine.Error) { late <- e }})
	run(t, s, `import ("fmt"; "time")
type T struct{}
func (T) String() string { return fmt.Sprint(T{}) }
go func() { time.Sleep(20*time.Millisecond); fmt.Sprint(T{}) }()`)
	select {
	case e := <-late:
		if !strings.HasSuffix(e.Message, "endless recursion in T.String") {
			t.Error(e)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("nothing has been reported")
	}
	v := run(t, s, "T{}")[0].Value.(interface{ String() string })
	if text := v.String(); !strings.Contains(text, "endless recursion in T.String") {
		t.Errorf("%.100s", text)
	}
	run(t, s, "1")
}
