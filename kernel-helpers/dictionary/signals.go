package dictionary

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math"
	"reflect"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"overcomplete/internal/finite"
	"overcomplete/kernel-helpers/internal/parallel"
	"overcomplete/kernel-helpers/internal/transposed"
	"overcomplete/kernel-helpers/internal/vector"
)

var crcTable = crc64.MakeTable(crc64.ECMA)

// dims returns the shape of a. It panics if a is nil or empty, because that is a caller's mistake.
func dims(where, name string, a mat.Matrix) (r, c int) {
	if v := reflect.ValueOf(a); a == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(fmt.Sprintf("dictionary: %s: %s is empty", where, name))
	}
	r, c = a.Dims()
	if r == 0 || c == 0 {
		panic(fmt.Sprintf("dictionary: %s: %s is empty", where, name))
	}
	return r, c
}

// points is like dims, but returns an error if a is empty, because empty data are not a programming mistake.
func points(where, name string, a mat.Matrix) (r, c int, err error) {
	if v := reflect.ValueOf(a); a == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(fmt.Sprintf("dictionary: %s: %s is nil", where, name))
	}
	if r, c = a.Dims(); r == 0 || c == 0 {
		return r, c, fmt.Errorf("dictionary: %s: %s is empty", where, name)
	}
	return r, c, nil
}

// transposeHint returns a hint that X (r×c) may be transposed, if the transpose of X would have d rows.
// Otherwise it returns "".
func transposeHint(r, c, d int) string {
	if c == d && r != d {
		return fmt.Sprintf(": want %d×%d, is X transposed?", c, r)
	}
	return ""
}

// signals returns X' (N×D), one signal per row. NaN and Inf are errors. The result is a copy unless X is the
// transpose of a dense matrix.
func signals(fn string, X mat.Matrix) (blas64.General, error) {
	_, N := X.Dims()
	var x blas64.General
	if t, ok := X.(mat.Transpose); ok {
		if m, ok := t.Matrix.(*mat.Dense); ok {
			x = m.RawMatrix()
		}
	}
	if x.Data == nil {
		x = transposed.Columns(X, 0, N).RawMatrix()
	}
	for k := range N {
		if i := finite.Index(row(x, k)); i >= 0 {
			return x, fmt.Errorf("dictionary: %s: X is %v in row %d, column %d", fn, row(x, k)[i], i, k)
		}
	}
	return x, nil
}

// columns returns a copy (D×m) of the columns [from, to) of X (D×N), one signal per column. NaN and Inf are errors.
func columns(fn string, X mat.Matrix, from, to int) (*mat.Dense, error) {
	d, _ := X.Dims()
	var C *mat.Dense
	if M, ok := X.(*mat.Dense); ok {
		C = mat.DenseCopyOf(M.Slice(0, d, from, to))
	} else {
		C = transposed.Columns(transposed.Columns(X, from, to), 0, d)
	}
	if i, k := finite.Find(C); i >= 0 {
		return nil, fmt.Errorf("dictionary: %s: X is %v in row %d, column %d", fn, C.At(i, k), i, from+k)
	}
	return C, nil
}

// row returns row i of a.
func row(a blas64.General, i int) []float64 {
	return a.Data[i*a.Stride : i*a.Stride+a.Cols]
}

// gather copies the signals order[start:end], or start..end-1 if order is nil, from x (N×D) to the rows of xr (m×D) and
// the columns of X (D×m).
func gather(x blas64.General, order []int, start, end int) (xr blas64.General, X *mat.Dense) {
	m, d := end-start, x.Cols
	xr = blas64.General{Rows: m, Cols: d, Stride: d, Data: make([]float64, m*d)}
	X = mat.NewDense(d, m, nil)
	c := X.RawMatrix().Data
	for k := range m {
		at := start + k
		if order != nil {
			at = order[at]
		}
		r := row(xr, k)
		copy(r, row(x, at))
		for i, v := range r {
			c[i*m+k] = v
		}
	}
	return xr, X
}

// fingerprint returns a checksum of x (N×D), which a resumed run uses to recognize its data.
func fingerprint(x blas64.General) uint64 {
	sums := make([]byte, 8*x.Rows)
	parallel.Do((x.Rows+255)/256, 0, func(b int) {
		buf := make([]byte, 8*x.Cols)
		for k := b * 256; k < min(x.Rows, b*256+256); k++ {
			for i, v := range row(x, k) {
				binary.LittleEndian.PutUint64(buf[8*i:], math.Float64bits(v))
			}
			binary.LittleEndian.PutUint64(sums[8*k:], crc64.Checksum(buf, crcTable))
		}
	})
	return crc64.Checksum(sums, crcTable)
}

func norm(a []float64) float64 { return blas64.Nrm2(vector.Of(a)) }
