// Package lab provides the common part of the papers' laboratories. A paper's Lab embeds the Lab of this package and
// has one method for each experiment. The method adds its rows to the run and saves its figures, so that a cell of the
// notebook consists of one call and shows the result.
//
// The function Experiments of a paper's package declares these methods and their names for make and 'overcomplete run
// --only' (see Paper).
//
// The methods panic if an experiment cannot be run, and a cell shows the panic as its error. Therefore Row and Check
// also panic where a library function would return an error.
//
// The methods take no context, so that a call in a cell stays short. They still end within a second when the cell is
// interrupted. For this they pass Context to long-running functions, and Check panics with the error that these
// functions return. An experiment's own loops call Heed.
//
// A Lab keeps no partial results. It stores a value for its other methods only when the value is complete. So an
// experiment that is repeated after an interrupt returns the same result as without the interrupt.
package lab

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/gemm"
	"overcomplete/paper/record"
	"overcomplete/ui/cell"
)

// A Lab is one run of a paper's experiments.
type Lab struct {
	*record.Run
	// About names the data that the paper's claims are about. The field Instead names the data that is measured if the
	// data that About names is missing (see Claim). If About and Instead are empty, they mean "real data" and
	// "generated data".
	About, Instead string

	ctx context.Context // see SetContext
}

// Open begins a run of a paper's experiments at a size (smoke, lecture, medium or full) with a
// seed. It makes the whole program use package gemm for matrix products.
func Open(paper, size string, seed uint64) (Lab, error) {
	gemm.Use()
	run, err := record.Start(paper, size, seed)
	return Lab{Run: run}, err
}

// SetContext makes the experiments end when ctx is done. It is for programs and tests. If ctx is nil, which is
// the default, the experiments use the context of the cell that calls them. An experiment that ends early
// panics with an error that wraps ctx.Err().
func (l *Lab) SetContext(ctx context.Context) { l.ctx = ctx }

// Context returns the context that SetContext has set. If none is set, Context returns the context of the cell that the
// caller works for. This cell need not be the cell that made the Lab. Outside a notebook it returns
// context.Background().
func (l *Lab) Context() context.Context {
	if l.ctx != nil {
		return l.ctx
	}
	return cell.Context()
}

// Recording returns the run to which the lab's experiments add rows and figures.
func (l *Lab) Recording() *record.Run { return l.Run }

// Heed panics if the context that Context returns is done. It is for loops whose body calls no function that takes a
// context. A call costs well under a microsecond.
func (l *Lab) Heed() { Heed(l.Context()) }

// Heed panics if ctx is done, with an error that says so. It is for functions that receive a Lab's Context.
func Heed(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		panic(fmt.Errorf("stopped before its end: %w", err))
	}
}

// Row adds a row to the run. It panics if the row is invalid, or if the experiment has to end (see Heed).
func (l Lab) Row(row record.Row) {
	l.Heed()
	Check(l.Add(row))
}

// Claim is like Row, for a claim that a paper makes about its own data. If row.Data is generated and row has a
// published value, the claim is not examined: the verdict is NO DATA, and the row's reason says so and gives the value
// that was measured instead.
func (l Lab) Claim(row record.Row) {
	if row.Data.Generated && !row.Published.IsZero() {
		why := "the claim is about " + cmp.Or(l.About, "real data")
		if !row.Measured.IsZero() {
			why += "; on " + cmp.Or(l.Instead, "generated data") + ": " + row.Measured.String()
		}
		row.Rule = record.NoData(why)
		row.Measured, row.Reason = record.Value{}, ""
	}
	l.Row(row)
}

// A Source names the text from which a paper's claims are quoted. In it, %s stands for the place in the text: "the
// slide '%s'".
type Source string

// Place returns the source with the place inserted.
func (s Source) Place(place string) string { return strings.Replace(string(s), "%s", place, 1) }

// Quote returns a sentence of the source, with its place.
func (s Source) Quote(text, place string) record.Value { return record.Text(text, s.Place(place)) }

// Number returns a number of the source, with its place.
func (s Source) Number(x float64, unit, place string) record.Value {
	return record.Published(x, unit, s.Place(place))
}

// Save writes a figure or a grid of figures under the name by which rows refer to it. It appends the name of
// the calling experiment to the caption.
func (l Lab) Save(name, caption string, f interface{ Save(path string) error }) {
	l.Heed()
	by, maker := record.Maker(), ""
	// The axes of the record's figures end at the data, as they did when the figures were recorded.
	const noMargin = -1
	switch f := f.(type) {
	case *figure.Figure:
		f.Margin = noMargin
		if by != "" {
			f.By(by)
		}
		maker = f.Note(caption).Maker
	case *figure.Grid:
		for _, row := range f.Figures {
			for _, panel := range row {
				if panel != nil {
					panel.Margin = noMargin
				}
			}
		}
		if by != "" {
			f.By(by)
		}
		maker = f.Note(caption).Maker
	default: // a struct that embeds a figure would be drawn without its caption
		panic(fmt.Sprintf("lab: Save: %T is neither a *figure.Figure nor a *figure.Grid", f))
	}
	if maker != "" {
		caption += " Made by " + maker + "."
	}
	Check(f.Save(l.Figure(name, caption)))
}

// Check panics with err unless it is nil.
func Check(err error) {
	if err != nil {
		panic(err)
	}
}
