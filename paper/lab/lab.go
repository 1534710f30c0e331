// Package lab is what the laboratories of the papers have in common. A paper's
// Lab embeds this one and has one method for each experiment, which adds its rows
// to the run and saves its figures, so that a cell of the notebook is one call
// whose value is shown.
//
// The function Experiments of a paper's package declares these methods, each with the name by
// which make and 'overcomplete run --only' know it (see Paper).
//
// Such methods panic where an experiment cannot be run: a cell shows that as its
// error. Hence Row and Check, which panic where a function of a library would
// return an error.
//
// They take no context, so that a cell has nothing to write but their name, and end
// within a second all the same when the cell is interrupted. What takes long is given
// Context, and panics with its error by Check; a loop of the experiment's own calls Heed.
// Nothing that was begun counts: what a Lab keeps for its other methods is set when
// it is complete, and the same method called again gives what it would have given.
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
	// About says what the paper's claims are about, Instead on what is measured where that
	// is missing: see Claim. Empty, they are "real data" and "generated data".
	About, Instead string

	ctx context.Context // see SetContext
}

// Open begins a run of a paper's experiments at a size (smoke, lecture, medium or
// full) with a seed. It lets matrix products of the whole program be done by package
// gemm.
func Open(paper, size string, seed uint64) (Lab, error) {
	gemm.Use()
	run, err := record.Start(paper, size, seed)
	return Lab{Run: run}, err
}

// SetContext has the experiments end when ctx does, for programs and tests; nil, the
// default, stands for the cell that calls the experiment. What an experiment panics with when
// it ends early is an error for which errors.Is(err, ctx.Err()) holds.
func (l *Lab) SetContext(ctx context.Context) { l.ctx = ctx }

// Context is what SetContext has set, else the context of the cell that the caller works
// for: of the one that runs now, not of the one that has made the Lab. Outside a
// notebook that is context.Background().
func (l *Lab) Context() context.Context {
	if l.ctx != nil {
		return l.ctx
	}
	return cell.Context()
}

// Heed panics if Context has ended. It is for loops whose body takes no context, and takes
// well under a microsecond.
func (l *Lab) Heed() { Heed(l.Context()) }

// Heed panics if ctx has ended, with an error that says so: for functions that are given
// a Lab's Context.
func Heed(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		panic(fmt.Errorf("stopped before its end: %w", err))
	}
}

// Row adds a row to the run, unless the experiment has to end.
func (l Lab) Row(row record.Row) {
	l.Heed()
	Check(l.Add(row))
}

// Claim is Row for what a paper says of its data. On generated data the claim is not
// examined: whatever was measured stands in the reason why.
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

// A Source is where a paper's claims are quoted from; %s stands for the place in it:
// "the slide '%s'".
type Source string

// Place is the source with the place named.
func (s Source) Place(place string) string { return strings.Replace(string(s), "%s", place, 1) }

// Quote is a sentence of the source and where it stands.
func (s Source) Quote(text, place string) record.Value { return record.Text(text, s.Place(place)) }

// Number is a number of the source and where it stands.
func (s Source) Number(x float64, unit, place string) record.Value {
	return record.Published(x, unit, s.Place(place))
}

// Save writes a figure or a grid of figures under the name by which rows refer
// to it, with a caption that ends with its maker: the experiment that calls.
func (l Lab) Save(name, caption string, f interface{ Save(path string) error }) {
	l.Heed()
	by, maker := record.Maker(), ""
	switch f := f.(type) {
	case *figure.Figure:
		if by != "" {
			f.By(by)
		}
		maker = f.Note(caption).Maker
	case *figure.Grid:
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
