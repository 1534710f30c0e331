// Package alike compares results of computations: numbers, nested slices, matrices, vectors, and structs of
// these, real or complex. Two numbers agree if they differ by no more than a given fraction of the largest
// number in the expected result. NaN never agrees.
//
//	reading.go   values of any type as lists of numbers
//	compare.go   the largest difference between two such values
package alike

import (
	"fmt"
	"math"
	"math/cmplx"
	"reflect"
)

// Tolerance is the default for the largest difference between two numbers, as a fraction of the largest
// expected number.
const Tolerance = 1e-9

// A Difference describes how a result differs from the expected result.
type Difference struct {
	// Largest is the largest difference between two numbers, as a fraction of the largest expected number (of
	// 1 if all are 0). It is NaN if a number is NaN, and 0 if Reason is set.
	Largest float64
	// Where is the location of the largest difference: [2][3] or .Mean[0]; "" for a single number.
	Where string
	// Got and Want are the two values at Where.
	Got, Want string
	// Reason says why the results cannot be compared number by number: their shapes differ, or one result
	// cannot be read. Otherwise it is "".
	Reason string
	// Right is set if the results agree.
	Right bool
}

// Compare compares a result with the expected result. A tolerance of 0 stands for the constant Tolerance.
func Compare(got, want any, tolerance float64) Difference {
	if tolerance == 0 {
		tolerance = Tolerance
	}
	g, err := read(reflect.ValueOf(got), 0)
	if err != nil {
		return Difference{Reason: "the result: " + err.Error()}
	}
	w, err := read(reflect.ValueOf(want), 0)
	if err != nil {
		return Difference{Reason: "what is wanted: " + err.Error()}
	}
	c := comparison{scale: w.size()}
	if c.scale == 0 {
		c.scale = 1
	}
	c.compare(g, w, "")
	d := c.worst
	d.Right = d.Reason == "" && d.Largest <= tolerance // false for NaN
	return d
}

// size returns the largest finite magnitude in a reading.
func (r reading) size() float64 {
	largest := 0.0
	look := func(z complex128) {
		if a := cmplx.Abs(z); a > largest && !math.IsInf(a, 0) {
			largest = a
		}
	}
	if r.kind == number {
		look(r.at)
	}
	for _, z := range r.all {
		look(z)
	}
	for _, p := range r.parts {
		largest = max(largest, p.size())
	}
	return largest
}

// A comparison traverses two readings in parallel.
type comparison struct {
	scale float64
	worst Difference
}

// compare compares two readings. path is their location. compare returns false if the comparison can end, because no
// later difference can be larger.
func (c *comparison) compare(got, want reading, path string) bool {
	if got.kind == list && want.kind == numbers && len(want.all) == 0 || got.kind == numbers && len(got.all) == 0 && want.kind == list {
		return c.noteUnlike(got, want, path)
	}
	if got.kind != want.kind || len(got.all) != len(want.all) || len(got.parts) != len(want.parts) {
		return c.noteUnlike(got, want, path)
	}
	switch want.kind {
	case number:
		return c.numbers(got.at, want.at, path)
	case numbers:
		for i := range want.all {
			if !c.numbers(got.all[i], want.all[i], fmt.Sprintf("%s[%d]", path, i)) {
				return false
			}
		}
	case text:
		if got.is != want.is {
			c.worst = Difference{Largest: math.Inf(1), Where: path, Got: got.is, Want: want.is}
			return false
		}
	case fields:
		if got.is != want.is {
			return c.noteUnlike(got, want, path)
		}
		for i, name := range want.names {
			if !c.compare(got.parts[i], want.parts[i], path+"."+name) {
				return false
			}
		}
	case list:
		if got.shape() != want.shape() {
			return c.noteUnlike(got, want, path)
		}
		for i := range want.parts {
			if !c.compare(got.parts[i], want.parts[i], fmt.Sprintf("%s[%d]", path, i)) {
				return false
			}
		}
	}
	return true
}

// noteUnlike records that the two readings have different shapes. It always returns false, which ends the
// comparison.
func (c *comparison) noteUnlike(got, want reading, where string) bool {
	at := ""
	if where != "" {
		at = " at " + where
	}
	c.worst = Difference{Where: where, Got: got.shape(), Want: want.shape(),
		Reason: fmt.Sprintf("the shape is wrong%s: it is %s, wanted is %s", at, got.shape(), want.shape())}
	return false
}

// numbers compares two numbers and records their difference if it is the largest so far. It returns false for a NaN,
// because no difference can be larger.
func (c *comparison) numbers(got, want complex128, where string) bool {
	d := 0.0
	if got != want { // the difference of equal infinities would be NaN
		d = cmplx.Abs(got-want) / c.scale
		if math.IsInf(real(got), 0) || math.IsInf(imag(got), 0) || math.IsInf(real(want), 0) || math.IsInf(imag(want), 0) {
			d = math.Inf(1)
		}
	}
	if cmplx.IsNaN(got) || cmplx.IsNaN(want) {
		d = math.NaN()
	}
	if d > c.worst.Largest || math.IsNaN(d) {
		c.worst = Difference{Largest: d, Where: where, Got: show(got), Want: show(want)}
	}
	return !math.IsNaN(d)
}

// show formats a number. It omits the imaginary part if that is 0.
func show(z complex128) string {
	if imag(z) == 0 {
		return fmt.Sprintf("%.10g", real(z))
	}
	return fmt.Sprintf("%.10g", z)
}
