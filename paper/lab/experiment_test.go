package lab

import (
	"strings"
	"testing"

	"overcomplete/paper/record"
)

func TestJudge(t *testing.T) {
	row := func(id string, x, repeat float64, data record.Data) record.Row {
		r := record.Row{ID: id, What: "a number", Measured: record.Number(x, ""), Rule: record.AtLeast(1), Repeat: repeat, Size: record.Smoke, Data: data, Seeds: []uint64{1}}
		r.Verdict, _ = r.Rule.Judge(r.Published, r.Measured)
		return r
	}
	made, timed := record.Generated("points"), record.Times(record.Data{})
	before := &record.Results{Rows: []record.Row{row("same", 2, 0, made), row("near", 2, 0.1, made), row("far", 2, 0.1, made), row("time", 2, 0.1, timed), row("fallen", 2, 5, made), row("other", 1, 0, made)}}
	got := judge([]record.Row{row("same", 2, 0, made), row("near", 2.05, 0.1, made), row("far", 2.5, 0.1, made), row("time", 9, 0.1, timed), row("fallen", 0.5, 5, made), row("new", 1, 0, made)}, before)
	want := []struct {
		id              string
		again, expected bool
		verdict, differ string
	}{
		{"same", true, false, "holds", ""}, {"near", true, false, "holds", ""}, {"far", false, false, "holds", "measured was 2, is 2.5"},
		{"time", false, true, "holds", "a time on this machine"}, {"fallen", false, false, "fails", "verdict"}, {"new", false, false, "holds", ""},
	}
	if len(got) != len(want) {
		t.Fatalf("%d claims: %v", len(got), got)
	}
	for i, w := range want {
		g := got[i]
		if g.ID != w.id || g.Again != w.again || g.Expected != w.expected || g.Verdict != w.verdict || !strings.Contains(g.Differs, w.differ) || (w.differ == "") != (g.Differs == "") {
			t.Errorf("%+v, not %+v", g, w)
		}
	}
	if got[1].Repeat != "0.1" || got[0].Repeat != "" {
		t.Errorf("may differ by %q, %q", got[1].Repeat, got[0].Repeat)
	}
	if got[5].Before != "" || got[0].Before != "2" {
		t.Errorf("before: %q, %q", got[5].Before, got[0].Before)
	}
	if alone := judge([]record.Row{row("same", 2, 0, made)}, nil); len(alone) != 1 || alone[0].Before != "" {
		t.Errorf("%v", alone)
	}
}

func TestMeasureUnknown(t *testing.T) {
	if _, err := Measure(Paper{Notebook: "toy"}, "none", record.Smoke, 1, nil); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("%v", err)
	}
}
