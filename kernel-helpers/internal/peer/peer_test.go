package peer

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/cputime"
	"overcomplete/internal/patience"
)

func TestPeer(t *testing.T) {
	py := Start(t, 1, "x = 3")
	if got := py.Float("x * 2"); got != 6 {
		t.Errorf("x * 2 = %v", got)
	}
	if got := py.Floats("[x, 1e-3]"); len(got) != 2 || got[1] != 1e-3 {
		t.Errorf("got %v", got)
	}
	patience.Try(t, func() string {
		r := Race(3, Timer(func() { time.Sleep(2 * time.Millisecond) }), py.Timer("time = __import__('time'); time.sleep(0.02)"))
		if r.Speed < 2 || r.Peer < 0.02 || r.Mine < 0.002 {
			return fmt.Sprintf("a sleep of 2 ms against one of 20: %+v", r)
		}
		return ""
	})
}

func TestArray(t *testing.T) {
	py := Start(t, 1, "", "numpy")
	py.Array("A", mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}).T())
	if got := py.Floats("A.ravel()"); !slices.Equal(got, []float64{1, 4, 2, 5, 3, 6}) || py.Float("len(A)") != 3 {
		t.Errorf("got %v", got)
	}
}

// Sleeping takes no processor time. The processor time of work is at most its wall-clock time.
func TestProcessor(t *testing.T) {
	if cputime.Own() == 0 {
		t.Skip("not known here")
	}
	work := func() {
		for begin := cputime.Own(); cputime.Own() < begin+20*time.Millisecond; {
		}
	}
	var busy Time
	patience.Try(t, func() string { // a garbage collection may happen during the sleep
		idle := Timer(func() { time.Sleep(20 * time.Millisecond) })()
		busy = Timer(work)()
		if idle.Processor > 0.01 || busy.Processor < 0.02 || busy.Clock < 0.01 {
			return fmt.Sprintf("idle %+v, busy %+v", idle, busy)
		}
		return ""
	})
	py := Start(t, 1, "import time")
	theirs := py.Timer("b = time.process_time()\nwhile time.process_time() < b + 0.04: pass")()
	if theirs.Processor < 0.04 {
		t.Errorf("Python's 0.04 s are %+v", theirs)
	}
	if r := Compare(busy, theirs); r.Processor < 1 {
		t.Errorf("0.02 s against 0.04: %+v", r)
	}
}

func TestCompare(t *testing.T) {
	mine, peer := []Time{{1, 2}, {1, 1}, {1, 1}}, []Time{{3, 8}, {2, 3}, {5, 2}}
	if r := compare(mine, peer); r != (Result{1, 3, 3, 3}) {
		t.Errorf("got %+v", r)
	}
	mine[1].Processor = 0 // unknown
	if r := compare(mine, peer); r.Processor != 0 || r.Speed != 3 {
		t.Errorf("got %+v", r)
	}
}
