package display

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// An Event is a request to the front end.
type Event struct {
	// Data is the content to show, unless Clear is set.
	Data Data
	// If Update is set, Data takes the place of the earlier output that has the same display_id.
	Update bool
	// Clear removes the cell's output so far. If Wait is set, the output remains until something new is
	// shown.
	Clear, Wait bool
}

var hooks struct {
	sync.RWMutex
	publish func(Event)
	render  func(any) Data

	figures string // see SaveFigures
	saved   int    // the figures written so far
}

// SetPublisher sets the function that receives every event, and returns the previous function. If publish is nil,
// displayed values are printed as plain text. Kernels call SetPublisher. publish may be called by several goroutines at
// once.
func SetPublisher(publish func(Event)) (previous func(Event)) {
	hooks.Lock()
	defer hooks.Unlock()
	previous, hooks.publish = hooks.publish, publish
	return previous
}

// SetRenderer sets the function that converts values other than Data into Data, and returns the previous function. If
// render is nil, the built-in rules of this package apply (the methods of HTMLer and the like, pictures, and fmt for
// all other values). Kernels call SetRenderer.
func SetRenderer(render func(any) Data) (previous func(any) Data) {
	hooks.Lock()
	defer hooks.Unlock()
	previous, hooks.render = hooks.render, render
	return previous
}

// Display shows a value at once. It returns an error if the value cannot be shown, such as a JSON value that contains
// a channel. It panics if the value is a picture that cannot be drawn; the cell then fails, as it would if the picture
// were its last value.
func Display(v any) error {
	d := render(v)
	if why, ok := d.Transient[Undrawn].(string); ok {
		panic(why)
	}
	return show(d, false)
}

// DisplayID shows a value under an id. UpdateDisplay with the same id replaces this value.
func DisplayID(id string, v any) error {
	if id == "" {
		return errors.New("display: empty display id")
	}
	return show(withID(render(v), id), false)
}

// UpdateDisplay replaces the output that was shown under the id, wherever it is in the
// notebook. If nothing was shown under the id, UpdateDisplay shows nothing and returns no
// error.
func UpdateDisplay(id string, v any) error {
	if id == "" {
		return errors.New("display: empty display id")
	}
	return show(withID(render(v), id), true)
}

var ids atomic.Int64

// NewID returns a display id that no other call in this process has returned.
func NewID() string { return "display-" + strconv.FormatInt(ids.Add(1), 10) }

// Clear removes the cell's output so far. If wait is set, the output remains until something new is shown, so
// that a changing output does not flicker.
func Clear(wait bool) {
	if publish := publisher(); publish != nil {
		publish(Event{Clear: true, Wait: wait})
	}
}

// ClearOutput is Clear under its Python name.
func ClearOutput(wait bool) { Clear(wait) }

func publisher() func(Event) {
	hooks.RLock()
	defer hooks.RUnlock()
	return hooks.publish
}

func show(d Data, update bool) error {
	for mime, v := range d.Data {
		if mime != MIMETypeJSON && !strings.HasSuffix(mime, "+json") {
			continue
		}
		if _, err := json.Marshal(v); err != nil {
			return fmt.Errorf("display: %w", err)
		}
	}
	if publish := publisher(); publish != nil {
		publish(Event{Data: d, Update: update})
		return nil
	}
	text, ok := d.Data[MIMETypeText]
	if !ok {
		text = fmt.Sprint(d.Data)
	}
	s := plainText(text)
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	path, err := saveFigure(d)
	if err != nil {
		return err
	}
	if path != "" {
		s += path + "\n"
	}
	_, err = os.Stdout.WriteString(s)
	return err
}

// withID returns d with the given display id. It does not modify the caller's maps.
func withID(d Data, id string) Data {
	t := maps.Clone(d.Transient)
	if t == nil {
		t = MIMEMap{}
	}
	t["display_id"] = id
	d.Transient = t
	return d
}

func render(v any) Data {
	if d, ok := v.(Data); ok {
		return d
	}
	hooks.RLock()
	f := hooks.render
	hooks.RUnlock()
	if f != nil {
		return f(v)
	}
	if d, ok := builtin(v); ok {
		return d
	}
	return Text(plainText(v))
}

