// Package option checks the options of a call. Its errors give an option's name and value:
//
//	err := option.Check("unrolled: Train", option.Count("Steps", o.Steps), option.Positive("Rate", o.Rate))
//	// unrolled: Train: Rate is NaN, must be positive and finite
//
// If 0 stands for an option's default, replace it by the default before the check, or use a check that accepts 0.
package option

import (
	"fmt"

	"overcomplete/internal/finite"
)

// Check returns the first error that is not nil, or nil if all errors are nil. It prefixes the error with the string
// where, which holds the names of the package and the function.
func Check(where string, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// Positive returns an error unless v is positive and finite.
func Positive(name string, v float64) error {
	if v > 0 && finite.Is(v) {
		return nil
	}
	return fmt.Errorf("%s is %v, must be positive and finite", name, v)
}

// NotNegative returns an error for NaN, Inf and numbers below 0.
func NotNegative(name string, v float64) error {
	if v >= 0 && finite.Is(v) {
		return nil
	}
	return fmt.Errorf("%s is %v, must be 0 or more, and finite", name, v)
}

// AtMost returns an error unless v <= most. NaN is an error too.
func AtMost(name string, v, most float64) error {
	if v <= most {
		return nil
	}
	return fmt.Errorf("%s is %v, must be at most %v", name, v, most)
}

// Between returns an error unless low < v < high.
func Between(name string, v, low, high float64) error {
	if v > low && v < high {
		return nil
	}
	return fmt.Errorf("%s is %v, must be between %v and %v", name, v, low, high)
}

// AtLeast returns an error if n < least.
func AtLeast(name string, n, least int) error {
	if n >= least {
		return nil
	}
	return fmt.Errorf("%s is %d, must be %d or more", name, n, least)
}

// Count returns an error if n < 0.
func Count(name string, n int) error {
	if n >= 0 {
		return nil
	}
	return fmt.Errorf("%s is %d, must not be negative", name, n)
}
