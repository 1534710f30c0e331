package gallery

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/figure"
	"overcomplete/kernel-helpers/internal/given"
	"overcomplete/kernel-helpers/internal/mosaic"
	"overcomplete/kernel-helpers/internal/signs"
)

// Grays selects which values are drawn black and which white.
type Grays int

const (
	// Common uses the smallest and the largest value of all pictures.
	Common Grays = iota
	// PerTile uses the smallest and the largest value of each picture.
	PerTile
	// PerTileSigned scales each picture by its largest absolute value; 0 is middle gray.
	PerTileSigned
	// Range uses Options.Lo and Options.Hi; values outside are clipped.
	Range
)

// Options configures Figure and Image. nil and the zero value mean a common range and ten columns.
type Options struct {
	Title   string
	Columns int // 0 means 10
	Grays   Grays
	// Greys is the old name of Grays. It is used if Grays is 0.
	//
	// Deprecated: use Grays.
	Greys  Grays
	Lo, Hi float64 // used if Grays is Range
	// Labels are drawn below the tiles. There may be fewer labels than tiles, or no labels.
	Labels []string
}

// Tiles draws the rows of X (n×(h·w)) as pictures of h rows and w columns, with one gray range for all pictures.
// columns is the number of pictures side by side; 0 means 10.
func Tiles(title string, X mat.Matrix, h, w, columns int) *figure.Figure {
	given.Args("gallery: Tiles", "X", X)
	return Figure(X, h, w, &Options{Title: title, Columns: columns})
}

// Signed draws the rows of X (n×(h·w)) as pictures of h rows and w columns. Each picture is scaled by its own largest
// absolute value, and 0 is middle gray. columns is the number of pictures side by side; 0 means 10.
func Signed(title string, X mat.Matrix, h, w, columns int) *figure.Figure {
	given.Args("gallery: Signed", "X", X)
	return Figure(X, h, w, &Options{Title: title, Columns: columns, Grays: PerTileSigned})
}

// Figure draws the rows of X (n×(h·w)) as pictures of h rows and w columns. opt may be nil.
func Figure(X mat.Matrix, h, w int, opt *Options) *figure.Figure {
	given.Args("gallery: Figure", "X", X)
	o := opt.complete()
	n, columns := shape("Figure", X, h, w, o.Columns)
	img := picture("Figure", X, h, w, o)
	rows := (n + columns - 1) / columns
	b := img.Bounds()
	// Each pixel becomes a block of zoom device pixels, so that the figure is
	// about six inches wide.
	zoom := max(1, min(12, 6*figure.DPI/b.Dx()))
	const perPoint = figure.DPI / 72.0
	strip := 0.0 // height of a row of labels, in pixels of the pictures
	if len(o.Labels) > 0 {
		strip = 12 * perPoint / float64(zoom)
	}
	f := figure.New(o.Title, "", "")
	f.HideAxes()
	f.X.Padding, f.Y.Padding = 0, 0
	f.Equal = true
	f.Add(&tiles{img: enlarge(img, zoom), w: float64(b.Dx()), h: float64(b.Dy()),
		tileW: float64(w + 1), tileH: float64(h + 1), rows: rows, columns: columns, strip: strip, labels: o.Labels,
		X: mat.DenseCopyOf(X), height: h, width: w})
	const margins = 2 * 6 / 72.0 // margins of a figure, in inches
	f.Width = float64(b.Dx()*zoom)/figure.DPI + margins
	f.Height = (float64(b.Dy())+float64(rows)*strip)*float64(zoom)/figure.DPI + margins
	if o.Title != "" {
		f.Height += 20 / 72.0
	}
	f.Width = math.Max(f.Width, 2)
	return f
}

// Image returns the pictures without a figure around them, one pixel per value, with white lines between and around
// the pictures. With r rows and c columns of pictures, the image is r·(h+1) + 1 pixels high and c·(w+1) + 1 pixels
// wide. Labels and Title are not drawn. opt may be nil.
func Image(X mat.Matrix, h, w int, opt *Options) *image.Gray {
	given.Args("gallery: Image", "X", X)
	return picture("Image", X, h, w, opt.complete())
}

// complete returns the options, with the old field Greys merged into Grays.
func (o *Options) complete() Options {
	if o == nil {
		return Options{}
	}
	full := *o
	if full.Grays == 0 {
		full.Grays = full.Greys
	}
	return full
}

