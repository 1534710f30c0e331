package builtin

import (
	"context"
	"go/token"
	"io"
	"testing"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
	"overcomplete/ui/display"
)

// A counting session records the cells that it is asked to parse and to run.
type counting struct {
	engine.Session
	parsed int
	ran    []engine.Cell
}

func (s *counting) Vars() []engine.Variable { return nil }

func (s *counting) Parse(cell engine.Cell) (*cellsyntax.Tree, error) {
	s.parsed++
	return cellsyntax.ParseText(token.NewFileSet(), cell.Name, cell.Read())
}

func (s *counting) Run(_ context.Context, cell engine.Cell) ([]engine.Value, error) {
	s.ran = append(s.ran, cell)
	return nil, nil
}

// TestParsedOnce: a cell is scanned when it arrives and parsed once, either by the session or before its
// first piece runs. In the second case a mistake in the last piece is found before the first piece has run.
func TestParsedOnce(t *testing.T) {
	for _, c := range []struct {
		source      string
		parsed, ran int
	}{
		{"x := 1", 0, 1},
		{"func f() int { return 1 }\nf()", 0, 1},
		{"func f() struct{} { return struct{}{} }", 0, 1},
		{"%params\nsize := 1", 1, 1},
		{"x := 1\n%who\ny := 2", 2, 2},
	} {
		s := &counting{}
		r := &Runner{Session: s, Stdout: io.Discard, Stderr: io.Discard, Show: func(d display.Data) {}}
		text := magic.Read(c.source)
		if _, err := r.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: c.source, Text: text}); err != nil {
			t.Errorf("%q: %v", c.source, err)
		}
		if s.parsed != c.parsed || len(s.ran) != c.ran {
			t.Errorf("%q: parsed %d times ahead, ran in %d pieces; want %d and %d", c.source, s.parsed, len(s.ran), c.parsed, c.ran)
		}
		for _, cell := range s.ran {
			if c.parsed == 0 && cell.Text != text {
				t.Errorf("%q: the session has to scan it again", c.source)
			}
			if c.parsed > 0 && cell.Tree == nil {
				t.Errorf("%q: the session has to parse %q again", c.source, cell.Source)
			}
		}
	}
}
