package record

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The kinds of a Value.
const (
	KindNone   = ""       // nothing was published, or nothing measured
	KindNumber = "number" // Value.Number, in Value.Unit
	KindText   = "text"   // Value.Text
	KindBool   = "bool"   // Value.Bool: a statement that is true or false
)

// A Value is something published or measured: a number with its unit, a text, or a statement that is true or
// false. The zero Value holds nothing.
type Value struct {
	Kind   string
	Number float64
	Bool   bool
	Text   string // the text; for a number or a statement, an additional remark
	Unit   string // unit of a number: "dB", "% of seeds"
	Source string // place in the source: "section 4", "table 2, row 3"
}

// Number returns a measured number. unit may be empty.
func Number(x float64, unit string) Value { return Value{Kind: KindNumber, Number: x, Unit: unit} }

// Published returns a published number. source says where the publication gives the number.
func Published(x float64, unit, source string) Value {
	return Value{Kind: KindNumber, Number: x, Unit: unit, Source: source}
}

// Text returns a text. source is the text's place in the publication, or empty for a measured text.
func Text(text, source string) Value { return Value{Kind: KindText, Text: text, Source: source} }

// Bool returns a statement that was found to be true or false. text says what was observed.
func Bool(holds bool, text string) Value { return Value{Kind: KindBool, Bool: holds, Text: text} }

// IsZero reports whether v holds nothing.
func (v Value) IsZero() bool { return v == Value{} }

// String returns v as text, without its source: a number with its unit, a statement as "yes" or "no", each followed by
// its remark if there is one. Numbers have four significant digits.
func (v Value) String() string {
	switch v.Kind {
	case KindNumber:
		s := formatNumber(v.Number)
		if v.Unit != "" {
			if strings.HasPrefix(v.Unit, "%") || strings.HasPrefix(v.Unit, "°") {
				s += v.Unit
			} else {
				s += " " + v.Unit
			}
		}
		if v.Text != "" {
			s += " (" + v.Text + ")"
		}
		return s
	case KindBool:
		s := "no"
		if v.Bool {
			s = "yes"
		}
		if v.Text != "" {
			s += ": " + v.Text
		}
		return s
	default:
		return v.Text
	}
}

// formatNumber formats x with four significant digits, but keeps all digits before the decimal point if |x| is below a
// million. It uses an exponent only if |x| is at least a million or below 0.0001.
func formatNumber(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	if a := math.Abs(x); a >= 1e-4 && a < 1e6 {
		prec := 3 - int(math.Floor(math.Log10(a)))
		s := strconv.FormatFloat(x, 'f', max(prec, 0), 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

func (v Value) validate(where string) error {
	switch v.Kind {
	case KindNumber:
		if math.IsNaN(v.Number) {
			return fmt.Errorf("%s is NaN, which is not a result; say what happened in a text instead", where)
		}
		if v.Bool {
			return fmt.Errorf("%s is a number and a statement at once", where)
		}
	case KindText:
		if v.Text == "" {
			return fmt.Errorf("%s is an empty text", where)
		}
		if v.Number != 0 || v.Bool || v.Unit != "" {
			return fmt.Errorf("%s is a text and has a number, a unit or a truth value too", where)
		}
	case KindBool:
		if v.Number != 0 || v.Unit != "" {
			return fmt.Errorf("%s is a statement and has a number or a unit too", where)
		}
	case KindNone:
		if (v != Value{Source: v.Source}) {
			return fmt.Errorf("%s has content but no kind; use Number, Text or Bool to make it", where)
		}
	default:
		return fmt.Errorf("%s has the unknown kind %q", where, v.Kind)
	}
	return nil
}

// A jsonNumber is a float64 with infinite values encoded as strings.
type jsonNumber float64

func (n jsonNumber) MarshalJSON() ([]byte, error) {
	x := float64(n)
	switch {
	case math.IsNaN(x):
		return nil, fmt.Errorf("record: NaN cannot be written")
	case math.IsInf(x, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-Inf"`), nil
	case x == 0:
		return []byte("0"), nil // also for -0, which other programs might not preserve
	}
	return json.Marshal(x)
}

func (n *jsonNumber) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case `"+Inf"`:
		*n = jsonNumber(math.Inf(1))
		return nil
	case `"-Inf"`:
		*n = jsonNumber(math.Inf(-1))
		return nil
	case "null":
		return fmt.Errorf("record: null where a number is expected")
	}
	var x float64
	if err := json.Unmarshal(b, &x); err != nil {
		return fmt.Errorf("record: %.40s is not a number: %w", b, err)
	}
	*n = jsonNumber(x)
	return nil
}

// valueJSON is the encoded form of a Value. It has a Number only if the value is a number, and a Bool only if the
// value is a statement.
type valueJSON struct {
	Kind   string      `json:"kind"`
	Number *jsonNumber `json:"number,omitempty"`
	Bool   *bool       `json:"bool,omitempty"`
	Text   string      `json:"text,omitempty"`
	Unit   string      `json:"unit,omitempty"`
	Source string      `json:"source,omitempty"`
}

// MarshalJSON writes v. It returns an error for a NaN.
func (v Value) MarshalJSON() ([]byte, error) {
	j := valueJSON{Kind: v.Kind, Text: v.Text, Unit: v.Unit, Source: v.Source}
	switch v.Kind {
	case KindNumber:
		n := jsonNumber(v.Number)
		j.Number = &n
	case KindBool:
		j.Bool = &v.Bool
	}
	return marshal(j)
}

// UnmarshalJSON parses the output of MarshalJSON.
func (v *Value) UnmarshalJSON(b []byte) error {
	var j valueJSON
	if err := unmarshalStrict(b, &j); err != nil {
		return err
	}
	w := Value{Kind: j.Kind, Text: j.Text, Unit: j.Unit, Source: j.Source}
	if (j.Number != nil) != (j.Kind == KindNumber) {
		return fmt.Errorf("record: a value of kind %q with number present: %t", j.Kind, j.Number != nil)
	}
	if (j.Bool != nil) != (j.Kind == KindBool) {
		return fmt.Errorf("record: a value of kind %q with bool present: %t", j.Kind, j.Bool != nil)
	}
	if j.Number != nil {
		w.Number = float64(*j.Number)
	}
	if j.Bool != nil {
		w.Bool = *j.Bool
	}
	*v = w
	return nil
}
