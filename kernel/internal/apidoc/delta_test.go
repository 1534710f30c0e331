package apidoc

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestDelta: Delta describes any text, and the description is short if little has changed.
func TestDelta(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefgh"[rng.IntN(8)]
		}
		return b
	}
	for range 200 {
		old := text(rng.IntN(3000))
		data := bytes.Clone(old)
		edits := rng.IntN(5)
		for range edits {
			at := rng.IntN(len(data) + 1)
			to := min(len(data), at+rng.IntN(40))
			data = bytes.Join([][]byte{data[:at], text(rng.IntN(40)), data[to:]}, nil)
		}
		d := Delta(old, data)
		if got, err := Patch(old, d); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%q is not %q: %v", got, data, err)
		}
		if len(d) > 200*edits+100 {
			t.Errorf("%d bytes for %d edits", len(d), edits)
		}
	}
	for _, d := range [][]byte{nil, {5}, {0}, {0, 1}, {0, 1, 200}, {0, 200, 0}, {0, 1, 0}} {
		if got, err := Patch([]byte("abc"), d); err == nil && len(got) > 0 {
			t.Errorf("%v: %q", d, got)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte("an older text of some length"), Delta([]byte("an older text of some length"), []byte("a newer text of some length")))
	f.Fuzz(func(t *testing.T, old, delta []byte) { _, _ = Patch(old, delta) })
}