func picture(what string, X mat.Matrix, h, w int, opt Options) *image.Gray {
	n, columns := shape(what, X, h, w, opt.Columns)
	if opt.Grays < Common || opt.Grays > Range {
		panic(fmt.Sprintf("gallery: %s: unknown Grays %d", what, opt.Grays))
	}
	if opt.Grays == Range && !(opt.Lo < opt.Hi && !math.IsInf(opt.Hi-opt.Lo, 0)) {
		panic(fmt.Sprintf("gallery: %s: %v..%v is not a range", what, opt.Lo, opt.Hi))
	}
	if len(opt.Labels) > n {
		panic(fmt.Sprintf("gallery: %s: %d labels for %d pictures", what, len(opt.Labels), n))
	}
	lo, hi := make([]float64, n), make([]float64, n)
	all0, all1 := math.Inf(1), math.Inf(-1)
	for k := range n {
		lo[k], hi[k] = math.Inf(1), math.Inf(-1)
		for p := range h * w {
			v := X.At(k, p)
			if !finite.Is(v) {
				panic(fmt.Sprintf("gallery: %s: pixel %d of picture %d is %v", what, p, k, v))
			}
			lo[k], hi[k] = math.Min(lo[k], v), math.Max(hi[k], v)
		}
		all0, all1 = math.Min(all0, lo[k]), math.Max(all1, hi[k])
	}
	columns = min(columns, n)
	rows := (n + columns - 1) / columns
	img := image.NewGray(image.Rect(0, 0, columns*(w+1)+1, rows*(h+1)+1))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for k := range n {
		a, b := lo[k], hi[k]
		switch opt.Grays {
		case Common:
			a, b = all0, all1
		case PerTileSigned:
			b = math.Max(-a, b)
			a = -b
		case Range:
			a, b = opt.Lo, opt.Hi
		}
		x0, y0 := (k%columns)*(w+1)+1, (k/columns)*(h+1)+1
		for y := range h {
			for x := range w {
				t := 0.5 // the gray of a picture without contrast
				if b > a {
					t = math.Min(1, math.Max(0, (X.At(k, y*w+x)-a)/(b-a)))
				}
				img.SetGray(x0+x, y0+y, color.Gray{Y: uint8(math.Round(255 * t))})
			}
		}
	}
	return img
}

func shape(what string, X mat.Matrix, h, w, columns int) (n, cols int) {
	n, p := X.Dims()
	if columns == 0 {
		columns = 10
	}
	if h <= 0 || w <= 0 || columns < 0 || n == 0 || p != h*w {
		panic(fmt.Sprintf("gallery: %s: %d rows of %d values are not pictures of %d×%d pixels in %d columns", what, n, p, h, w, columns))
	}
	return n, min(columns, n)
}

// enlarge replaces each pixel by a square of k×k pixels, so that viewers do not smooth the picture.
func enlarge(img *image.Gray, k int) *image.Gray {
	b := img.Bounds()
	out := image.NewGray(image.Rect(0, 0, b.Dx()*k, b.Dy()*k))
	for y := range b.Dy() * k {
		for x := range b.Dx() {
			v := img.Pix[(y/k)*img.Stride+x]
			row := out.Pix[y*out.Stride+x*k:]
			for i := range k {
				row[i] = v
			}
		}
	}
	return out
}

// tiles is a plotter that draws rows of pictures, with room for a strip of labels below each row. Its coordinates are
// pixels of the pictures, with y upwards.
type tiles struct {
	img           *image.Gray
	w, h          float64 // size of img before enlarging
	tileW, tileH  float64
	rows, columns int
	strip         float64
	labels        []string
	X             *mat.Dense // n×(height·width): the values, for the figure's CSV
	height, width int
}

// Table implements figure.Tabler.
func (t *tiles) Table() (kind string, columns []figure.Column) {
	return "tiles", figure.TileColumns(t.X, t.height, t.width, t.labels)
}

// DataRange implements plot.DataRanger.
func (t *tiles) DataRange() (xmin, xmax, ymin, ymax float64) {
	return 0, t.w, 0, t.h + float64(t.rows)*t.strip
}

// Plot implements plot.Plotter.
func (t *tiles) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	_, _, _, top := t.DataRange()
	zoom := t.img.Bounds().Dx() / int(t.w)
	for r := range t.rows {
		// Each row of tiles is cut out together with the white line above it. The last row also includes the
		// line below it.
		from, to := float64(r)*t.tileH, float64(r+1)*t.tileH
		if r == t.rows-1 {
			to = t.h
		}
		y := top - from - float64(r)*t.strip
		rect := vg.Rectangle{Min: vg.Point{X: tx(0), Y: ty(y - (to - from))}, Max: vg.Point{X: tx(t.w), Y: ty(y)}}
		part := t.img.SubImage(image.Rect(0, int(from)*zoom, t.img.Bounds().Dx(), int(to)*zoom))
		c.DrawImage(rect, flat(part))
		for col := range t.columns {
			if k := r*t.columns + col; k < len(t.labels) && t.labels[k] != "" {
				sty := text.Style{Color: color.Black, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: 8},
					XAlign: draw.XCenter, YAlign: draw.YTop, Handler: signs.Handler}
				c.FillText(sty, vg.Point{X: tx((float64(col) + 0.5) * t.tileW), Y: ty(y-(to-from)) - 1}, t.labels[k])
			}
		}
	}
}

// Gaps returns the gaps between the tiles, in the same coordinates as the tiles. Package figure records them in the
// metadata.
func (t *tiles) Gaps() [][4]float64 {
	n, _ := t.X.Dims()
	return mosaic.Gaps(n, t.columns, t.height, t.width, t.strip)
}

// flat returns a copy of img with its origin at (0, 0), as some canvases require.
func flat(img image.Image) image.Image {
	b := img.Bounds()
	out := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.SetGray(x, y, img.At(b.Min.X+x, b.Min.Y+y).(color.Gray))
		}
	}
	return out
}
