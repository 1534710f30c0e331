package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overcomplete/paper/record"
)

// An Order is a ranking of several methods that a notebook's text quotes from its source, with the numbers that a run
// has measured for them. The text does not depend on the data. On generated data, or on little data, the measured
// ranking may differ. Then a sentence next to the table and the figure, from the method Note, tells the reader so.
type Order struct {
	Names []string // names of the methods, best first, as in the text
	// Values holds, for each place (a line of a table, for example), the measured values of the methods in
	// the order of Names.
	Values [][]float64
	Places []string // "100 labels of each class"; may be a single empty text
	Unit   string   // "%"; may be empty
	Less   bool     // smaller numbers are better, as for errors
	Data   record.Data
}

// Holds reports whether, at all places, each method is better than the method that follows it in Names.
func (o Order) Holds() bool {
	o.check()
	for i := range o.Values {
		if !o.holdsAt(i) {
			return false
		}
	}
	return true
}

func (o Order) holdsAt(i int) bool {
	for k := 1; k < len(o.Names); k++ {
		if !o.better(o.Values[i][k-1], o.Values[i][k]) {
			return false
		}
	}
	return true
}

func (o Order) better(a, b float64) bool { return a > b != o.Less && a != b }

func (o Order) check() {
	if len(o.Values) == 0 || len(o.Values) != len(o.Places) {
		panic(fmt.Sprintf("lab: Order: values of %d places, names of %d", len(o.Values), len(o.Places)))
	}
	for _, v := range o.Values {
		if len(v) != len(o.Names) {
			panic(fmt.Sprintf("lab: Order: %d values for %d methods", len(v), len(o.Names)))
		}
	}
}

// Note returns a sentence that compares the measured order with the order of the text. The sentence begins with a
// space, so that it can be appended to a caption. On real data Note returns "" if the two orders are the same.
func (o Order) Note() string {
	if o.Holds() {
		if !o.Data.Generated {
			return ""
		}
		return fmt.Sprintf(" The order is that of the text (%s), though the data are generated.", strings.Join(o.Names, ", "))
	}
	var seen []string
	for i, place := range o.Places {
		if o.holdsAt(i) {
			continue
		}
		s := strings.Join(o.ranking(i), ", ")
		if place != "" {
			s = place + ": " + s
		}
		seen = append(seen, s)
	}
	text := strings.Join(o.Names, ", ")
	if o.Data.Generated {
		return fmt.Sprintf(" The text has the order %s, which is that of real data; on these generated data it came out otherwise. %s.", text, capitalize(strings.Join(seen, "; ")))
	}
	return fmt.Sprintf(" The text has the order %s; in this run it came out otherwise. %s.", text, capitalize(strings.Join(seen, "; ")))
}

// ranking returns the methods, each with its number at place i. The best method comes first.
func (o Order) ranking(i int) []string {
	at := make([]int, len(o.Names))
	for k := range at {
		at[k] = k
	}
	slices.SortStableFunc(at, func(a, b int) int {
		c := cmp.Compare(o.Values[i][b], o.Values[i][a])
		if o.Less {
			return -c
		}
		return c
	})
	var out []string
	for _, k := range at {
		s := fmt.Sprintf("%s %.3g", o.Names[k], o.Values[i][k])
		if o.Unit != "" {
			s += " " + o.Unit
		}
		out = append(out, s)
	}
	return out
}

// capitalize returns s with an initial capital.
func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
