package exercise

import (
	"fmt"

	"overcomplete/internal/alike"
)

// Judge describes what is wrong with the result for a case, or returns "" if the result is right. The
// description reveals nothing about the answer except its shape.
func (t *Task) Judge(seed uint64, got any) string {
	c := t.Draw(seed)
	want := t.Reference(c)
	if t.Agree != nil {
		if holdsNaN(got) {
			return notANumber
		}
		if !agrees(t, c, got, want) {
			return notRight
		}
		return ""
	}
	d := alike.Compare(got, want, t.Tolerance)
	switch {
	case d.Right:
		return ""
	case d.Reason != "":
		return d.Reason
	case holdsNaN(got):
		return notANumber
	}
	return notRight
}

const (
	notRight   = "the result is not right"
	notANumber = "there is a NaN in the result"
)

// holdsNaN reports whether a result contains a NaN. It compares the result with itself, because only NaN differs from
// itself.
func holdsNaN(got any) bool {
	d := alike.Compare(got, got, 1)
	return !d.Right && d.Reason == ""
}

// agrees returns what the task's Agree returns. Agree may panic if the result has an unexpected shape; agrees then
// returns false.
func agrees(t *Task, c Case, got, want any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return t.Agree(c, got, want)
}

// DescribeCase describes a case in words for a student.
func (t *Task) DescribeCase(number int, seed uint64) string {
	return fmt.Sprintf("case %d (%s, seed %d)", number, t.Draw(seed).Sizes, seed)
}
