package gallery

import (
	"bytes"
	"testing"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	X, g := ramp(), Greys(PerTile)
	is := Image(X, 2, 3, &Options{Columns: 2, Grays: PerTile})
	for name, was := range map[string][]uint8{
		"Picture":                     Picture(X, 2, 3, Options{Columns: 2, Grays: PerTile}).Pix,
		"the old field":               Picture(X, 2, 3, Options{Columns: 2, Greys: g}).Pix,
		"the old field in a new call": Image(X, 2, 3, &Options{Columns: 2, Greys: g}).Pix,
	} {
		if !bytes.Equal(was, is.Pix) {
			t.Errorf("%s differs", name)
		}
	}
	if bytes.Equal(Image(X, 2, 3, nil).Pix, is.Pix) {
		t.Error("the options have no effect")
	}
	if Draw(X, 2, 3, Options{Columns: 2}).By("").SVG() != Figure(X, 2, 3, &Options{Columns: 2}).By("").SVG() {
		t.Error("Draw differs")
	}
}
