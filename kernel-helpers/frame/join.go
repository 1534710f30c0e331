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
// right come last. opt may be nil.
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
	lkey, rkey := joinKeys(lkeys), joinKeys(rkeys)
	check := func(key []string, side string) error {
		seen := map[string]int{}
		for i, k := range key {
			if first, twice := seen[k]; twice && k != "" {
				return fmt.Errorf("frame: %s: rows %d and %d of %s have the same keys", fn, first, i, side)
			}
			seen[k] = i
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
	rows := map[string][]int{} // of right
	for i, k := range rkey {
		if k != "" {
			rows[k] = append(rows[k], i)
		}
	}
	j := &JoinResult{}
	var l, r []int
	found := make([]bool, len(rkey))
	for i, k := range lkey {
		for _, other := range rows[k] {
			l, r, found[other] = append(l, i), append(r, other), true
			j.Matched++
		}
		if len(rows[k]) == 0 {
			j.LeftOnly++
			j.MissingKeys += b2i(k == "")
			if o.Kind == Left || o.Kind == Outer {
				l, r = append(l, i), append(r, -1)
			}
		}
	}
	for i, k := range rkey {
		if !found[i] {
			j.RightOnly++
			j.MissingKeys += b2i(k == "")
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
		for _, name := range df.Names() {
			if slices.Contains(keys, name) {
				continue
			}
			s := columnOf(df.Col(name)).take(rows)
			if slices.Contains(other, name) {
				s.Name = name + side
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

// joinKeys returns the keys of each row as one text. The text is "" if a key is missing.
func joinKeys(keys []*column) []string {
	out := make([]string, len(keys[0].missing))
	for i := range out {
		for _, c := range keys {
			if c.missing[i] {
				out[i] = ""
				break
			}
			word := ""
			if c.x != nil {
				word = shortest(c.x[i] + 0) // -0 is 0
			} else {
				word = c.text[i]
			}
			out[i] += fmt.Sprintf("%d:%s", len(word), word)
		}
	}
	return out
}

// coalesce returns a key column of the joined frame. The argument a is this column in the left frame, and b is the same
// column in the right frame. Row k has the value of a in row l[k]. If l[k] is -1 because there is no row of the left
// frame, row k has the value of b in row r[k].
func coalesce(a, b *column, l, r []int) series.Series {
	list := make([]any, len(l))
	kind := a.series.Type()
	if kind != b.series.Type() {
		kind = series.Float // int and float
	}
	for k := range list {
		c, i := a, l[k]
		if i < 0 {
			c, i = b, r[k]
		}
		switch {
		case c.missing[i]:
		case kind == series.Float:
			list[k] = c.x[i]
		default:
			list[k] = c.series.Val(i)
		}
	}
	return series.New(list, kind, a.name)
}
