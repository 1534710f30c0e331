package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/internal/powers"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/signs"
)

// Palette holds the colors of successive layers. They are those of M. Okabe and K. Ito, "Color Universal Design", 2008,
// except that black is moved to the end, gray is added, and yellow is removed.
var Palette = []color.Color{
	color.NRGBA{0x00, 0x72, 0xB2, 0xFF}, // blue
	color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	color.NRGBA{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}, // orange
	color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	color.NRGBA{0x22, 0x22, 0x22, 0xFF}, // black
	color.NRGBA{0x8C, 0x8C, 0x8C, 0xFF}, // gray
}

// Indices into Palette, for Figure.Use.
const (
	Blue = iota
	Vermilion
	Green
	Purple
	Orange
	Sky
	Black
	Gray
)

// Color returns color i of the palette, modulo the number of colors.
func Color(i int) color.Color {
	n := len(Palette)
	return Palette[((i%n)+n)%n]
}

// fade returns c with the given opacity.
func fade(c color.Color, alpha float64) color.NRGBA {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = uint8(math.Round(255 * alpha))
	return n
}

var (
	ink   = color.NRGBA{0x26, 0x26, 0x26, 0xFF}
	faint = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF} // grid lines
	blank = color.NRGBA{0xCC, 0xCC, 0xCC, 0xFF} // cells without a value
	axis  = color.NRGBA{0x70, 0x70, 0x70, 0xFF}
	quiet = color.NRGBA{0x5F, 0x5F, 0x5F, 0xFF} // captions
)

func sans(size float64, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

func style(size float64, bold bool, c color.Color) text.Style {
	return text.Style{Color: c, Font: sans(size, bold), XAlign: draw.XLeft, YAlign: draw.YTop, Handler: signs.Handler}
}

// Theme sets the project's fonts, axes and ticks on a plot. An axis whose scale is not linear keeps its ticks.
func Theme(p *plot.Plot) {
	given.Args("figure: Theme", "p", p)
	p.BackgroundColor = color.White
	p.Title.TextStyle.Font = sans(12, true)
	p.Title.TextStyle.Color = ink
	p.Title.TextStyle.Handler = signs.Handler
	p.TextHandler = signs.Handler
	p.Title.Padding = vg.Points(6)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(10.5, false)
		a.Label.TextStyle.Color = ink
		a.Label.TextStyle.Handler = signs.Handler
		a.Label.Padding = vg.Points(3)
		a.LineStyle.Color = axis
		a.LineStyle.Width = vg.Points(0.7)
		a.Padding = vg.Points(3)
		a.Tick.Label.Font = sans(9, false)
		a.Tick.Label.Color = ink
		a.Tick.Label.Handler = signs.Handler
		a.Tick.LineStyle.Color = axis
		a.Tick.LineStyle.Width = vg.Points(0.7)
		a.Tick.Length = vg.Points(4)
		if _, linear := a.Scale.(plot.LinearScale); linear {
			a.Tick.Marker = Ticks{}
		}
	}
	p.Legend.TextStyle.Font = sans(9.5, false)
	p.Legend.TextStyle.Color = ink
	p.Legend.TextStyle.Handler = signs.Handler
}

// Ticks places at most eight ticks, at multiples of 1, 2 or 5 times a power of ten. All labels have the same number of
// decimals. If the steps are very small or very large, the labels are powers such as 2×10⁷ instead.
type Ticks struct{}

// Ticks implements plot.Ticker.
func (Ticks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	exp := math.Floor(math.Log10((hi - lo) / 4))
	step, decimals := 0.0, 0
	for k, m := range []float64{1, 2, 5, 10} {
		step = m * math.Pow(10, exp)
		decimals = int(math.Max(0, -exp))
		if k == 3 {
			decimals = int(math.Max(0, -exp-1))
		}
		if (hi-lo)/step <= 7 {
			break
		}
	}
	var ts []plot.Tick
	top := math.Max(math.Abs(lo), math.Abs(hi))
	if top/step > 1e15 || hi-lo < 1e-300 { // rounding leaves no numbers between the two
		for _, v := range []float64{lo, hi} {
			ts = append(ts, plot.Tick{Value: v, Label: strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "-", "−", 1)})
		}
		return ts
	}
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*step; i++ {
		v := i * step
		if i == 0 {
			v = 0
		}
		label := strconv.FormatFloat(v, 'f', decimals, 64)
		if math.Abs(exp) > 5 {
			label = power(strconv.FormatFloat(v, 'g', max(3, 1+int(math.Ceil(math.Log10(top/step)))), 64))
		}
		ts = append(ts, plot.Tick{Value: v, Label: strings.Replace(label, "-", "−", 1)})
	}
	return ts
}

