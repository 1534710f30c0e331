package figure_test

import (
	"testing"

	"overcomplete/kernel-helpers/figure"
)

// TestDeprecated checks that each deprecated name does what its replacement does.
func TestDeprecated(t *testing.T) {
	var m figure.ColourMap = figure.Greys
	if figure.Grey != figure.Gray || figure.Colour(3) != figure.Color(3) || m(0.3) != figure.Grays(0.3) {
		t.Error("a color differs by its old name")
	}
}
