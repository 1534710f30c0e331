package suite

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/data"
	"overcomplete/kernel"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A player is a kernel that simulates the cells of a small project. Each experiment adds a row; the experiment called
// endless runs until it is interrupted.
type player struct {
	calls   map[string]func(string) (string, error)
	run     *record.Run
	ran     *[]string
	endless string
	reached func()
}

func (p *player) Execute(ctx context.Context, cell engine.Cell, out kernel.Output) error {
	switch cell.Source {
	case "lab.Table1()", "lab.Table2()":
		*p.ran = append(*p.ran, cell.Source)
		if cell.Source == p.endless {
			p.reached()
			<-ctx.Done()
			return &engine.Error{Kind: engine.Interrupted, Message: "interrupted"}
		}
		if err := p.run.Add(record.Row{ID: strings.ToLower(cell.Source[4:10]), What: "x", Measured: record.Number(1, ""), Rule: record.AtLeast(0), Data: record.Generated("x")}); err != nil {
			return err
		}
		out.Stream("stdout", "shows "+cell.Source)
	}
	return nil
}

func (p *player) Call(name, in string) (string, error)           { return p.calls[name](in) }
func (p *player) Vars() []headless.Variable                      { return nil }
func (p *player) Set(_, _ string) (v headless.Variable, _ error) { return v, nil }
func (p *player) Terminal() *os.File                             { return os.Stdout }
func (p *player) Close() error                                   { return nil }

// After Ctrl-C in the middle of a notebook, the results of finished experiments are kept, and the next run
// begins with the interrupted experiment.
func TestStopped(t *testing.T) {
	t.Setenv(data.Variable, "")
	root, cache := project(t), t.TempDir()
	path := filepath.Join(root, "notebooks", "toy.ipynb")
	nb := book(paramCell, openCell, "lab.Table1()", "lab.Table2()")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := nb.Write(path); err != nil {
		t.Fatal(err)
	}
	calls := Calls()
	once := func(endless string) (ran []string, written string, err error) {
		run, err := record.StartIn(root, "toy", record.Lecture, 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s := openToy(root, cache)
		res, err := headless.Run(ctx, path, headless.Options{
			New: func(string) (headless.Kernel, error) {
				return &player{calls: calls, run: run, ran: &ran, endless: endless, reached: cancel}, nil
			},
			Memory: s.Memory(path, Options{}, nil), Progress: io.Discard,
		})
		return ran, res.Written, err
	}
	ran, written, err := once("lab.Table2()")
	if !errors.Is(err, context.Canceled) || written != "" || !slices.Equal(ran, []string{"lab.Table1()", "lab.Table2()"}) {
		t.Fatalf("%q ran, %q written, %v", ran, written, err)
	}
	e, err := openToy(root, cache).Expect(path, nil, Options{})
	if err != nil || e.Run != 1 || e.Kept != 1 || e.Known {
		t.Errorf("after it was stopped: %+v, %v", e, err)
	}
	ran, written, err = once("")
	if err != nil || !slices.Equal(ran, []string{"lab.Table2()"}) {
		t.Fatalf("%q ran again, %v", ran, err)
	}
	done, err := notebook.Read(written)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range done.Cells[2:] {
		if len(c.Outputs) != 1 || c.Outputs[0].Text() != "shows "+c.Source {
			t.Errorf("%s: %v", c.Source, c.Outputs)
		}
	}
	e, err = openToy(root, cache).Expect(path, nil, Options{})
	if err != nil || e.Run != 0 || e.Kept != 2 || !e.Known {
		t.Errorf("after all was done: %+v, %v", e, err)
	}
}
