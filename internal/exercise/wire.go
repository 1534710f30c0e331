package exercise

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// The grader reads results that a student's process has written, so no input must be able to harm it: the
// decoded value is never larger than the input, and its shapes match its numbers. Package gob guarantees
// neither.
//
// Numbers are sent as strings, because JSON has no NaN. A matrix is sent as its number of rows, number of
// columns, and numbers.

// A sentMatrix is the form in which a matrix is sent: R rows, C columns, and the numbers row by row, as decimal
// strings.
type sentMatrix struct {
	R, C int
	X    []string
}

var (
	denseType  = reflect.TypeFor[*mat.Dense]()
	vectorType = reflect.TypeFor[*mat.VecDense]()
)

// Encode encodes a result of the task's function as JSON, to be sent to the grader.
func (t *Task) Encode(result any) ([]byte, error) {
	v := reflect.New(t.Type().Out(0)).Elem()
	if result != nil {
		v.Set(reflect.ValueOf(result))
	}
	sent, err := encode(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(sent)
}

// Decode decodes a result that Encode has encoded. It returns an error if data is not a result of the type that the
// task requires.
func (t *Task) Decode(data []byte) (any, error) {
	v := reflect.New(t.Type().Out(0)).Elem()
	if err := decode(data, v); err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

// checkSendable returns an error that says why results of a type cannot be sent, or nil if they can.
func checkSendable(typ reflect.Type, seen map[reflect.Type]bool) error {
	if seen[typ] || typ == denseType || typ == vectorType {
		return nil
	}
	seen[typ] = true
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		return checkSendable(typ.Elem(), seen)
	case reflect.Struct:
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				if err := checkSendable(f.Type, seen); err != nil {
					return fmt.Errorf("field %s: %w", f.Name, err)
				}
			}
		}
		return nil
	case reflect.Bool, reflect.String, reflect.Complex64, reflect.Complex128:
		return nil
	}
	if v := reflect.Zero(typ); v.CanInt() || v.CanUint() || v.CanFloat() {
		return nil
	}
	return fmt.Errorf("a %v cannot be sent to the grader", typ)
}

func decimals(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func encode(v reflect.Value) (any, error) {
	switch m := v.Interface().(type) {
	case *mat.Dense:
		if m == nil {
			return nil, nil
		}
		return encodeMatrix(m), nil
	case *mat.VecDense:
		if m == nil {
			return nil, nil
		}
		return encodeMatrix(m), nil
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), nil
	case v.CanFloat():
		return decimals(v.Float()), nil
	case v.CanComplex():
		return []string{decimals(real(v.Complex())), decimals(imag(v.Complex()))}, nil
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String:
		return v.Interface(), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		sent, err := encode(v.Elem())
		return []any{sent}, err // a pointer to a nil value is not itself nil
	case reflect.Slice:
		if v.IsNil() {
			return nil, nil
		}
		list := make([]any, v.Len())
		for i := range list {
			var err error
			if list[i], err = encode(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return list, nil
	case reflect.Struct:
		parts := map[string]any{}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				var err error
				if parts[f.Name], err = encode(v.Field(i)); err != nil {
					return nil, err
				}
			}
		}
		return parts, nil
	}
	return nil, fmt.Errorf("a %v cannot be sent to the grader", v.Type())
}

func encodeMatrix(m mat.Matrix) sentMatrix {
	var s sentMatrix
	s.R, s.C = m.Dims()
	for i := range s.R {
		for j := range s.C {
			s.X = append(s.X, decimals(m.At(i, j)))
		}
	}
	return s
}

var errSent = errors.New("it is not of the wanted type")

func decode(sent json.RawMessage, v reflect.Value) error {
	if string(sent) == "null" {
		switch v.Kind() {
		case reflect.Pointer, reflect.Slice:
			return nil // v is nil
		}
		return errSent
	}
	if v.Type() == denseType || v.Type() == vectorType {
		return decodeMatrix(sent, v)
	}
	switch {
	case v.CanComplex():
		return decodeComplex(sent, v)
	case v.CanInt() || v.CanUint() || v.CanFloat():
		return decodeNumber(sent, v)
	}
	switch v.Kind() {
	case reflect.Bool, reflect.String:
		return json.Unmarshal(sent, v.Addr().Interface())
	case reflect.Pointer:
		var one []json.RawMessage
		if json.Unmarshal(sent, &one) != nil || len(one) != 1 {
			return errSent
		}
		v.Set(reflect.New(v.Type().Elem()))
		return decode(one[0], v.Elem())
	case reflect.Slice:
		var list []json.RawMessage
		if err := json.Unmarshal(sent, &list); err != nil {
			return errSent
		}
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i, part := range list {
			if err := decode(part, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(sent, &parts); err != nil {
			return errSent
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			part, ok := parts[f.Name]
			if !ok {
				return errSent
			}
			if err := decode(part, v.Field(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return errSent
}

func decodeNumber(sent json.RawMessage, v reflect.Value) error {
	var text string
	if json.Unmarshal(sent, &text) != nil {
		return errSent
	}
	bits := v.Type().Bits()
	var err error
	switch {
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, bits)
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, bits)
		v.SetUint(n)
	default:
		var x float64
		x, err = strconv.ParseFloat(text, bits)
		v.SetFloat(x)
	}
	if err != nil {
		return errSent
	}
	return nil
}

func decodeComplex(sent json.RawMessage, v reflect.Value) error {
	x, err := decodeFloats(sent)
	if err != nil || len(x) != 2 {
		return errSent
	}
	v.SetComplex(complex(x[0], x[1]))
	return nil
}

func decodeFloats(sent json.RawMessage) ([]float64, error) {
	var texts []string
	if json.Unmarshal(sent, &texts) != nil {
		return nil, errSent
	}
	x := make([]float64, len(texts))
	for i, text := range texts {
		var err error
		if x[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, errSent
		}
	}
	return x, nil
}

func decodeMatrix(sent json.RawMessage, v reflect.Value) error {
	var s struct {
		R, C int
		X    json.RawMessage
	}
	if json.Unmarshal(sent, &s) != nil {
		return errSent
	}
	if string(s.X) == "null" && s.R == 0 && s.C <= 1 { // an empty matrix, which is a zero value
		v.Set(reflect.New(v.Type().Elem()))
		return nil
	}
	x, err := decodeFloats(s.X)
	switch {
	case err != nil:
		return err
	case s.R <= 0 || s.C <= 0 || s.R > len(x) || s.C > len(x) || s.R*s.C != len(x):
		return errSent
	case v.Type() == vectorType && s.C != 1:
		return errSent
	case v.Type() == vectorType:
		v.Set(reflect.ValueOf(mat.NewVecDense(s.R, x)))
	default:
		v.Set(reflect.ValueOf(mat.NewDense(s.R, s.C, x)))
	}
	return nil
}
