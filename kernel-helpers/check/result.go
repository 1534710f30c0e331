package check

import (
	"fmt"
	"math"

	"overcomplete/internal/alike"
)

// A Result says whether two values are close. A cell shows it as a green or a red line.
type Result struct {
	// Right reports whether the values are close.
	Right bool
	// Difference is the largest difference of two numbers, relative to the largest number in want; it is NaN
	// if either value contains a NaN, and 0 if the shapes differ.
	Difference float64
	// Where is the position of the largest difference, such as "[2][3]"; Got and Want are the values there.
	Where, Got, Want string
	// Shape says how the shapes differ; it is "" if they are equal.
	Shape string
}

// Close compares got with want. Both may be numbers, slices, slices of slices, matrices or vectors of package mat, or
// structs of these types; all numbers may be complex. Two numbers are close if they differ by at most tolerance
// (default 1e-9) times the largest number in want. NaN is never close.
func Close(got, want any, tolerance ...float64) Result {
	within := alike.Tolerance
	switch {
	case len(tolerance) > 1:
		panic(fmt.Sprintf("check: Close: one tolerance, not %d", len(tolerance)))
	case len(tolerance) == 1 && !(tolerance[0] > 0):
		panic(fmt.Sprintf("check: Close: the tolerance must be more than 0, not %v", tolerance[0]))
	case len(tolerance) == 1:
		within = tolerance[0]
	}
	d := alike.Compare(got, want, within)
	return Result{Right: d.Right, Difference: d.Largest, Where: d.Where, Got: d.Got, Want: d.Want, Shape: d.Reason}
}

// text returns what the line for r says, without the mark ✓ or ✗.
func (r Result) text() string {
	at := ""
	if r.Where != "" {
		at = " at " + r.Where
	}
	switch {
	case r.Shape != "":
		return r.Shape
	case r.Right && r.Difference == 0:
		return "right: no difference"
	case r.Right:
		return fmt.Sprintf("right: the largest difference is %.1e of the largest number%s", r.Difference, at)
	case math.IsNaN(r.Difference):
		return fmt.Sprintf("a NaN%s: got %s, want %s", at, r.Got, r.Want)
	}
	return fmt.Sprintf("not close%s: got %s, want %s", at, r.Got, r.Want)
}
