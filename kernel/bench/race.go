package main

import (
	"errors"
	"slices"
	"time"
)

// A turner is a participant in a race, in which several participants are measured in turns. In each turn it runs its
// program, or makes some other kind of measurement, once.
type turner interface {
	// turn performs one measurement and returns the output and the time in ms.
	turn() (text string, ms float64, err error)
	close()
}

// A side is one participant in a race, with its results.
type side struct {
	turner
	first  float64   // time of the first turn
	later  []float64 // times of the later turns
	rounds int       // maximum number of later turns
	text   string    // the checksum
	err    error
	used   time.Duration
}

// leastTurns is the number of later turns that each side takes regardless of the time budget.
const leastTurns = 2

// race lets the sides take turns: each takes a first turn, and then one turn in each of the given number of rounds. A
// side stops earlier when it has taken its own maximum of later turns. Each round begins with a different side. A side
// that fails takes no more turns. The time budget is divided equally among the sides. A side that has used up its share
// stops once it has taken leastTurns later turns.
func race(rounds int, budget time.Duration, sides []*side) {
	for round := range rounds + 1 {
		for i := range sides {
			s := sides[(round+i)%len(sides)]
			if s.err != nil || len(s.later) >= s.rounds || s.used > budget/time.Duration(len(sides)) && len(s.later) >= leastTurns {
				continue
			}
			s.take(round == 0)
		}
	}
}

// take lets the side perform one turn, and records the turn's time. first says whether this is the side's first turn. A
// failure is recorded as the side's error. An output that differs from the output of the first turn is also an error.
func (s *side) take(first bool) {
	begin := time.Now()
	text, ms, err := s.turn()
	s.used += time.Since(begin)
	switch {
	case err != nil:
		s.err = err
	case first:
		s.first, s.text = ms, text
	default:
		s.later = append(s.later, ms)
		if text != s.text {
			s.err = errChanged{s.text, text}
		}
	}
}

type errChanged struct{ first, later string }

func (e errChanged) Error() string { return "shows " + e.later + " after " + e.first }

// median returns the median of v, or 0 if v is empty.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// entries are the sides of a race (the participants with their times), and the errors that occurred.
type entries struct {
	sides  []*side
	faults []error
}

// add puts t into the race and returns its side. After its first turn, t takes at most rounds further turns. If err is
// not nil, add only records it. A nil t means that there is no participant. In both cases the returned side has no
// figures and takes no part in the race.
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
