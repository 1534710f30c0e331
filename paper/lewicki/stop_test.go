package lewicki

import (
	"testing"

	"overcomplete/paper/internal/labtest"
)

// Every experiment ends soon after an interrupt, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, smokeLab, nil, nil)
}
