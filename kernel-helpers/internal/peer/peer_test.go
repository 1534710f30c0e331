package peer

import (
	"testing"
	"time"
)

func TestPeer(t *testing.T) {
	py := Start(t, 1, "x = 3")
	if got := py.Float("x * 2"); got != 6 {
		t.Errorf("x * 2 = %v", got)
	}
	if got := py.Floats("[x, 1e-3]"); len(got) != 2 || got[1] != 1e-3 {
		t.Errorf("got %v", got)
	}
	r := Race(3, Timer(func() { time.Sleep(2 * time.Millisecond) }), py.Timer("time = __import__('time'); time.sleep(0.02)"))
	if r.Speed < 2 || r.Peer < 0.02 || r.Mine < 0.002 {
		t.Errorf("a sleep of 2 ms against one of 20: %+v", r)
	}
}
