package kernel

import (
	"context"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
)

// TestFrameFaults: gota keeps errors inside frames and series, and panics with a nil pointer later.
func TestFrameFaults(t *testing.T) {
	k := open(t)
	defer k.Close()
	do := func(src string) (string, error) {
		out := &transcript{}
		err := k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: src}, out)
		text := out.String()
		if e, ok := err.(*engine.Error); ok {
			text += strings.Join(e.Traceback(), "\n")
		}
		return text, err
	}
	if text, err := do(`import ("strings"; "github.com/go-gota/gota/dataframe"; "gonum.org/v1/gonum/mat"; "overcomplete/kernel-helpers/figure"; "overcomplete/kernel-helpers/frame"; "overcomplete/kernel-helpers/pca")
M := mat.NewDense(2, 2, nil)
df := dataframe.ReadCSV(strings.NewReader("no2,site\n1,a\n2,b\n"))
bad := dataframe.ReadCSV(strings.NewReader(""))
column := bad.Col("x")
mean := func(name string) float64 { return df.Col(name).Mean() }`); err != nil {
		t.Fatal(text)
	}
	for src, want := range map[string]string{
		`df.Col("nox").Mean()`:                         `hint: df has no column nox: did you mean no2?`,
		`df.Col("depth").Mean()`:                       `hint: df has no column depth: it has no2, site`,
		`column.Mean()`:                                `hint: column.Err is set, and says: load records: empty DataFrame`,
		`bad.Col("x").Mean()`:                          `hint: bad.Err is set, and says: load records: empty DataFrame`,
		`dataframe.ReadCSV("air.csv")`:                 `frame.ReadCSV(path, nil) reads a file into a data frame`,
		`by := frame.By(df, "site").Agg(frame.Mean())`: `write a, err := frame.By(df, "site").Agg(...)`,
		`frame.Describe(df).Nrow(1)`:                   `write a, err := frame.Describe(...)`,
		`df.groupby("site")`:                           `hint: in Go: frame.By(df, keys...).Agg(`,
		`df.DropNA()`:                                  `hint: in Go: frame.DropMissing(df, columns...)`,
		`df.head(3)`:                                   `a cell that ends with df shows its rows`,
		`pca.Fit(nil, df, nil)`:                        `hint: frame.Matrix(df, names...) makes a matrix of columns`,
		`M.Shape`:                                      `r, c := M.Dims()`,
	} {
		if text, _ := do(src); !strings.Contains(text, want) {
			t.Errorf("%s\n%s\nwant %s", src, text, want)
		}
	}
	// A figure that cannot be drawn fails its cell, and says so once.
	const fault = "the horizontal axis is logarithmic and the data begin at 0"
	for _, src := range []string{
		`figure.Series("objective", []float64{3, 2, 1}).LogX()`,
		`display.Display(figure.Series("objective", []float64{3, 2, 1}).LogX())`,
		"import \"overcomplete/ui/widget\"\nwidget.Interact(func(k int) any { return figure.Series(\"objective\", []float64{3, 2, 1}).LogX() }, widget.IntSlider(\"k\", 1, 3, 1))",
	} {
		if text, err := do(src); err == nil || strings.Count(text, fault) != 1 {
			t.Errorf("%s: %v\n%s", src, err, text)
		}
	}
}
