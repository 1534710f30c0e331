package frame

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// A JoinKind says which rows Join keeps.
type JoinKind int

const (
	// Inner keeps the rows of left and right that match.
	Inner JoinKind = iota
	// Left also keeps the rows of left that match nothing.
	Left
	// Right also keeps the rows of right that match nothing.
	Right
	// Outer keeps all rows of left and right.
	Outer
)

// A Relation says whether several rows of left, or several rows of right, may have the same keys. If more rows have
// the same keys than the Relation allows, Join returns an error.
type Relation int

const (
	// ManyToMany allows any keys.
	ManyToMany Relation = iota
	// ManyToOne allows each key at most once in right.
	ManyToOne
	// OneToMany allows each key at most once in left.
	OneToMany
	// OneToOne allows each key at most once in left and at most once in right.
	OneToOne
)

// JoinOptions are the options of Join. The zero value is ready to use.
type JoinOptions struct {
	// Kind says which rows are kept. The zero value is Inner.
	Kind JoinKind
	// Relation says how often keys may occur; Join checks this. The zero value is ManyToMany, which allows all.
	Relation Relation
}

// A JoinResult is the outcome of Join.
type JoinResult struct {
	// Frame has the keys, then the other columns of left, then those of right. If both have a column of the same name, the
	// two are named like name_left and name_right.
	Frame dataframe.DataFrame
	// Matched is the number of rows of Frame that have a row of left and one of right.
	Matched int
	// LeftOnly and RightOnly are the numbers of rows of left and right that match nothing, whether or not Frame has
	// these rows.
	LeftOnly, RightOnly int
	// MissingKeys is the number of rows of left and right, among LeftOnly and RightOnly, in which a key is missing.
	MissingKeys int
}

// String says how many rows matched.
func (j *JoinResult) String() string {
	return fmt.Sprintf("%d rows: %d matched; %d of left and %d of right match nothing, %d of them for a missing key", j.Frame.Nrow(), j.Matched, j.LeftOnly, j.RightOnly, j.MissingKeys)
}

// Join returns a row for each pair of rows, one of left and one of right, that agree in all columns whose names are in
// keys. A missing value in one of these columns matches nothing. opt.Kind says whether rows that match nothing are kept
// too. The rows are in the order of left and, for each row of left, in the order of right. Rows that exist only in
// right come last. A key column may have ints in one frame and floats in the other: the numbers are compared exactly,
// and the result has floats. opt may be nil.
//
//	j, err := frame.Join(measured, sites, []string{"site"}, &frame.JoinOptions{Kind: frame.Left, Relation: frame.ManyToOne})
func Join(left, right dataframe.DataFrame, keys []string, opt *JoinOptions) (*JoinResult, error) {
	const fn = "Join"
	var o JoinOptions
	if opt != nil {
		o = *opt
	}
	if o.Kind < Inner || o.Kind > Outer {
		return nil, fmt.Errorf("frame: %s: Kind is %d, must be Inner, Left, Right or Outer", fn, o.Kind)
	}
	if o.Relation < ManyToMany || o.Relation > OneToOne {
		return nil, fmt.Errorf("frame: %s: Relation is %d, must be ManyToMany, ManyToOne, OneToMany or OneToOne", fn, o.Relation)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("frame: %s: there are no keys", fn)
	}
	lkeys, err := read(fn, left, keys, nil)
	if err != nil {
		return nil, fmt.Errorf("%w (left)", err)
	}
	rkeys, err := read(fn, right, keys, nil)
	if err != nil {
		return nil, fmt.Errorf("%w (right)", err)
	}
	for k, c := range lkeys {
		if (c.x == nil) != (rkeys[k].x == nil) {
			return nil, fmt.Errorf("frame: %s: %s is of type %s in left and %s in right", fn, c.name, c.series.Type(), rkeys[k].series.Type())
		}
	}
	lkey, rkey, n := joinKeys(lkeys, rkeys)
	check := func(key []int, side string) error {
		seen := make([]int, n) // the row with this key, from 1
		for i, k := range key {
			if k < 0 {
				continue
			}
			if seen[k] > 0 {
				return fmt.Errorf("frame: %s: rows %d and %d of %s have the same keys", fn, seen[k]-1, i, side)
			}
			seen[k] = i + 1
		}
		return nil
	}
	if o.Relation == ManyToOne || o.Relation == OneToOne {
		if err := check(rkey, "right"); err != nil {
			return nil, err
		}
	}
	if o.Relation == OneToMany || o.Relation == OneToOne {
		if err := check(lkey, "left"); err != nil {
			return nil, err
		}
	}
	rows := rowsByNumber(rkey, n)
	j := &JoinResult{}
	size := 0
	for _, k := range lkey {
		if k >= 0 {
			size += len(rows[k])
		}
	}
	l, r := make([]int, 0, max(size, len(lkey))), make([]int, 0, max(size, len(lkey)))
	found := make([]bool, n) // the keys of left
	for i, k := range lkey {
		var matches []int
		if k >= 0 {
			matches, found[k] = rows[k], true
		}
		for _, other := range matches {
			l, r = append(l, i), append(r, other)
			j.Matched++
		}
		if len(matches) == 0 {
			j.LeftOnly++
			j.MissingKeys += b2i(k < 0)
			if o.Kind == Left || o.Kind == Outer {
				l, r = append(l, i), append(r, -1)
			}
		}
	}
	for i, k := range rkey {
		if k < 0 || !found[k] {
			j.RightOnly++
			j.MissingKeys += b2i(k < 0)
			if o.Kind == Right || o.Kind == Outer {
				l, r = append(l, -1), append(r, i)
			}
		}
	}
	var all []series.Series
	for k, c := range lkeys {
		all = append(all, coalesce(c, rkeys[k], l, r))
	}
	add := func(df dataframe.DataFrame, other []string, rows []int, side string) {
		for _, s := range seriesOf(df) {
			if slices.Contains(keys, s.Name) {
				continue
			}
			s = take(s, rows)
			if slices.Contains(other, s.Name) {
				s.Name += side
			}
			all = append(all, s)
		}
	}
	add(left, right.Names(), l, "_left")
	add(right, left.Names(), r, "_right")
	j.Frame, err = newFrame(fn, all...)
	if err != nil {
		return nil, err
	}
	return j, nil
}

