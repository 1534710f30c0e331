package main

import (
	"errors"
	"time"
)

// entries are the sides of a race, and what went wrong.
type entries struct {
	sides  []*side
	faults []error
}

// add enters a turner for so many rounds after its first turn. One that could not be
// made, or is nil, becomes a side that takes no part and has no figures.
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

// run runs the race, after which no turner is left.
func (e *entries) run(rounds int, given time.Duration) {
	race(rounds, given, e.sides)
	for _, s := range e.sides {
		s.close()
		if s.err != nil {
			e.faults = append(e.faults, s.err)
		}
	}
}

// fault says what went wrong, "" if nothing did.
func (e *entries) fault() string {
	if err := errors.Join(e.faults...); err != nil {
		return err.Error()
	}
	return ""
}

// figure returns the median of a side, 0 if it has failed or not taken part.
func (s *side) figure() float64 {
	if s.err != nil {
		return 0
	}
	return median(s.later)
}
