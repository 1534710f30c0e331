package headless

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/kernel/notebook"
)

func TestSolutions(t *testing.T) {
	path := write(t, "#tag parameters\nsolutions := false", "print lecture", "#tag solution\nprint answer", "#tag exercise\nprint question")
	for _, c := range []struct {
		set    []Assignment
		record bool
		out    string // the written file
		own    string // the notebook itself
	}{
		{nil, false, "[1]\n[2] stdout:lecture\n[3] stdout:question", "[0]\n[0]\n[0]\n[0]"},
		{[]Assignment{{"solutions", "true"}}, false, "[1]\n[2]\n[3] stdout:lecture\n[4] stdout:answer\n[5] stdout:question", "[0]\n[0]\n[0]\n[0]"},
		{nil, true, "[1]\n[2] stdout:lecture\n[3] stdout:answer\n[4] stdout:question", "[1]\n[2] stdout:lecture\n[3] stdout:answer\n[4] stdout:question"},
	} {
		opt := options(nil)
		opt.Set, opt.Record = c.set, c.record
		opt.Out = filepath.Join(t.TempDir(), "out.ipynb")
		if _, err := Run(context.Background(), path, opt); err != nil {
			t.Fatal(err)
		}
		if got := shown(t, opt.Out); got != c.out {
			t.Errorf("%v, %v: written\n%s\nwant\n%s", c.set, c.record, got, c.out)
		}
		if got := shown(t, path); got != c.own {
			t.Errorf("%v, %v: the notebook is\n%s\nwant\n%s", c.set, c.record, got, c.own)
		}
	}
}

// A parrot is a Memory that knows the outputs of cells by their source.
type parrot struct {
	known map[string][]notebook.Output
	leave string
	kept  []string
	set   int
	ended int
}

func (p *parrot) End() { p.ended++ }

func (p *parrot) Begin(_ *notebook.Notebook, set []Assignment) error { p.set = len(set); return nil }

func (p *parrot) Recall(_ Kernel, c *notebook.Cell) RecalledCell {
	if c.Source == p.leave {
		return RecalledCell{Skip: true}
	}
	o, ok := p.known[c.Source]
	return RecalledCell{Skip: ok, Outputs: o, Took: Cost{Wall: 7 * time.Second, Processor: 9 * time.Second}}
}

func (p *parrot) Keep(_ Kernel, c *notebook.Cell, _ Cost) {
	p.kept = append(p.kept, c.Source)
	p.known[c.Source] = append([]notebook.Output{}, c.Outputs...)
}

func TestRecall(t *testing.T) {
	path := write(t, "#tag parameters\nn := 3", "print a", "result b", "#tag raises-exception\npanic c", "x")
	var f *fake
	p := &parrot{known: map[string][]notebook.Output{}}
	var first string
	for round := range 2 {
		opt := options(&f)
		opt.Memory, opt.Set = p, []Assignment{{"n", "5"}}
		res, err := Run(context.Background(), path, opt)
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			first = shown(t, res.Written)
			if want := []string{"n := 3", "n = 5", "print a", "result b", "x"}; !slices.Equal(p.kept, want) || p.set != 1 || res.Cells != 6 || res.Kept != 0 {
				t.Errorf("kept %q, %+v", p.kept, res)
			}
			// The old execution count must not be shown. The output gets the count of this run.
			p.known["result b"][0]["execution_count"] = 99
			delete(p.known, "n := 3") // so that the cell that sets the parameters runs again
			continue
		}
		if got := shown(t, res.Written); got != first {
			t.Errorf("from memory\n%s\nran\n%s", got, first)
		}
		if res.Cells != 2 || res.Kept != 4 || !slices.Equal(f.ran, []string{"n := 3", "panic c"}) {
			t.Errorf("%+v, ran %q", res, f.ran)
		}
	}
	p.leave = "result b"
	opt := options(&f)
	opt.Memory = p
	res, err := Run(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(t, res.Written); !strings.Contains(got, "[2] stdout:a\n[0]\n[3] Panic:c") {
		t.Errorf("left out:\n%s", got)
	}
	opt.Set = []Assignment{{"unknown", "5"}}
	if _, err := Run(context.Background(), path, opt); err == nil || p.ended != 4 {
		t.Errorf("%v; the memory was told of %d ends, want 4", err, p.ended)
	}
}

func TestCall(t *testing.T) {
	k, err := processes(t, "kernel").New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	p := k.(*Process)
	if got, err := p.Call("twice", "ab"); err != nil || got != "abab" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := p.Call("thrice", "ab"); err == nil || !strings.Contains(err.Error(), "thrice") {
		t.Errorf("%v", err)
	}
}
