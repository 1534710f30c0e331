package patience

import (
	"flag"
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

// TestSkipShort checks that a long test is skipped with -short, unless CI requires all tests.
func TestSkipShort(t *testing.T) {
	asked := flag.Lookup("test.short")
	before := asked.Value.String()
	defer flag.Set("test.short", before)
	for _, c := range []struct {
		short, full string
		skipped     bool
	}{{"false", "", false}, {"true", "", true}, {"true", "1", false}} {
		flag.Set("test.short", c.short)
		t.Setenv(Full, c.full)
		skipped := true
		t.Run("inner", func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			SkipShort(t, "it does much")
		})
		if skipped != c.skipped {
			t.Errorf("-short=%s, %s=%q: skipped is %v", c.short, Full, c.full, skipped)
		}
	}
}