// LogTicks places ticks at powers of ten, with short ticks between them. If the range is less than two decades, it
// also labels 2 and 5 times each power of ten. If that gives fewer than three labels, it labels 1, 2, 3, 4, 6 and 8
// times each power of ten, or all ticks if that is still too few. If there are fewer than three ticks, it places the
// ticks of [Ticks] instead. Labels are plain numbers if all are at least 0.001 and below 100000, and powers such as
// 10⁻⁴ and 2×10⁵ otherwise.
type LogTicks struct{}

// Ticks implements plot.Ticker.
func (LogTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(lo > 0) || !(hi > lo) {
		return nil
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := math.Max(1, math.Ceil((last-first)/7))
	short := math.Log10(hi/lo) < 2
	var ts []plot.Tick
	var factors, exponents, labeled []int // labeled holds indices of ts
	for e := first; e <= last; e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			if (m == 1 && math.Mod(e, every) == 0) || (short && (m == 2 || m == 5)) {
				labeled = append(labeled, len(ts))
			} else if every > 1 && m > 1 {
				continue
			}
			ts, factors, exponents = append(ts, plot.Tick{Value: v}), append(factors, int(m)), append(exponents, int(e))
		}
	}
	if short && len(labeled) < 3 {
		if len(ts) < 3 {
			return Ticks{}.Ticks(lo, hi)
		}
		var all []int
		labeled = nil
		for i, m := range factors {
			all = append(all, i)
			if m != 5 && m != 7 && m != 9 {
				labeled = append(labeled, i)
			}
		}
		if len(labeled) < 3 {
			labeled = all
		}
	}
	plain := !slices.ContainsFunc(labeled, func(i int) bool { return exponents[i] < -3 || exponents[i] > 4 })
	for _, i := range labeled {
		if plain {
			ts[i].Label = strconv.FormatFloat(ts[i].Value, 'f', max(0, -exponents[i]), 64)
		} else {
			ts[i].Label = power(fmt.Sprintf("%de%+d", factors[i], exponents[i]))
		}
	}
	return ts
}

// power returns a number in scientific notation as a power of ten, without spaces: 2e+05 becomes 2×10⁵.
func power(number string) string { return strings.ReplaceAll(powers.In(number), "\u00a0", "") }

// A ColorMap maps a value between 0 and 1 to a color.
type ColorMap func(t float64) color.Color

// Sequential runs from dark violet through green to yellow, with evenly rising lightness (after viridis, S.
// van der Walt and N. Smith, 2015). NaN is transparent, as in Diverging and Grays.
func Sequential(t float64) color.Color {
	return ramp(t, 0x440154, 0x482475, 0x414487, 0x355F8D, 0x2A788E, 0x21918C, 0x22A884, 0x44BF70, 0x7AD151, 0xBDDF26, 0xFDE725)
}

// Diverging runs from blue through white at ½ to vermilion.
func Diverging(t float64) color.Color {
	return ramp(t, 0x08306B, 0x0B61A4, 0x4A98C9, 0xA6CEE4, 0xFFFFFF, 0xF6C29C, 0xE68A4A, 0xC4500A, 0x7A2B04)
}

// Grays runs from white to a gray that is nearly black.
func Grays(t float64) color.Color { return ramp(t, 0xFFFFFF, 0x111111) }

func ramp(t float64, stops ...uint32) color.Color {
	if math.IsNaN(t) { // transparent
		return color.NRGBA{}
	}
	t = math.Min(1, math.Max(0, t)) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	f := t - float64(i)
	mix := func(shift uint) uint8 {
		a, b := float64(stops[i]>>shift&0xFF), float64(stops[i+1]>>shift&0xFF)
		return uint8(math.Round(a + f*(b-a)))
	}
	return color.NRGBA{mix(16), mix(8), mix(0), 0xFF}
}
