package lab

import (
	"strings"
	"testing"

	"overcomplete/internal/panics"
	"overcomplete/paper/record"
)

func TestOrder(t *testing.T) {
	real, made := record.Real("photographs"), record.Generated("invented ones")
	accuracy := Order{Names: []string{"A", "B", "C"}, Places: []string{"10 labels", "100 labels"}, Unit: "%"}
	for _, c := range []struct {
		name   string
		values [][]float64
		less   bool
		data   record.Data
		want   []string // parts of the note; none if the note is empty
		not    string
	}{
		{"as quoted, real", [][]float64{{30, 20, 10}, {3, 2, 1}}, false, real, nil, ""},
		{"as quoted, generated", [][]float64{{30, 20, 10}, {3, 2, 1}}, false, made, []string{"The order is that of the text (A, B, C), though the data are generated."}, "otherwise"},
		{"turned round", [][]float64{{27.8, 29.4, 31.7}, {3, 2, 1}}, false, made,
			[]string{"The text has the order A, B, C, which is that of real data; on these generated data it came out otherwise. 10 labels: C 31.7 %, B 29.4 %, A 27.8 %."}, "100 labels"},
		{"turned round, real", [][]float64{{30, 20, 10}, {2, 3, 1}}, false, real, []string{"The text has the order A, B, C; in this run it came out otherwise. 100 labels: B 3 %, A 2 %, C 1 %."}, "10 labels:"},
		{"errors", [][]float64{{1, 2, 3}, {10, 20, 30}}, true, real, nil, ""},
		{"errors, turned round", [][]float64{{1, 3, 2}, {30, 20, 10}}, true, made, []string{"10 labels: A 1 %, C 2 %, B 3 %; 100 labels: C 10 %, B 20 %, A 30 %."}, ""},
		{"a tie is no order", [][]float64{{2, 2, 1}, {3, 2, 1}}, false, real, []string{"10 labels: A 2 %, B 2 %, C 1 %."}, ""},
		{"errors, a tie", [][]float64{{1, 1, 2}, {1, 2, 3}}, true, real, []string{"10 labels: A 1 %, B 1 %, C 2 %."}, ""},
	} {
		o := accuracy
		o.Values, o.Less, o.Data = c.values, c.less, c.data
		note := o.Note()
		if (note == "") != (len(c.want) == 0) || c.not != "" && strings.Contains(note, c.not) {
			t.Errorf("%s: %q", c.name, note)
		}
		for _, w := range c.want {
			if !strings.Contains(note, w) {
				t.Errorf("%s: %q, want %q in it", c.name, note, w)
			}
		}
		if o.Holds() != (note == "" || strings.Contains(note, "is that of the text")) {
			t.Errorf("%s: Holds is %v, and the note %q", c.name, o.Holds(), note)
		}
	}
	for name, o := range map[string]Order{
		"no places": {Names: []string{"A"}, Values: [][]float64{{1}}},
		"too few":   {Names: []string{"A", "B"}, Values: [][]float64{{1}}, Places: []string{""}},
	} {
		if s, _ := panics.Value(func() { o.Holds() }).(string); !strings.HasPrefix(s, "lab: Order: ") {
			t.Errorf("%s: %q", name, s)
		}
	}
}
