package widget

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/positions"
	"overcomplete/ui/cell"
	"overcomplete/ui/display"
)

// limits bound the cost of computing positions in one call to Interact. If they do not allow all positions,
// fewer positions are computed, evenly spaced.
type limits struct {
	most  int           // number of positions
	bytes int           // size in the file
	time  time.Duration // total time
}

// savedLimits returns the limits for saved positions. The number of positions is 0 unless an environment variable
// (positions.Variable) sets it, so front ends normally compute no positions.
func savedLimits() limits {
	n, err := strconv.Atoi(os.Getenv(positions.Variable))
	if err != nil {
		n = 0
	}
	return limits{most: min(n, positions.Most), bytes: 1_000_000, time: 2 * time.Second}
}

// An axis is a control with n positions, 0 to n-1.
type axis struct {
	control  Control
	n        int
	choice   bool // its values have no order
	standing int  // the current position
	put      func(j int)
	name     func(j int) string
	// near returns the position nearest to the control's current value.
	near func() int
}

// axesOf returns the axes of those controls that pass their values to a function.
func axesOf(controls []Control) (axes []axis) {
	for _, c := range controls {
		if value(c) == nil {
			continue
		}
		a := axis{control: c}
		switch c := c.(type) {
		case *IntControl:
			a = line(float64(c.min), float64(c.max), float64(c.model.get("step").(int)), func() float64 { return float64(c.Value()) },
				func(v float64) { c.model.put("value", int(v)) })
		case *FloatControl:
			a = line(c.min, c.max, c.model.get("step").(float64), c.Value, func(v float64) { c.model.put("value", v) })
		case *ChoiceControl:
			a = axis{n: len(c.options), choice: true, near: c.Index,
				put:  func(j int) { c.model.put("index", j) },
				name: func(j int) string { return c.options[j] }}
		case *BoolControl:
			a = axis{n: 2, choice: true,
				near: func() int {
					if c.Value() {
						return 1
					}
					return 0
				},
				put:  func(j int) { c.model.put("value", j == 1) },
				name: func(j int) string { return strconv.FormatBool(j == 1) }}
		case *TextControl:
			a = axis{n: 1, near: func() int { return 0 }, put: func(int) {}, name: func(int) string { return c.Value() }}
		}
		a.control, a.standing = c, a.near()
		axes = append(axes, a)
	}
	return axes
}

