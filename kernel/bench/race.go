package main

import (
	"slices"
	"time"
)

// A turner is one side of a race: one turn of a program, or of what else is measured.
type turner interface {
	// turn returns what was shown and the time in ms.
	turn() (text string, ms float64, err error)
	close()
}

// A side is what a turner has done in a race.
type side struct {
	turner
	first  float64   // the first turn
	later  []float64 // the others
	rounds int       // at most so many later turns
	text   string    // the checksum
	err    error
	used   time.Duration
}

// leastTurns are taken whatever they cost, after the first.
const leastTurns = 2

// race lets the sides take turns, another one first in each round. A side that fails
// takes no more; one that has used up its share of the time given takes only the turns
// that a median needs.
func race(rounds int, given time.Duration, sides []*side) {
	for round := range rounds + 1 {
		for i := range sides {
			s := sides[(round+i)%len(sides)]
			if s.err != nil || len(s.later) >= s.rounds || s.used > given/time.Duration(len(sides)) && len(s.later) >= leastTurns {
				continue
			}
			s.take(round == 0)
		}
	}
}

// take takes a turn.
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

// median returns the median of v, 0 of none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
