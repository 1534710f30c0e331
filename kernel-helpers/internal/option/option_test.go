package option

import (
	"math"
	"testing"
)

func TestCheck(t *testing.T) {
	if err := Check("p: F", Positive("A", 1), NotNegative("B", 0), AtMost("C", 1, 1), Between("E", 0.5, 0, 1), AtLeast("F", 2, 2), Count("D", 0)); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"p: F: A is NaN, must be positive and finite":   Check("p: F", nil, Positive("A", math.NaN()), Positive("Z", 0)),
		"p: F: A is 0, must be positive and finite":     Check("p: F", Positive("A", 0)),
		"p: F: A is +Inf, must be positive and finite":  Check("p: F", Positive("A", math.Inf(1))),
		"p: F: B is -1, must be 0 or more, and finite":  Check("p: F", NotNegative("B", -1)),
		"p: F: B is NaN, must be 0 or more, and finite": Check("p: F", NotNegative("B", math.NaN())),
		"p: F: C is 2, must be at most 1":               Check("p: F", AtMost("C", 2, 1)),
		"p: F: C is NaN, must be at most 1":             Check("p: F", AtMost("C", math.NaN(), 1)),
		"p: F: E is 1, must be between 0 and 1":         Check("p: F", Between("E", 1, 0, 1)),
		"p: F: E is NaN, must be between 0 and 1":       Check("p: F", Between("E", math.NaN(), 0, 1)),
		"p: F: F is 1, must be 2 or more":               Check("p: F", AtLeast("F", 1, 2)),
		"p: F: D is -3, must not be negative":           Check("p: F", Count("D", -3)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
