package frame

import (
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// values holds the values of a column, as a database returns them.
type values struct {
	name     string
	list     []any
	declared series.Type // type of the column if all values are missing
	decimal  bool        // the strings in list are numbers
}

func (v values) len() int { return len(v.list) }

// join returns a frame of columns of equal length.
func join(columns []values) (dataframe.DataFrame, error) {
	all := make([]series.Series, len(columns))
	for j, c := range columns {
		all[j] = c.series()
	}
	df := dataframe.New(all...)
	return df, df.Err
}

// series returns the column with the narrowest type that fits all of its values.
func (v values) series() series.Series {
	kind, first := v.declared, true
	var clock clock
	list := make([]any, len(v.list))
	for i, x := range v.list {
		list[i] = v.plain(x)
		if t, ok := list[i].(time.Time); ok {
			clock.see(t)
		}
		if list[i] == nil {
			continue
		}
		switch k := kindOf(list[i]); {
		case first:
			kind = k
		case k != kind && isNumber(k) && isNumber(kind):
			kind = series.Float
		case k != kind:
			kind = series.String
		}
		first = false
	}
	for i, x := range list {
		list[i] = element(x, kind, &clock)
	}
	return series.New(list, kind, v.name)
}

func isNumber(k series.Type) bool { return k == series.Int || k == series.Float }

// plain returns a value as nil, int, float64, bool, string or time.Time.
func (v values) plain(x any) any {
	switch x := x.(type) {
	case nil, int, float64, bool, time.Time:
		return x
	case int64:
		return int(x)
	case string:
		return v.word(x)
	case []byte:
		if x == nil {
			return nil
		}
		if !utf8.Valid(x) {
			return `\x` + hex.EncodeToString(x)
		}
		return v.word(string(x))
	}
	r := reflect.ValueOf(x)
	if s, ok := x.(fmt.Stringer); ok {
		return s.String()
	}
	switch {
	case r.CanInt():
		return int(r.Int())
	case r.CanUint():
		if u := r.Uint(); u > math.MaxInt {
			return float64(u)
		}
		return int(r.Uint())
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case r.Kind() == reflect.String:
		return v.word(r.String())
	}
	return fmt.Sprint(x)
}

func (v values) word(s string) any {
	if v.decimal {
		if x, err := parseFloat(s); err == nil {
			return x
		}
	}
	return s
}

func kindOf(x any) series.Type {
	switch x.(type) {
	case int:
		return series.Int
	case float64:
		return series.Float
	case bool:
		return series.Bool
	}
	return series.String
}

// A clock is the format for a column of times. It is chosen so that the formatted strings sort chronologically. If all
// times are midnight UTC, the format is a date. Otherwise, it is RFC 3339 with the same offset from UTC and the same
// number of fractional digits for all times. (With unequal digits, 12:00:00.5Z would sort before 12:00:00Z.) If the
// offsets differ, as between summer and winter, the times are converted to UTC.
type clock struct {
	seen, hours, mixed bool // seen: see() was called; hours: some time is not midnight UTC; mixed: text() converts to UTC
	offset             int  // seconds east of UTC
	digits             int  // of fractions of a second
}

// see adjusts the format so that it also fits the time t. It is called for each time in the column.
func (c *clock) see(t time.Time) {
	hour, minute, second := t.Clock()
	_, offset := t.Zone()
	c.hours = c.hours || hour != 0 || minute != 0 || second != 0 || t.Nanosecond() != 0 || offset != 0
	c.mixed = c.mixed || c.seen && offset != c.offset || offset%60 != 0 // RFC 3339 writes minutes
	c.seen, c.offset = true, offset
	digits := 9
	for n := t.Nanosecond(); digits > 0 && n%10 == 0; n /= 10 {
		digits--
	}
	c.digits = max(c.digits, digits)
}

// text formats t.
func (c *clock) text(t time.Time) string { return string(c.append(nil, t)) }

// append appends the formatted t to b.
func (c *clock) append(b []byte, t time.Time) []byte {
	if !c.hours {
		if year, month, day := t.Date(); year >= 1000 && year <= 9999 { // faster than AppendFormat
			b = strconv.AppendInt(b, int64(year), 10)
			return append(b, '-', byte('0'+month/10), byte('0'+month%10), '-', byte('0'+day/10), byte('0'+day%10))
		}
		return t.AppendFormat(b, time.DateOnly)
	}
	if c.mixed {
		t = t.UTC()
	}
	layout := time.RFC3339
	if c.digits > 0 {
		layout = "2006-01-02T15:04:05." + strings.Repeat("0", c.digits) + "Z07:00"
	}
	return t.AppendFormat(b, layout)
}

// element converts a value to a form that gota accepts for a series of type kind.
func element(x any, kind series.Type, clock *clock) any {
	if x == nil || kind != series.String {
		if n, ok := x.(int); ok && kind == series.Float {
			return float64(n)
		}
		return x
	}
	switch x := x.(type) {
	case time.Time:
		return clock.text(x)
	case float64: // gota would write six decimals
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(x)
}
