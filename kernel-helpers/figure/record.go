package figure

import (
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/kernel-helpers/internal/given"
)

// A Column is one column of a layer's data: Numbers, or Text if the column has no numbers.
type Column struct {
	Name    string
	Numbers []float64
	Text    []string
}

// A Tabler is a plotter that supplies its data for CSV. Its method Table returns the kind of the layer, and columns of
// equal length. Plotters of this package and of gonum need no Table, and neither do plotters that implement gonum's
// XYer or Valuer.
type Tabler interface {
	plot.Plotter
	Table() (kind string, columns []Column)
}

// A record holds a layer's data as given by the caller. Later changes to scales, ranges and styles do not
// affect the record.
type record struct {
	kind, name string
	table      func() []Column
	plotter    plot.Plotter // set by Add; read when CSV is called
	gaps       [][4]float64 // between the layer's images; not used if plotter is a tiler
}

// Add adds the given plotters, as plot.Plot.Add does, and records them for CSV.
func (f *Figure) Add(plotters ...plot.Plotter) {
	f.Plot.Add(plotters...)
	f.layers = append(f.layers, plotters...)
	for _, p := range plotters {
		if !isDecoration(p) {
			f.records = append(f.records, record{plotter: p})
		}
	}
}

func (f *Figure) record(kind, name string, columns []Column) *Figure {
	return f.recordLater(kind, name, func() []Column { return columns })
}

// recordLater records a layer whose table is long. The function table builds this table, and is called only when the
// table is needed.
func (f *Figure) recordLater(kind, name string, table func() []Column) *Figure {
	f.records = append(f.records, record{kind: kind, name: name, table: table})
	return f
}

// allRecords returns the records of a figure and of its right axis. The values of the right axis are in separate
// columns, such as "y right".
func (f *Figure) allRecords() []record {
	if f.right == nil {
		return f.records
	}
	all := slices.Clone(f.records)
	for _, r := range f.right.records {
		if table := r.table; table != nil {
			r.table = func() []Column {
				columns := slices.Clone(table())
				for i, c := range columns {
					if c.Name == "y" || c.Name == "lo" || c.Name == "hi" || c.Name == "value" {
						columns[i].Name = c.Name + " right"
					}
				}
				return columns
			}
		}
		all = append(all, r)
	}
	return all
}

// numbers returns a column with its own copy of v.
func numbers(name string, v []float64) Column { return Column{Name: name, Numbers: slices.Clone(v)} }

func xy(x, y []float64) []Column { return []Column{numbers("x", x), numbers("y", y)} }

// upTo returns 0, 1, ..., n−1.
func upTo(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
	}
	return v
}

// cellColumns returns a function that builds the table of a matrix, row by row.
func cellColumns(M *mat.Dense) func() []Column {
	return func() []Column {
		r, c := M.Dims()
		row, column, value := make([]float64, 0, r*c), make([]float64, 0, r*c), make([]float64, 0, r*c)
		for i := range r {
			for j := range c {
				row, column, value = append(row, float64(i)), append(column, float64(j)), append(value, M.At(i, j))
			}
		}
		return []Column{{Name: "row", Numbers: row}, {Name: "column", Numbers: column}, {Name: "value", Numbers: value}}
	}
}

// tileColumns returns a function that builds the table of the pictures in the rows of X (n×(h·w)). Each
// picture has h rows and w columns.
func tileColumns(X *mat.Dense, h, w int) func() []Column {
	return func() []Column { return TileColumns(X, h, w, nil) }
}

// TileColumns returns a table with one row for each pixel of the pictures, which are the rows of X (n×(h·w)). Its
// columns are named tile, row, column and value; if there are labels, there is also a column named label. Pictures
// without a label get an empty label.
func TileColumns(X mat.Matrix, h, w int, labels []string) []Column {
	given.Args("figure: TileColumns", "X", X)
	n, p := X.Dims()
	if h <= 0 || w <= 0 || p != h*w {
		panic("figure: TileColumns: the rows are not pictures of h × w pixels")
	}
	cols := []Column{{Name: "tile"}, {Name: "row"}, {Name: "column"}, {Name: "value"}}
	for k := range cols {
		cols[k].Numbers = make([]float64, 0, n*p)
	}
	var text []string
	for k := range n {
		for i := range h {
			for j := range w {
				for c, v := range [...]float64{float64(k), float64(i), float64(j), X.At(k, i*w+j)} {
					cols[c].Numbers = append(cols[c].Numbers, v)
				}
				if len(labels) > 0 {
					label := ""
					if k < len(labels) {
						label = labels[k]
					}
					text = append(text, label)
				}
			}
		}
	}
	if text != nil {
		cols = append(cols, Column{Name: "label", Text: text})
	}
	return cols
}
