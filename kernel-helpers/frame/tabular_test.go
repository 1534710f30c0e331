package frame_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/kernel-helpers/frame"
)

func TestTabular(t *testing.T) {
	df := dataframe.New(
		series.New([]string{"a_b", "R&D", "x < y"}, series.String, "50 %"),
		series.New([]float64{-0.123456, math.NaN(), 123456.7}, series.Float, "mean"),
		series.New([]float64{1.5e-7, 2, -3e20}, series.Float, "p"),
		series.New([]int{-1, 2, 30}, series.Int, "n"),
	)
	got, err := frame.Tabular(df, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := `\begin{tabular}{lrrr}
\toprule
50 \% & mean & p & n \\
\midrule
a\_b & $-$0.1235 & $1.5\cdot 10^{-7}$ & $-$1 \\
R\&D & -- & 2 & 2 \\
x $<$ y & 123457 & $-3\cdot 10^{20}$ & 30 \\
\bottomrule
\end{tabular}
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	type row struct {
		Method string
		Mean   float64
	}
	if got, err := frame.Tabular(dataframe.LoadStructs([]row{{"lasso", 0.654321}}), 2); err != nil || !strings.Contains(got, `lasso & 0.65 \\`) {
		t.Errorf("structs: %v\n%s", err, got)
	}
	if _, err := frame.Tabular(df.Select("none"), 0); err == nil {
		t.Error("an error inside the frame is not returned")
	}
	if _, err := frame.Tabular(df, -1); err == nil {
		t.Error("a negative number of digits is taken")
	}
}
