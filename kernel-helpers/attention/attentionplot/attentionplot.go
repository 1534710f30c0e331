// Package attentionplot draws the weights of package attention.
//
//	out, err := attention.SelfAttention(H, attention.NewHead(8, 8, 8, 1), nil)
//	attentionplot.Weights(out, strings.Fields("he hit me with a pie"))
//
// In a program that links this package, such as the kernel, a cell's last value is drawn if it is an attention.Output
// (by Weights) or an attention.MultiOutput (by Heads). These figures have no token labels.
package attentionplot

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/attention"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/ui/display"
)

func init() {
	display.Register((*attention.Output)(nil), func(v any) display.Data {
		o := v.(*attention.Output)
		return withText(Weights(o, nil), o)
	})
	display.Register((*attention.MultiOutput)(nil), func(v any) display.Data {
		o := v.(*attention.MultiOutput)
		return withText(Heads(o, nil), o)
	})
}

// withText renders the figure f, and adds o's String as the plain-text alternative.
func withText(f display.Renderer, o fmt.Stringer) display.Data {
	d := f.Render()
	d.Data[display.MIMETypeText] = o.String()
	return d
}

// Map draws the weights Alpha (n×m): white is 0 and black is 1, rows are query positions and columns are key positions.
// The m tokens are the labels of the columns, and also of the rows if n = m. If tokens is nil, rows and columns are
// labeled by position.
//
//	attentionplot.Map("head 1", out.Alpha, tokens) // out is an *attention.Output
func Map(title string, Alpha *mat.Dense, tokens []string) *figure.Figure {
	if _, err := finite.Dense("Alpha", Alpha); err != nil {
		panic("attentionplot: Map: " + err.Error())
	}
	n, m := Alpha.Dims()
	f := figure.HeatmapIn(title, Alpha, 0, 1, figure.Grays)
	if tokens == nil {
		return f
	}
	if len(tokens) != m {
		panic(fmt.Sprintf("attentionplot: Map: %d tokens, Alpha is %d×%d", len(tokens), n, m))
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

// Weights draws the weights of one head; see Map.
func Weights(o *attention.Output, tokens []string) *figure.Figure {
	given.Args("attentionplot: Weights", "o", o)
	return Map("Attention weights", o.Alpha, tokens).By("kernel-helpers/attention/attentionplot.Weights")
}

// Heads draws the weights of each head; see Map.
func Heads(o *attention.MultiOutput, tokens []string) *figure.Grid {
	given.Args("attentionplot: Heads", "o", o)
	var panels []*figure.Figure
	for i, alpha := range o.Alpha {
		panels = append(panels, Map(fmt.Sprintf("head %d", i+1), alpha, tokens))
	}
	return figure.NewGrid("Attention weights", 4, panels...).By("kernel-helpers/attention/attentionplot.Heads")
}
