package notebook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// The output types.
const (
	Stream        = "stream"
	ExecuteResult = "execute_result"
	DisplayData   = "display_data"
	ErrorOutput   = "error"
)

// An Output is one output of a code cell, as a JSON object. Text in an Output is one string, even if the file
// has a list of lines.
type Output map[string]any

// Type returns Stream, ExecuteResult, DisplayData, ErrorOutput or a type of a later format.
func (o Output) Type() string {
	s, _ := o["output_type"].(string)
	return s
}

// Text returns the text of a stream, or the text/plain representation of a result or display.
func (o Output) Text() string {
	if o.Type() == Stream {
		s, _ := o["text"].(string)
		return s
	}
	data, _ := o["data"].(map[string]any)
	s, _ := data["text/plain"].(string)
	return s
}

// NewStream returns an output with printed text. The name is "stdout" or "stderr".
func NewStream(name, text string) Output {
	return Output{"output_type": Stream, "name": name, "text": text}
}

// NewError returns the output of a failed cell.
func NewError(ename, evalue string, traceback []string) Output {
	lines := make([]any, len(traceback))
	for i, l := range traceback {
		lines[i] = l
	}
	return Output{"output_type": ErrorOutput, "ename": ename, "evalue": evalue, "traceback": lines}
}

// NewDisplay returns a display_data output with content and metadata by MIME type. See Bundle for the allowed
// values.
func NewDisplay(data, metadata map[string]any) (Output, error) {
	d, err := Bundle(data)
	if err != nil {
		return nil, err
	}
	if metadata == nil {
		metadata = map[string]any{}
	}
	m, err := jsonValue(metadata)
	if err != nil {
		return nil, fmt.Errorf("notebook: metadata: %w", err)
	}
	return Output{"output_type": DisplayData, "data": d, "metadata": m}, nil
}

// NewResult is like NewDisplay, but returns an execute_result, for the value of a cell.
func NewResult(count int, data, metadata map[string]any) (Output, error) {
	o, err := NewDisplay(data, metadata)
	if err != nil {
		return nil, err
	}
	o["output_type"], o["execution_count"] = ExecuteResult, count
	return o, nil
}

// Bundle converts content by MIME type to the form that notebooks and the Jupyter protocol use. Strings stay
// unchanged. Bytes are parsed if the type is a JSON type, become a string if it is a text type, and otherwise become
// base64 with a newline at the end. Any other value becomes a JSON value if the type is a JSON type, and otherwise the
// string that fmt.Sprint returns.
func Bundle(data map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(data))
	for mime, v := range data {
		switch x := v.(type) {
		case []byte:
			if isJSON(mime) {
				var err error
				if v, err = decode(x); err != nil {
					return nil, fmt.Errorf("notebook: %s: %w", mime, err)
				}
				out[mime] = v
			} else if isText(mime) {
				out[mime] = string(x)
			} else {
				out[mime] = base64.StdEncoding.EncodeToString(x) + "\n"
			}
		case string:
			out[mime] = x
		default:
			if !isJSON(mime) {
				out[mime] = fmt.Sprint(x)
				continue
			}
			j, err := jsonValue(x)
			if err != nil {
				return nil, fmt.Errorf("notebook: %s: %w", mime, err)
			}
			out[mime] = j
		}
	}
	return out, nil
}

// isJSON reports whether content of the given MIME type is a JSON value. The function isText reports whether content
// of a MIME type is written as a list of lines.
func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

func isText(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "image/svg+xml" || mime == "application/javascript"
}

// split returns the output as it is written to the file, with text as lists of lines.
func (o Output) split() map[string]any {
	switch o.Type() {
	case Stream:
		m := maps.Clone(map[string]any(o))
		if s, ok := m["text"].(string); ok {
			m["text"] = Lines(s)
		}
		return m
	case ExecuteResult, DisplayData:
		m := maps.Clone(map[string]any(o))
		m["data"] = splitBundle(m["data"])
		return m
	}
	return o
}

func splitBundle(v any) any {
	b, ok := v.(map[string]any)
	if !ok {
		return v
	}
	split := maps.Clone(b)
	for mime, v := range b {
		if s, ok := v.(string); ok && isText(mime) {
			split[mime] = Lines(s)
		}
	}
	return split
}

// jsonValue converts any Go value into the maps, lists, strings and numbers of
// JSON.
func jsonValue(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decode(b)
}

func decode(b []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var x any
	if err := dec.Decode(&x); err != nil {
		return nil, err
	}
	return pythonNumbers(x), nil
}

// pythonNumbers formats numbers as Jupyter would after receiving them over the wire, so that a notebook has the same
// bytes whether it is run with or without Jupyter.
func pythonNumbers(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = pythonNumbers(e)
		}
	case []any:
		for i, e := range x {
			x[i] = pythonNumbers(e)
		}
	case json.Number:
		if s := x.String(); strings.ContainsAny(s, ".eE") {
			if f, err := x.Float64(); err == nil {
				return json.Number(float(f))
			}
		} else if s == "-0" {
			return json.Number("0")
		}
	}
	return v
}

// float formats a finite number as Python's repr does.
func float(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
