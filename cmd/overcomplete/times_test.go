package main

import (
	"strings"
	"testing"

	"overcomplete/suite"
)

func TestListTimes(t *testing.T) {
	all := []*suite.Times{
		{Paper: "a", Cells: []suite.CellCost{{Cell: "1", Processor: 1, Seconds: 1}, {Cell: "2", Target: "a-table1", Processor: 2, Seconds: 1.5}, {Cell: "3", Processor: 3, Seconds: 3}}},
		{Paper: "b", Cells: []suite.CellCost{{Cell: "1", Target: "b-table1", Processor: 5, Seconds: 4}, {Cell: "2", Target: "b-table1", Processor: 9, Seconds: 7, Earlier: true}}},
	}
	var b strings.Builder
	listTimes(&b, all, "lecture", nil)
	var first []string
	for line := range strings.Lines(b.String()) {
		first = append(first, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"processor time share by the clock (lecture size)",
		"14.0 s 70.0 % 11.0 s b-table1 notebooks/b.ipynb *",
		"4.0 s 20.0 % 4.0 s a, other cells notebooks/a.ipynb",
		"2.0 s 10.0 % 1.5 s a-table1 notebooks/a.ipynb",
		"20.0 s in all, of 2 notebooks",
		"* measured in an earlier run; the notebook's last run kept the result",
	}
	if strings.Join(first, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	listTimes(&b, all, "lecture", []string{"A-Table"})
	if s := b.String(); !strings.Contains(s, "a-table1") || strings.Contains(s, "b-table1") || !strings.Contains(s, "20.0 s in all") {
		t.Errorf("%s", s)
	}
	b.Reset()
	listTimes(&b, nil, "full", nil)
	if !strings.Contains(b.String(), "overcomplete all --size full") {
		t.Errorf("%s", b.String())
	}
}

func TestListBudget(t *testing.T) {
	var b strings.Builder
	if listBudget(&b, []suite.Spending{{Paper: "a", Multiple: 140, Budget: 100}, {Paper: "b", Unknown: "it was not run"}}, "smoke") || strings.Contains(b.String(), "TOO MUCH") {
		t.Errorf("%s", b.String())
	}
	if !strings.Contains(b.String(), "1.40 times") || !strings.Contains(b.String(), "not judged: it was not run") {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	if !listBudget(&b, []suite.Spending{{Paper: "a", Multiple: 160, Budget: 100}}, "smoke") || !strings.Contains(b.String(), "1.60 times: TOO MUCH") {
		t.Errorf("%s", b.String())
	}
}