// line returns the axis of a slider. The slider's current value replaces the position nearest to
// it.
func line(low, high, step float64, read func() float64, write func(float64)) axis {
	n := 1 + int(math.Min((high-low)/step+1e-9, 1e9))
	at := func(v float64) int { return min(max(int(math.Round((v-low)/step)), 0), n-1) }
	now := read()
	standing := at(now)
	of := func(j int) float64 {
		if j == standing {
			return now
		}
		// min + j·step would have spurious digits: 0.30000000000000004.
		v, err := strconv.ParseFloat(strconv.FormatFloat(low+float64(j)*step, 'g', 12, 64), 64)
		if err != nil {
			return low
		}
		return math.Min(math.Max(v, low), high)
	}
	return axis{n: n, near: func() int { return at(read()) }, put: func(j int) { write(of(j)) },
		name: func(j int) string {
			if v := of(j); v != math.Trunc(v) || math.Abs(v) >= 1e15 {
				return strconv.FormatFloat(v, 'g', 6, 64)
			} else {
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
		}}
}

// level returns some positions of the axis, in increasing order. Level 0 has only the current position. Level l+1 also
// has the positions that divide the axis into 2^l equal parts; if the values have no order, it has all positions. Each
// level contains the previous one. The result all reports whether the list has all positions of the axis.
func (a axis) level(l int) (list []int, all bool) {
	if l == 0 {
		return []int{a.standing}, a.n == 1
	}
	if l > 30 || 1<<(l-1) >= a.n-1 || a.choice {
		list = make([]int, a.n)
		for j := range list {
			list[j] = j
		}
		return list, true
	}
	parts := 1 << (l - 1)
	for k := range parts + 1 {
		list = append(list, k*(a.n-1)/parts)
	}
	if i, found := slices.BinarySearch(list, a.standing); !found {
		list = slices.Insert(list, i, a.standing)
	}
	return list, false
}

// A grid lists positions for each axis, and represents all their combinations.
type grid [][]int

func (g grid) size() int {
	n := 1
	for _, list := range g {
		n *= len(list)
	}
	return n
}

// forEach calls f with each combination, the last axis varying fastest, until f returns false. It then returns
// false, too.
func (g grid) forEach(f func(at []int) bool) bool {
	at := make([]int, len(g))
	for i := range g.size() {
		for c := len(g) - 1; c >= 0; c-- {
			at[c] = g[c][i%len(g[c])]
			i /= len(g[c])
		}
		if !f(at) {
			return false
		}
	}
	return true
}

// grids returns a list of ever finer grids. The first has only the current positions, and each grid contains the
// previous one. The argument most is the maximum number of combinations in a grid. Apart from the current positions,
// each grid is evenly spaced, so the computation may stop after any grid. The result whole reports whether the last
// grid has all combinations.
func grids(axes []axis, most int) (list []grid, whole bool) {
	levels, done := make([]int, len(axes)), make([]bool, len(axes))
	now := make(grid, len(axes))
	whole = true
	for c, a := range axes {
		now[c], done[c] = a.level(0)
	}
	list = append(list, slices.Clone(now))
	for {
		next := -1 // the axis with the fewest positions
		for c := range axes {
			if !done[c] && (next < 0 || len(now[c]) < len(now[next])) {
				next = c
			}
		}
		if next < 0 {
			return list, whole
		}
		finer, all := axes[next].level(levels[next] + 1)
		if now.size()/len(now[next])*len(finer) > most {
			done[next], whole = true, false
			continue
		}
		levels[next]++
		now[next], done[next] = finer, all
		list = append(list, slices.Clone(now))
	}
}

// positionResults holds the results of Interact's function for positions of its controls.
type positionResults struct {
	axes   []axis
	grid   grid // the computed positions
	data   positions.Data
	excuse string // the limit that was reached, "" for none
}

// compute runs the given function for as many positions of the controls as the limits allow. When compute returns, the
// controls have their old values again. It returns nil if no control can move, or if l.most is too small for any
// position other than the current one. If the limit on time or size leaves no other position, only the field excuse of
// the result is set.
func compute(call func() any, controls []Control, l limits) *positionResults {
	axes := axesOf(controls)
	if l.most < 2 || len(axes) == 0 {
		return nil
	}
	list, whole := grids(axes, l.most)
	if list[len(list)-1].size() < 2 {
		return nil
	}
	defer func() {
		for _, a := range axes {
			a.put(a.standing)
		}
	}()
	c := &positionResults{axes: axes}
	if !whole {
		c.excuse = fmt.Sprintf("%d positions in all", l.most)
	}
	var (
		end    = time.Now().Add(l.time)
		frames []positions.Frame
		known  = map[string]int{} // frame numbers by content
		of     = map[string]int{} // frame numbers by positions
		packed = newPackedSize()
		kept   int // frames of the last complete grid
	)
	for _, g := range list {
		complete := g.forEach(func(at []int) bool {
			key := fmt.Sprint(at)
			if _, there := of[key]; there {
				return true
			}
			for i, j := range at {
				axes[i].put(j)
			}
			frame, ok := position(call, valuesText(controls), end)
			if !ok {
				c.excuse = fmt.Sprintf("%v of computing", l.time)
				return false
			}
			content, err := json.Marshal(frame)
			if err != nil {
				panic(fmt.Sprintf("widget: %v", err)) // strings cannot fail
			}
			n, there := known[string(content)]
			if !there {
				n = len(frames)
				known[string(content)], frames = n, append(frames, frame)
				if packed.add(content) > l.bytes {
					c.excuse = fmt.Sprintf("%.3g MB", float64(l.bytes)/1e6)
					return false
				}
			}
			of[key] = n
			return true
		})
		if !complete {
			break
		}
		c.grid, kept = g, len(frames)
	}
	if c.grid == nil || c.grid.size() < 2 {
		return &positionResults{excuse: c.excuse}
	}
	for i, a := range axes {
		control := positions.Control{}
		for _, j := range c.grid[i] {
			control.Values = append(control.Values, a.name(j))
		}
		c.data.Controls = append(c.data.Controls, control)
	}
	c.grid.forEach(func(at []int) bool {
		c.data.At = append(c.data.At, of[fmt.Sprint(at)])
		return true
	})
	c.data.Frames = positions.Pack(frames[:kept])
	c.data.Note = c.note()
	return c
}

// note returns text that says which positions are saved, or "" if all are.
func (c *positionResults) note() string {
	var parts []string
	for i, a := range c.axes {
		label, n := a.control.parts().label, len(c.grid[i])
		if n == a.n {
			continue
		}
		if n == 1 {
			parts = append(parts, fmt.Sprintf("%s stays at %s", label, a.name(a.standing)))
		} else {
			parts = append(parts, fmt.Sprintf("%s has %d of its %d positions", label, n, a.n))
		}
	}
	if parts == nil {
		return ""
	}
	return "Saved: " + strings.Join(parts, ", ") + " (limit: " + c.excuse + "). A running notebook has them all."
}

// hint returns a sentence for the hint below the controls if a limit was reached before any other position could be
// saved. Otherwise it returns "".
func (c *positionResults) hint() string {
	if c == nil || c.grid != nil || c.excuse == "" {
		return ""
	}
	return positions.NotSaved(c.excuse)
}

// elements returns the HTML that makes the controls move in a page, or "" if no control can move.
func (c *positionResults) elements() string {
	if c == nil || c.grid == nil {
		return ""
	}
	d := c.data
	d.Controls = slices.Clone(d.Controls)
	for i, a := range c.axes {
		at, near := a.near(), 0
		for k, j := range c.grid[i] {
			if max(j-at, at-j) < max(c.grid[i][near]-at, at-c.grid[i][near]) {
				near = k
			}
		}
		d.Controls[i].Start = near
	}
	return d.Elements()
}

// places returns the controls that can be moved without a kernel, each with the index of its axis. The saved data
// number the controls in the same way.
func (c *positionResults) places() map[*core]int {
	if c == nil || c.grid == nil {
		return nil
	}
	m := map[*core]int{}
	for i, a := range c.axes {
		m[a.control.parts()] = i
	}
	return m
}

// position calls the given function for the current values of the controls. It returns a frame, which is the printed
// output and the result. It returns false if the function has not returned by the deadline, the argument end. The
// argument standing describes the values in messages about a failed call.
func position(call func() any, standing string, end time.Time) (positions.Frame, bool) {
	left := time.Until(end)
	if left <= 0 {
		return nil, false
	}
	a := newArea()
	back := display.Redirect(a)
	defer func() { back() }()
	ctx := cell.Context()
	done := make(chan []positions.Part, 1)
	stop := cell.Start(func() {
		last := []positions.Part{{Text: "the function ended its goroutine for " + standing}}
		defer func() { done <- last }() // even after runtime.Goexit
		defer func() {
			if p := recover(); p != nil {
				last = []positions.Part{{Text: fmt.Sprintf("the function panicked for %s: %v", standing, p)}}
			}
		}()
		last = result(call())
	})
	limit := time.NewTimer(left)
	defer limit.Stop()
	var last []positions.Part
	select {
	case last = <-done:
	case <-ctx.Done():
		stop()
	case <-limit.C:
		stop()
		return nil, false
	}
	if err := ctx.Err(); err != nil {
		panic(err) // the kernel recognizes it as the end of an interrupted cell
	}
	back() // all printed output is in the area now
	back = func() {}
	return append(a.frame(), last...), true
}

// largestDrawing is the size in bytes up to which SVG is preferred to PNG.
const largestDrawing = 300_000

// result converts v, a result of Interact's function, to the parts of a frame.
func result(v any) []positions.Part {
	// The compressed SVG of a plot is a tenth of the size of its PNG, and is faster to make.
	if d, ok := v.(interface{ SVG() string }); ok {
		if s := d.SVG(); len(s) <= largestDrawing && strings.Contains(s, "<svg") {
			p := svgPart(s)
			if t, ok := v.(fmt.Stringer); ok {
				p.Alt = t.String()
			}
			return []positions.Part{p}
		}
	}
	d := display.Rendered(v)
	return partOf(bundle(d.Data), d.Metadata)
}

// frame returns the area's outputs, without errors, as a frame.
func (a *area) frame() (f positions.Frame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.outputs {
		switch o["output_type"] {
		case "stream":
			text, _ := o["text"].(string)
			f = append(f, textPart(text)...)
		case "display_data":
			data, _ := o["data"].(map[string]any)
			metadata, _ := o["metadata"].(map[string]any)
			f = append(f, partOf(data, metadata)...)
		}
	}
	return f
}

func textPart(text string) []positions.Part {
	if text = colours.ReplaceAllString(text, ""); strings.TrimSpace(text) == "" {
		return nil
	}
	return []positions.Part{{Text: text}}
}

// svgPart returns the SVG s as a part of a frame. It removes the XML declaration, and the figure's metadata, which
// each frame would repeat.
func svgPart(s string) positions.Part {
	svg := []byte(s[strings.Index(s, "<svg"):])
	meta, err := figuremeta.Read(svg)
	plot := err == nil && !slices.ContainsFunc(meta.Panels, func(p figuremeta.Panel) bool { return p.Pixels })
	return positions.Part{SVG: string(figuremeta.Without(svg)), Plot: plot}
}

// partOf returns the richest form of an output as the parts of a frame. The arguments are the output's data and
// metadata, encoded as in a notebook file.
func partOf(data, metadata map[string]any) []positions.Part {
	text := func(mime string) string { s, _ := data[mime].(string); return s }
	if s := text(display.MIMETypeHTML); s != "" {
		return []positions.Part{{HTML: s}}
	}
	alt := text(display.MIMETypeText)
	if strings.HasPrefix(strings.TrimSpace(alt), "<") {
		alt = "" // the alternative text would be the source
	}
	if s := text(display.MIMETypeSVG); strings.Contains(s, "<svg") && (len(s) <= largestDrawing || text(display.MIMETypePNG) == "") {
		p := svgPart(s)
		p.Alt = alt
		return []positions.Part{p}
	}
	for _, mime := range []string{display.MIMETypePNG, display.MIMETypeJPEG, display.MIMETypeGIF} {
		if s := text(mime); s != "" {
			p := positions.Part{Image: "data:" + mime + ";base64," + strings.Join(strings.Fields(s), ""), Alt: alt}
			size, _ := metadata[mime].(map[string]any)
			p.Width, p.Height = pixels(size["width"]), pixels(size["height"])
			return []positions.Part{p}
		}
	}
	for _, mime := range []string{display.MIMETypeLatex, display.MIMETypeMarkdown, display.MIMETypeText} {
		if s := text(mime); s != "" {
			return textPart(s)
		}
	}
	return nil
}

// pixels returns the length of a picture's side, or 0 if v is not a number of pixels.
func pixels(v any) int {
	n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil || !(n > 0 && n < 1e5) {
		return 0
	}
	return int(math.Round(n))
}

// A packedSize measures how many bytes a growing list of frames takes in the file, after compression and encoding in
// base64.
type packedSize struct {
	n int
	z *gzip.Writer
}

func newPackedSize() *packedSize {
	s := &packedSize{}
	z, err := gzip.NewWriterLevel(s, gzip.BestCompression)
	if err != nil {
		panic(fmt.Sprintf("widget: %v", err)) // the compression level is valid
	}
	s.z = z
	return s
}

// Write counts the bytes of b, which come from the compressor, and discards them.
func (s *packedSize) Write(b []byte) (int, error) {
	s.n += len(b)
	return len(b), nil
}

// add adds the content of one more frame. It returns the size of all frames so far, compressed and in base64.
func (s *packedSize) add(content []byte) int {
	if _, err := s.z.Write(content); err != nil {
		panic(fmt.Sprintf("widget: %v", err)) // counting cannot fail
	}
	s.z.Flush()
	return (s.n + 2) / 3 * 4
}
