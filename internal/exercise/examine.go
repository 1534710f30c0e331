package exercise

import (
	"context"
	"fmt"
	"time"

	"overcomplete/internal/alike"
)

// A Mistake is a typical wrong answer to an exercise.
type Mistake struct {
	// Says names the mistake for the student, as a sentence that does not give the answer away.
	Says string
	// Result returns what a function with this mistake returns for a case. It must not modify the case.
	Result func(c Case) any
}

// An Examination is the outcome of trying a function on all of the notebook's cases.
type Examination struct {
	// Faults has a sentence for each case that was tried, "" if the result is right. It has fewer than Tries
	// elements if Examine stopped early because the function failed and took too long.
	Faults []string
	// NotStarted is set if the function does only what the empty function of the notebook does.
	NotStarted bool
	// Mistake says which mistake explains the results of all cases, or is "".
	Mistake string
}

// Examine tries a function, which must have the task's signature, on the notebook's cases. It returns an error
// only if ctx is done.
func (t *Task) Examine(ctx context.Context, start Start, f any) (Examination, error) {
	var e Examination
	var results []any
	began := time.Now()
	returned, failed := true, false
	for _, seed := range Seeds(t.Name, 0) {
		a, err := t.Try(ctx, start, f, seed)
		if err != nil {
			return e, err
		}
		if a.Fault != "" {
			returned = false
		} else {
			a.Fault = t.Judge(seed, a.Result)
		}
		e.Faults, results = append(e.Faults, a.Fault), append(results, a.Result)
		failed = failed || a.Fault != ""
		if failed && time.Since(began) > t.Time() {
			return e, nil // the other cases would only take as long
		}
	}
	if failed && returned {
		if e.NotStarted = t.NotStarted(Seeds(t.Name, 0), results); !e.NotStarted {
			e.Mistake = t.Diagnose(Seeds(t.Name, 0), results)
		}
	}
	return e, nil
}

// NotStarted reports whether all results are what the notebook's empty function returns (see Task.Empty). results[i]
// is the result for the case that seeds[i] selects.
func (t *Task) NotStarted(seeds []uint64, results []any) bool {
	for i, got := range results {
		if t.Empty == nil {
			if !alike.Blank(got) {
				return false
			}
		} else if !alike.Compare(got, t.Empty(t.Draw(seeds[i])), t.Tolerance).Right {
			return false
		}
	}
	return true
}

// Diagnose looks for a mistake that would give all of the results, including those that happen to be right. It returns
// the mistake's sentence for the student, or "" if no mistake explains all results. results[i] is the result for the
// case that seeds[i] selects. Mistakes whose results are equal, within the tolerance, to the given ones take
// precedence over mistakes whose results match only according to Task.Agree.
func (t *Task) Diagnose(seeds []uint64, results []any) string {
	equal := func(_ Case, got, wrong any) bool { return alike.Compare(got, wrong, t.Tolerance).Right }
	for _, m := range t.Mistakes {
		if t.explains(m, seeds, results, equal) {
			return m.Says
		}
	}
	if t.Agree == nil {
		return ""
	}
	agree := func(c Case, got, wrong any) bool { return agrees(t, c, got, wrong) }
	for _, m := range t.Mistakes {
		if t.explains(m, seeds, results, agree) {
			return m.Says
		}
	}
	return ""
}

func (t *Task) explains(m Mistake, seeds []uint64, results []any, same func(c Case, got, wrong any) bool) bool {
	for i, got := range results {
		if c := t.Draw(seeds[i]); !same(c, got, m.Result(c)) {
			return false
		}
	}
	return true
}

// Right returns how many cases are right.
func (e Examination) Right() (n int) {
	for _, fault := range e.Faults {
		if fault == "" {
			n++
		}
	}
	return n
}

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
