package features

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	l := Layout{Rows: 4, Cols: 3, ShardRows: 2, Format: Float32}
	rows := func(dst []float32, from, to int) error {
		for i := range dst {
			dst[i] = float32(from*l.Cols + i)
		}
		return nil
	}
	read := func(m *Matrix, err error) *mat.Dense {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		D, err := m.Dense(0, 4)
		if err != nil {
			t.Fatal(err)
		}
		return D
	}
	was, is := t.TempDir(), t.TempDir()
	if r, err := Build(t.Context(), was, l, BuildOptions{}, rows); err != nil || len(r.Made) != 2 {
		t.Fatal(r, err)
	}
	if r, err := BuildShards(t.Context(), is, l, rows, nil); err != nil || len(r.Made) != 2 {
		t.Fatal(r, err)
	}
	if a, b := read(Open(OpenOptions{}, was)), read(OpenShards([]string{is}, nil)); !mat.Equal(a, b) {
		t.Errorf("%v, by the new names %v", a, b)
	}
}
