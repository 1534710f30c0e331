package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel-helpers/figure"
)

// circumstances describes the date and the machine of a measurement.
func circumstances() string {
	load := "unknown"
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(b))[:3], ", ")
	}
	return fmt.Sprintf("Measured on %s on %d shared processors (%s/%s, %s); load averages of 1, 5 and 15 minutes at the end: %s.",
		time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), load)
}

// save writes a figure of a long test, its caption and the circumstances.
func save(t *testing.T, f *figure.Figure, name, caption string) {
	t.Helper()
	if err := os.MkdirAll("figures", 0o755); err != nil {
		t.Fatal(err)
	}
	f.Caption = caption + " " + circumstances()
	f.Maker = "kernel/internal/bench." + t.Name()
	f.Width, f.Height = 7, 3.5
	f.Y.Min = 0 // start the axis at 0, so that constant data looks flat
	path := filepath.Join("figures", name)
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{".png", ".csv"} { // RESULTS.md shows the SVG, which contains the data
		if err := os.Remove(path + other); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: %s", name, f.Caption)
}

// blocks divides x into blocks of n elements. It returns the q-quantile of each block, and the index of the
// block's end.
func blocks(x []float64, n int, q float64) (at, value []float64) {
	for i := n; i <= len(x); i += n {
		at, value = append(at, float64(i)), append(value, quantile(x[i-n:i], q))
	}
	return at, value
}
