package patience

import (
	"flag"
	"testing"
)

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
