package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// testForecast returns a forecast with a clock that only the test advances.
func testForecast(jobs int, books ...*book) (f *forecast, wait func(seconds float64)) {
	now := time.Unix(1e9, 0)
	f = &forecast{now: func() time.Time { return now }, jobs: jobs, books: books}
	return f, func(s float64) { now = now.Add(time.Duration(s * float64(time.Second))) }
}

func TestForecast(t *testing.T) {
	near := func(f *forecast, want float64) {
		t.Helper()
		if got, known := f.remaining(); !known || math.Abs(got-want) > 1e-6 {
			t.Errorf("%v s left (known: %v), want %v", got, known, want)
		}
	}
	f, wait := testForecast(1, &book{path: "a", whole: 30, cells: map[string]float64{"x": 10, "y": 20}}, &book{path: "b", whole: 60})
	near(f, 90)
	f.start("a")
	f.begin("a", "x")
	wait(4)
	near(f, 86)
	wait(100) // the cell takes longer than expected: its progress is at most the expectation
	near(f, 80)
	wait(-94)
	f.end("a")
	near(f, 80)
	f.begin("a", "y")
	wait(50) // 60 s instead of 30 s; with the prior, 70 s instead of 40 s
	f.begin("a", "none of those")
	near(f, 1.75*60)
	f.finish("a")
	if got := f.String(); got != "1 of 2 notebooks, about 2 min left" {
		t.Errorf("%q", got)
	}
	f.start("b") // only the time of the whole notebook is known
	wait(36)
	near(f, 69)
	if got := f.String(); got != "1 of 2 notebooks, about 70 s left" {
		t.Errorf("%q", got)
	}
	wait(1000)
	near(f, 0)
	f.finish("b")
	if got := f.String(); got != "2 of 2 notebooks" {
		t.Errorf("%q", got)
	}

	f, _ = testForecast(2, &book{path: "a", whole: 30}, &book{path: "b", whole: 50})
	near(f, 40)
	f, _ = testForecast(5, &book{path: "a", whole: 30}) // a single notebook takes as long with any number of jobs
	near(f, 30)
	f, _ = testForecast(1, &book{path: "a", whole: 30}, &book{path: "b", whole: math.NaN()})
	if _, known := f.remaining(); known || strings.Contains(f.String(), "left") {
		t.Errorf("something is known: %s", f)
	}
	f.start("none of them") // unknown notebooks are not an error
}