// joinKeys numbers the keys of the rows of both frames from 0 to n-1. Rows with equal keys have equal numbers. The number
// is -1 if a key is missing.
func joinKeys(left, right []*column) (l, r []int, n int) {
	l, r = make([]int, len(left[0].missing)), make([]int, len(right[0].missing))
	n = min(1, len(l)+len(r))
	for k := range left {
		number := numberer(left[k], right[k])
		next := 0
		add := func(c *column, of []int, factor int) {
			for i, missing := range c.missing {
				switch {
				case of[i] < 0:
				case missing:
					of[i] = -1
				default:
					v := number(c, i, next)
					next = max(next, v+1)
					of[i] += factor * v
				}
			}
		}
		if k == 0 {
			add(left[k], l, 1)
			add(right[k], r, 1)
			n = next
			continue
		}
		add(left[k], l, n)
		add(right[k], r, n)
		// There may be more pairs than rows: number those that occur.
		pairs := map[int]int{}
		for _, of := range [][]int{l, r} {
			for i, pair := range of {
				if pair >= 0 {
					v, known := pairs[pair]
					if !known {
						v = len(pairs)
						pairs[pair] = v
					}
					of[i] = v
				}
			}
		}
		n = len(pairs)
	}
	return l, r, n
}

// rowsByNumber returns, for each number from 0 to n-1, the rows that have the number, in ascending order. Rows with
// negative numbers are left out.
func rowsByNumber(number []int, n int) [][]int {
	size := make([]int, n)
	for _, k := range number {
		if k >= 0 {
			size[k]++
		}
	}
	all, rows, from := make([]int, len(number)), make([][]int, n), 0
	for k, m := range size {
		rows[k] = all[from : from : from+m]
		from += m
	}
	for i, k := range number {
		if k >= 0 {
			rows[k] = append(rows[k], i)
		}
	}
	return rows
}

// coalesce returns a key column of the joined frame. The argument a is this column in the left frame, and b is the same
// column in the right frame. Row k has the value of a in row l[k]. If l[k] is -1 because there is no row of the left
// frame, row k has the value of b in row r[k].
func coalesce(a, b *column, l, r []int) series.Series {
	kind := a.series.Type()
	if kind == b.series.Type() && !slices.Contains(l, -1) {
		return take(a.series, l)
	}
	if kind != b.series.Type() {
		kind = series.Float // int and float
	}
	return gather(len(l), kind, a.name, func(k int) (*column, int) {
		if l[k] < 0 {
			return b, r[k]
		}
		return a, l[k]
	})
}
