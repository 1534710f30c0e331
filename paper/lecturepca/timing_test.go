package lecturepca

import (
	"fmt"
	"math"
	"testing"
	"time"

	"overcomplete/internal/patience"
)

func TestMeasureCost(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	if e := powerExponent(x, []float64{3, 24, 192, 1536}); math.Abs(e-3) > 1e-12 {
		t.Errorf("exponent %v", e)
	}
	patience.Try(t, func() string { // on a busy machine a sleep takes longer
		c := measureCost([]int{2, 8, 32}, func(n int) func() {
			return func() { time.Sleep(time.Duration(n) * time.Millisecond) }
		})
		if c.exponent < 0.6 || c.exponent > 1.3 {
			return fmt.Sprintf("sleeping has exponent %v: %v", c.exponent, c.seconds)
		}
		return ""
	})
}
