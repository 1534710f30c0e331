package render

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"overcomplete/ui/display"
)

// ways lists the methods by which a value renders itself. If a value has a method in several spellings, only
// the first is called.
var ways = []struct {
	mime      string
	spellings []string
}{
	{display.MIMETypeHTML, []string{"HTML", "Html", "ToHTML"}},
	{display.MIMETypeMarkdown, []string{"Markdown", "ToMarkdown"}},
	{display.MIMETypeLatex, []string{"LaTeX", "Latex", "ToLaTeX"}},
	{display.MIMETypeSVG, []string{"SVG", "Svg"}},
	{display.MIMETypePNG, []string{"PNG", "Png"}},
	{display.MIMETypeJPEG, []string{"JPEG", "Jpeg"}},
	{display.MIMETypeGIF, []string{"GIF", "Gif"}},
	{display.MIMETypePDF, []string{"PDF", "Pdf"}},
	{display.MIMETypeJSON, []string{"JSON", "Json"}},
	{display.MIMETypeJavaScript, []string{"JavaScript", "Javascript"}},
}

var (
	errorType = reflect.TypeFor[error]()
	dataType  = reflect.TypeFor[display.Data]()
	bytesType = reflect.TypeFor[[]byte]()
)

// byMethods renders v by its own methods; ok reports whether v has any. It finds the methods by name and result type,
// not by interface. So each method may return a string, a named string such as template.HTML, or bytes, with or
// without an error.
//
// If v is a picture that could not be drawn, fault says why; otherwise it is "". It is set if a method Render
// that returns a display.Data fails or panics. It is also set if a method for pictures fails or panics and no other
// method succeeds. If several methods fail, fault names only one of the failures.
func byMethods(v any) (data display.Data, fault string, ok bool) {
	r := withPointerMethods(reflect.ValueOf(v))
	d := display.Data{Data: map[string]any{}}
	var faults []string
	if m := method(r, "Render"); m.IsValid() && m.Type().Out(0).ConvertibleTo(dataType) {
		out, wrong := call(m, "Render")
		if wrong != "" {
			return display.Text(wrong), undrawn(v, wrong), true
		} else {
			x := out.Convert(dataType).Interface().(display.Data)
			for k, c := range x.Data {
				d.Data[k] = c
			}
			d.Metadata, d.Transient = x.Metadata, x.Transient
			// A value that renders itself determines the whole output.
			return complete(d, func() string { return Text(v) }), "", true
		}
	}
	if m := method(r, "SimpleRender"); m.IsValid() {
		out, fault := call(m, "SimpleRender")
		if fault != "" {
			faults = append(faults, fault)
		} else if x, ok := out.Interface().(map[string]any); ok {
			for k, c := range x {
				d.Data[k] = c
			}
		}
	}
	for _, w := range ways {
		for _, name := range w.spellings {
			m := method(r, name)
			if !m.IsValid() || !suits(w.mime, m.Type().Out(0)) {
				continue
			}
			out, wrong := call(m, name)
			if wrong != "" {
				faults = append(faults, wrong)
				if w.mime == display.MIMETypeSVG || slices.Contains(binary, w.mime) {
					fault = undrawn(v, wrong)
				}
			} else {
				d.Data[w.mime] = content(w.mime, out)
			}
			break
		}
	}
	// The charts of go-echarts also have a method JSON, with their configuration, which front ends would show
	// instead of the chart.
	if len(d.Data) == 0 || len(d.Data) == 1 && d.Data[display.MIMETypeJSON] != nil {
		if w, ok := writtenData(v, r); ok {
			return w, "", true
		}
	}
	sharePicture(&d)
	if len(faults) > 0 {
		// Show the results of methods that worked, and put the errors into the text, which is also visible in
		// a terminal. If no method worked, the text is the whole output.
		if len(d.Data) > 0 {
			fault = ""
		}
		d.Data[display.MIMETypeText] = strings.Join(faults, "\n")
		return d, fault, true
	}
	if len(d.Data) == 0 {
		return display.Data{}, "", false
	}
	return complete(d, func() string { return Text(v) }), "", true
}

// undrawn returns the message that v cannot be drawn. The reason in the message is fault, the failure of one of v's
// methods.
func undrawn(v any, fault string) string {
	if _, why, ok := strings.Cut(fault, " panicked: "); ok {
		fault = why
	}
	return fmt.Sprintf("a %T cannot be drawn: %s", v, fault)
}

// withPointerMethods returns v, or a pointer to a copy of v if the pointer has more methods. So a cell whose last line
// is t, of type T, shows t with the method HTML even if HTML belongs to *T.
func withPointerMethods(v reflect.Value) reflect.Value {
	t := v.Type()
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || t.Name() == "" {
		return v
	}
	if reflect.PointerTo(t).NumMethod() == t.NumMethod() {
		return v
	}
	p := reflect.New(t)
	p.Elem().Set(v)
	return p
}

// method returns v's method with the given name if it takes no arguments and returns one value, optionally
// with an error.
func method(v reflect.Value, name string) reflect.Value {
	m := v.MethodByName(name)
	if !m.IsValid() {
		return m
	}
	t := m.Type()
	if t.NumIn() == 0 && (t.NumOut() == 1 || t.NumOut() == 2 && t.Out(1) == errorType) {
		return m
	}
	return reflect.Value{}
}

// suits reports whether a result of type t can be used as content of the given MIME type.
func suits(mime string, t reflect.Type) bool {
	return mime == display.MIMETypeJSON || t.Kind() == reflect.String || t.ConvertibleTo(bytesType)
}

// call runs a user's method. If there is no result, fault says why.
func call(m reflect.Value, name string) (out reflect.Value, fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("method %s panicked: %v", name, r)
		}
	}()
	outs := m.Call(nil)
	if len(outs) == 2 && !outs[1].IsNil() {
		return out, fmt.Sprintf("method %s: %v", name, outs[1].Interface())
	}
	return outs[0], ""
}

var binary = []string{display.MIMETypePNG, display.MIMETypeJPEG, display.MIMETypeGIF, display.MIMETypePDF}

func content(mime string, out reflect.Value) any {
	if mime == display.MIMETypeJSON {
		return out.Interface()
	}
	if slices.Contains(binary, mime) {
		if out.Kind() == reflect.String {
			return []byte(out.String())
		}
		return out.Convert(bytesType).Interface()
	}
	var s string
	if out.Kind() == reflect.String {
		s = out.String()
	} else {
		s = string(out.Convert(bytesType).Bytes())
	}
	if mime == display.MIMETypeLatex {
		return delimited(s)
	}
	return s
}

// delimited puts dollar signs around a formula that has no delimiters, because front ends render text/latex as prose
// and recognize formulas in it by their delimiters.
func delimited(latex string) string {
	s := strings.TrimSpace(latex)
	if strings.Contains(s, "$") || strings.HasPrefix(s, `\(`) || strings.HasPrefix(s, `\[`) || strings.HasPrefix(s, `\begin{`) {
		return latex
	}
	return "$$" + s + "$$"
}
