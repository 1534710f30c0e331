package lecturesparse

import (
	"testing"

	"overcomplete/paper/internal/labtest"
)

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, nil, nil)
}
