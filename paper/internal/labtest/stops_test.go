package labtest

import (
	"math"
	"reflect"
	"testing"
)

type sample struct {
	X       []float64
	By      map[string]*float64
	Any     any
	Seconds float64
	next    *sample
}

// Values are the same if all numbers have the same bits, except times.
func TestBits(t *testing.T) {
	of := func(change func(*sample)) string {
		y := 2.0
		s := &sample{X: []float64{math.NaN(), 0, 1}, By: map[string]*float64{"a": &y, "b": nil}, Any: sample{X: []float64{3}}}
		s.next = s
		change(s)
		return bits([]reflect.Value{reflect.ValueOf(s)})
	}
	want := of(func(*sample) {})
	for name, c := range map[string]struct {
		change func(*sample)
		same   bool
	}{
		"nothing":       {func(*sample) {}, true},
		"a time":        {func(s *sample) { s.Seconds = 1 }, true},
		"a sign of 0":   {func(s *sample) { s.X[1] = math.Copysign(0, -1) }, false},
		"the last bit":  {func(s *sample) { s.X[2] = math.Nextafter(1, 2) }, false},
		"fewer numbers": {func(s *sample) { s.X = s.X[:2] }, false},
		"behind a map":  {func(s *sample) { *s.By["a"] = 3 }, false},
		"another key":   {func(s *sample) { delete(s.By, "b"); s.By["c"] = nil }, false},
		"an interface":  {func(s *sample) { s.Any = sample{X: []float64{4}} }, false},
		"another type":  {func(s *sample) { s.Any = []float64{3} }, false},
	} {
		if got := of(c.change); (got == want) != c.same {
			t.Errorf("%s changed: the same is %v", name, got == want)
		}
	}
}
