package bradley2008

import (
	"testing"

	"overcomplete/paper/internal/labtest"
)

// Every experiment ends soon when it is interrupted, and can be run again.
func TestStops(t *testing.T) {
	labtest.NoData(t)
	labtest.Stops(t, func(t *testing.T) *Lab {
		l := smokeLab(t)
		l.Settings() // every experiment needs the digits
		return l
	}, map[string][]any{
		"Decomposition":  {0},
		"LearnBasis":     {64, 0.3},
		"LetterSearch":   {100},
		"LetterSettings": {100},
	}, map[string]string{
		"BackpropErrors":   "Table2 is made of them",
		"BackpropFeatures": "Figure2 is made of them",
		"MaxentErrors":     "Table2 is made of them",
		"ScheduleTrials":   "they are made at full size alone",
		"Specialise":       "Table2 is made of them",
		"SpecialisedOn":    "Table2 is made of them",
	})
}