// builtin renders v by the rules of this package, without the kernel's renderer. It collects all forms that v provides
// in one Data. It returns false if v has no method for display, is not a picture, and has no registered function (see
// Register).
func builtin(v any) (Data, bool) {
	d := Data{Data: MIMEMap{}}
	if x, ok := v.(Data); ok {
		return x, true
	}
	if x, ok := v.(Renderer); ok {
		d = x.Render()
		d.Data = maps.Clone(d.Data)
		if d.Data == nil {
			d.Data = MIMEMap{}
		}
	}
	if x, ok := v.(SimpleRenderer); ok {
		maps.Copy(d.Data, x.SimpleRender())
	}
	if x, ok := v.(HTMLer); ok {
		d.Data[MIMETypeHTML] = x.HTML()
	}
	if x, ok := v.(JavaScripter); ok {
		d.Data[MIMETypeJavaScript] = x.JavaScript()
	}
	if x, ok := v.(JPEGer); ok {
		d.Data[MIMETypeJPEG] = x.JPEG()
	}
	if x, ok := v.(JSONer); ok {
		d.Data[MIMETypeJSON] = x.JSON()
	}
	if x, ok := v.(Latexer); ok {
		d.Data[MIMETypeLatex] = x.Latex()
	}
	if x, ok := v.(Markdowner); ok {
		d.Data[MIMETypeMarkdown] = x.Markdown()
	}
	if x, ok := v.(PNGer); ok {
		d.Data[MIMETypePNG] = x.PNG()
	}
	if x, ok := v.(PDFer); ok {
		d.Data[MIMETypePDF] = x.PDF()
	}
	if x, ok := v.(SVGer); ok {
		d.Data[MIMETypeSVG] = x.SVG()
	}
	if _, ok := v.(image.Rectangle); ok { // it has the methods of a picture, but is a place in one
		return Data{}, false
	}
	if x, ok := v.(image.Image); ok && len(d.Data) == 0 {
		return Image(x), true
	}
	if len(d.Data) == 0 {
		return Registered(v)
	}
	if _, ok := d.Data[MIMETypeText]; !ok {
		d.Data[MIMETypeText] = fmt.Sprint(v)
	}
	return d, true
}

var registered sync.Map // reflect.Type -> func(any) Data

// Register defines how values of example's type are displayed: by calling render. It is for types without a display
// method. A pointer type and its element type are registered separately. A type can be registered only once.
//
// For example, package attention/attentionplot draws the results of package attention. It calls Register in init, so
// each program that imports attentionplot draws these results. A program that imports only attention does not contain
// the code for drawing.
//
//	func init() {
//		display.Register((*attention.Output)(nil), func(v any) display.Data {
//			return Weights(v.(*attention.Output), nil).Render()
//		})
//	}
func Register(example any, render func(v any) Data) {
	t := reflect.TypeOf(example)
	if t == nil || render == nil {
		panic("display: Register: neither the example nor the function may be nil")
	}
	if _, loaded := registered.LoadOrStore(t, render); loaded {
		panic(fmt.Sprintf("display: Register: %v is already registered", t))
	}
}

// Registered renders v with the function registered for its type, and reports whether there
// is one.
func Registered(v any) (Data, bool) {
	render, ok := registered.Load(reflect.TypeOf(v))
	if !ok {
		return Data{}, false
	}
	return render.(func(any) Data)(v), true
}

// SaveFigures makes the program write each displayed picture to the folder dir, as figure-1.svg, figure-2.png and so
// on, and print the path. It creates dir. A program made from a notebook calls SaveFigures if the program's flag
// -figures is set. In a kernel, pictures go to the front end, and no files are written.
func SaveFigures(dir string) error {
	if dir == "" {
		return fmt.Errorf("display: no folder for the figures")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("display: %w", err)
	}
	hooks.Lock()
	defer hooks.Unlock()
	hooks.figures = dir
	return nil
}

// saveFigure writes d to the folder set by SaveFigures, and returns the path of the file. If no folder is set, or if d
// is not a picture, it writes nothing and returns "".
func saveFigure(d Data) (path string, err error) {
	hooks.Lock()
	defer hooks.Unlock()
	if hooks.figures == "" {
		return "", nil
	}
	for _, kind := range []struct{ mime, ending string }{{MIMETypeSVG, ".svg"}, {MIMETypePNG, ".png"}, {MIMETypeJPEG, ".jpg"}} {
		var content []byte
		switch v := d.Data[kind.mime].(type) {
		case string:
			content = []byte(v)
		case []byte:
			content = v
		default:
			continue
		}
		hooks.saved++
		path = filepath.Join(hooks.figures, fmt.Sprintf("figure-%d%s", hooks.saved, kind.ending))
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return "", fmt.Errorf("display: %w", err)
		}
		return path, nil
	}
	return "", nil
}
