// Package option says what is wrong with an option, by its name and value:
//
//	err := option.Check("unrolled: Train", option.Count("Steps", o.Steps), option.Positive("Rate", o.Rate))
//	// unrolled: Train: Rate is NaN, must be positive and finite
//
// A check runs after defaults have taken the place of 0, or accepts 0.
package option

import (
	"fmt"

	"overcomplete/internal/finite"
)

// Check returns the first of the errors, with the package and function in front, or nil.
func Check(where string, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// Positive refuses numbers that are not positive and finite.
func Positive(name string, v float64) error {
	if v > 0 && finite.Is(v) {
		return nil
	}
	return fmt.Errorf("%s is %v, must be positive and finite", name, v)
}

// NotNegative refuses NaN, Inf and numbers below 0.
func NotNegative(name string, v float64) error {
	if v >= 0 && finite.Is(v) {
		return nil
	}
	return fmt.Errorf("%s is %v, must be 0 or more, and finite", name, v)
}

// AtMost refuses NaN and numbers above most.
func AtMost(name string, v, most float64) error {
	if v <= most {
		return nil
	}
	return fmt.Errorf("%s is %v, must be at most %v", name, v, most)
}

// Between refuses NaN and numbers that are not above low and below high.
func Between(name string, v, low, high float64) error {
	if v > low && v < high {
		return nil
	}
	return fmt.Errorf("%s is %v, must be between %v and %v", name, v, low, high)
}

// AtLeast refuses numbers below least.
func AtLeast(name string, n, least int) error {
	if n >= least {
		return nil
	}
	return fmt.Errorf("%s is %d, must be %d or more", name, n, least)
}

// Count refuses numbers below 0.
func Count(name string, n int) error {
	if n >= 0 {
		return nil
	}
	return fmt.Errorf("%s is %d, must not be negative", name, n)
}
