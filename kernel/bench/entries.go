package main

import (
	"errors"
	"time"
)

// entries holds the sides of a race (the participants with their times), and the errors that occurred.
type entries struct {
	sides  []*side
	faults []error
}

// add puts t into the race and returns its side. After its first turn, t takes at most the given number of further
// turns. If err is not nil, add only records it. A nil t means that there is no participant. In both cases the
// returned side has no figures and takes no part in the race.
func (e *entries) add(t turner, err error, rounds int) *side {
	s := &side{err: err}
	if err != nil {
		e.faults = append(e.faults, err)
	} else if t != nil {
		s.turner, s.rounds = t, rounds
		e.sides = append(e.sides, s)
	}
	return s
}

// run runs the race and closes all turners.
func (e *entries) run(rounds int, budget time.Duration) {
	race(rounds, budget, e.sides)
	for _, s := range e.sides {
		s.close()
		if s.err != nil {
			e.faults = append(e.faults, s.err)
		}
	}
}

// fault returns the errors as text, or "" if there are none.
func (e *entries) fault() string {
	if err := errors.Join(e.faults...); err != nil {
		return err.Error()
	}
	return ""
}

// figure returns the median of a side's later turns, or 0 if the side failed or did not take part.
func (s *side) figure() float64 {
	if s.err != nil {
		return 0
	}
	return median(s.later)
}
