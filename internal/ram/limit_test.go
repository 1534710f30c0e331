package ram

import "testing"

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		bytes          float64
		limit, machine int64
		want           string
	}{
		{1e9, 0, 2e9, ""},
		{1.01e9, 0, 2e9, "x would take about 1.01 GB, more than half of the 2 GB of memory (memory.SetLimit can allow it)"},
		{1e30, 0, 2e9, "x would take about 1e+21 GB, more than half of the 2 GB of memory (memory.SetLimit can allow it)"},
		{1e30, 0, 0, ""},
		{1e30, -1, 2e9, ""},
		{1.9e9, 3e9, 2e9, ""},
		{2e6, 1e5, 0, "x would take about 2 MB, more than the 100000 bytes that memory.SetLimit allows"},
	} {
		got := ""
		if err := check("x", c.bytes, c.limit, c.machine); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%g bytes, limit %d, machine %d: %q, want %q", c.bytes, c.limit, c.machine, got, c.want)
		}
	}
	if before := SetLimit(5); before != 0 || Check("x", 6) == nil || Check("x", 5) != nil {
		t.Errorf("the limit was %d, and does not hold", before)
	}
	if before := SetLimit(0); before != 5 {
		t.Errorf("the limit before was %d, want 5", before)
	}
}
