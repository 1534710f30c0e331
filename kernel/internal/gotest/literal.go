package gotest

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// add returns the call of f.Add that adds an input to the seed corpus.
func add(values []any) string {
	var list []string
	for _, v := range values {
		list = append(list, literal(v))
	}
	return "f.Add(" + strings.Join(list, ", ") + ")"
}

// literal returns a value of a type that can be fuzzed as Go that has this type.
func literal(v any) string {
	switch v := v.(type) {
	case []byte:
		return "[]byte(" + strconv.Quote(string(v)) + ")"
	case string:
		return strconv.Quote(v)
	case bool, int:
		return fmt.Sprint(v)
	case float64:
		return float(v, 64, "", fmt.Sprintf("math.Float64frombits(%#x)", math.Float64bits(v)))
	case float32:
		return float(float64(v), 32, "float32", fmt.Sprintf("math.Float32frombits(%#x)", math.Float32bits(v)))
	}
	return fmt.Sprintf("%s(%d)", reflect.TypeOf(v), v)
}

// float returns a number as Go; those that have no digits are given by their bits.
func float(x float64, size int, convert, bits string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 && math.Signbit(x) {
		return bits
	}
	text := strconv.FormatFloat(x, 'g', -1, size)
	if convert != "" {
		return convert + "(" + text + ")"
	}
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// checkSeed returns an error if values are not of the types of a fuzz target, as go test does.
func checkSeed(values []any, types []reflect.Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("wrong number of values in corpus entry: %d, want %d", len(values), len(types))
	}
	for i, v := range values {
		if reflect.TypeOf(v) != types[i] {
			return fmt.Errorf("mismatched types in corpus entry: %T, want %v", v, types[i])
		}
	}
	return nil
}
