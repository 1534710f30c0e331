package render

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/cycle"
	"overcomplete/ui/display"
)

// Value renders v. It never panics, and the result always contains text/plain. If v is a picture that cannot be drawn,
// the entry display.Undrawn in the result's Transient says why.
func Value(v any) display.Data {
	d, fault := value(v)
	if fault != "" {
		d.Transient = map[string]any{display.Undrawn: fault}
	}
	return d
}

// value does what Value does. If v is a picture that cannot be drawn, fault says why.
func value(v any) (d display.Data, fault string) {
	defer func() {
		if r := recover(); r != nil {
			d = display.Text(fmt.Sprintf("cannot show a %T: %v", v, r))
		}
	}()
	if x, ok := v.(display.Data); ok {
		return complete(x, func() string { return names(x) }), ""
	}
	if isNil(v) || cycle.In(v) {
		return display.Text(Text(v)), ""
	}
	if d, fault, ok := byMethods(v); ok {
		return d, fault
	}
	for _, f := range []func(any) (display.Data, bool){
		display.Registered, plotData, imageData, matrixData, frameData, arrowData, rowsData, structsData, recordsData, mapData,
	} {
		if d, fault, ok := attempt(f, v); ok {
			return d, fault
		}
	}
	return display.Text(Text(v)), ""
}

// attempt calls f(v). If that panics, for example in a plotter's method Plot, attempt returns the panic's message as d
// and as fault, and ok is true.
func attempt(f func(any) (display.Data, bool), v any) (d display.Data, fault string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("a %T cannot be drawn: %v", v, r)
			d, ok = display.Text(fmt.Sprintf("cannot show a %T: panic: %v", v, r)), true
		}
	}()
	d, ok = f(v)
	return d, "", ok
}

// Results renders the values of a cell's last expression. If all of them are plain text, they share one output,
// separated by spaces; if one of them has rich output, each has its own output. A nil error at the end is not shown. If
// a value is a picture that cannot be drawn, Results returns no output, and fault says why.
func Results(vals []engine.Value) (all []display.Data, fault string) {
	if n := len(vals); n > 0 && nilError(vals[n-1]) {
		vals = vals[:n-1]
	}
	if len(vals) == 0 {
		return nil, ""
	}
	vals = spread(vals)
	all = make([]display.Data, len(vals))
	rich := false
	for i, v := range vals {
		var wrong string
		if all[i], wrong = value(v.Value); wrong != "" {
			return nil, wrong
		}
		rich = rich || isRich(all[i])
	}
	if rich {
		return all, ""
	}
	texts := make([]string, len(all))
	for i, d := range all {
		texts[i] = fmt.Sprint(d.Data[display.MIMETypeText])
		switch x := vals[i].Value.(type) {
		case string:
			if strings.TrimSpace(x) == "" {
				texts[i] = strconv.Quote(x) // quoted, because an empty string would be invisible
			}
		case rune:
			if vals[i].Type == "rune" { // an int32 is shown as a number
				texts[i] = fmt.Sprintf("%d %q", x, x)
			}
		}
	}
	return []display.Data{display.Text(strings.Join(texts, " "))}, ""
}

func nilError(v engine.Value) bool { return v.Value == nil && v.Type == "error" }

// isRich reports whether d contains more than plain text.
func isRich(d display.Data) bool {
	for mime := range d.Data {
		if mime != display.MIMETypeText {
			return true
		}
	}
	return false
}

// complete returns d with a text/plain entry. If d has none, the entry comes from text(). It does not change d's map.
func complete(d display.Data, text func() string) display.Data {
	if _, ok := d.Data[display.MIMETypeText]; ok {
		return d
	}
	m := make(map[string]any, len(d.Data)+1)
	for k, v := range d.Data {
		m[k] = v
	}
	m[display.MIMETypeText] = text()
	d.Data = m
	return d
}

// names returns the MIME types of d.
func names(d display.Data) string {
	if len(d.Data) == 0 {
		return ""
	}
	return "<" + strings.Join(slices.Sorted(maps.Keys(d.Data)), ", ") + ">"
}

func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}
