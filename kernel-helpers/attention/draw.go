package attention

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/kernel-helpers/figure"
	"overcomplete/ui/display"
)

// MapFigure draws weights α (n×m), white for 0 and black for 1: who looks is at the
// side, at whom below. tokens (m of them) are written at the columns, and at the
// rows if n = m; with nil, positions are.
//
//	attention.MapFigure("head 1", maps[0][0], strings.Fields("he hit me"))
func MapFigure(title string, Alpha *mat.Dense, tokens []string) *figure.Figure {
	n, m := dims("MapFigure", "Alpha", Alpha)
	if err := checkFinite("MapFigure", "Alpha", Alpha); err != nil {
		panic(err.Error())
	}
	f := figure.HeatmapIn(title, Alpha, 0, 1, figure.Greys)
	if tokens == nil {
		return f
	}
	if len(tokens) != m {
		panic(fmt.Sprintf("attention: MapFigure: %d tokens, Alpha is %d×%d", len(tokens), n, m))
	}
	var ticks plot.ConstantTicks
	for t, name := range tokens {
		ticks = append(ticks, plot.Tick{Value: float64(t), Label: name})
	}
	f.X.Tick.Marker = ticks
	if n == m {
		f.Y.Tick.Marker = ticks
	}
	return f
}

// Figure draws the weights; see MapFigure.
func (o *Output) Figure(tokens []string) *figure.Figure {
	return MapFigure("Attention weights", o.Alpha, tokens).By("kernel-helpers/attention.Output.Figure")
}

// Render is how a notebook shows the output: the weights as a picture.
func (o *Output) Render() display.Data {
	d := o.Figure(nil).Render()
	d.Data[display.MIMETypeText] = o.String()
	return d
}

// String says which shapes the matrices have.
func (o *Output) String() string {
	return fmt.Sprintf("attention: A is %s, Alpha is %s", shape(o.A), shape(o.Alpha))
}

// Figure draws the weights of each head; see MapFigure.
func (o *MultiOutput) Figure(tokens []string) *figure.Grid {
	var panels []*figure.Figure
	for i, alpha := range o.Alpha {
		panels = append(panels, MapFigure(fmt.Sprintf("head %d", i+1), alpha, tokens))
	}
	return figure.NewGrid("Attention weights", 4, panels...).By("kernel-helpers/attention.MultiOutput.Figure")
}

// Render is how a notebook shows the output: the weights as pictures.
func (o *MultiOutput) Render() display.Data {
	d := o.Figure(nil).Render()
	d.Data[display.MIMETypeText] = o.String()
	return d
}

// String says which shapes the matrices have.
func (o *MultiOutput) String() string {
	return fmt.Sprintf("attention: Y is %s, A is %s, weights of %d heads", shape(o.Y), shape(o.A), len(o.Alpha))
}

// shape is for texts, where a missing matrix is no mistake.
func shape(X *mat.Dense) string {
	if X == nil {
		return "missing"
	}
	r, c := X.Dims()
	return fmt.Sprintf("%d×%d", r, c)
}
