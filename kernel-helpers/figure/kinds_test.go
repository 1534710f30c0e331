package figure

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestFive compares with numbers of matplotlib.cbook.boxplot_stats (matplotlib 3.11.2).
func TestFive(t *testing.T) {
	b := fiveOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 30, -20, 2.5})
	if got := fmt.Sprint(b); got != "{1 2.375 4.5 7.25 9 [-20 30]}" {
		t.Error(got)
	}
	if b := fiveOf([]float64{4}); b.low != 4 || b.high != 4 || b.whiskerHigh != 4 {
		t.Error(b)
	}
}

// TestDensity compares with scipy.stats.gaussian_kde (scipy 1.17.1), and with the fact that a density has the area 1.
func TestDensity(t *testing.T) {
	v := []float64{1, 2, 2.5, 4, 7}
	y, d := densityOf(v)
	for i, want := range map[int]float64{0: 0.12846851607616513, 64: 0.12124300648220683, 127: 0.059007912228337046} {
		if math.Abs(d[i]-want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", y[i], d[i], want)
		}
	}
	if y, d := densityOf([]float64{3, 3}); !(y[0] < 3 && y[127] > 3) || math.IsNaN(d[0]) {
		t.Error(y[0], d[0])
	}
}

func TestShortLogAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{{11, 48, "20 30 40"}, {10, 20, "10 12 14 16 18 20"}, {0.021, 0.029, "0.022 0.024 0.026 0.028"}, {1, 10, "1 2 5 10"}, {3e-6, 8e-6, "3e−6 4e−6 5e−6 6e−6 7e−6 8e−6"}} {
		var got []string
		for _, t := range (LogTicks{}).Ticks(c.lo, c.hi) {
			if !t.IsMinor() {
				got = append(got, t.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}
