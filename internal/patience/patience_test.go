package patience

import (
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	asked := 0
	if !waitFor(func() bool { asked++; return asked == 3 }, time.Hour) || asked != 3 {
		t.Errorf("asked %d times", asked)
	}
	if waitFor(func() bool { return false }, time.Millisecond) {
		t.Error("what never comes has come")
	}
	// If the condition became true during a pause, it is checked once more.
	if !waitFor(func() bool { return true }, -time.Hour) {
		t.Error("what is there was not seen")
	}
}

func TestTry(t *testing.T) {
	n := 0
	if fault := attempt(func() string { n++; return []string{"late", "late", ""}[n-1] }, 0); fault != "" || n != 3 {
		t.Errorf("%d times, then %q", n, fault)
	}
	n = 0
	if fault := attempt(func() string { n++; return "wrong" }, 0); fault != "wrong" || n != tries {
		t.Errorf("%d times, then %q", n, fault)
	}
}
