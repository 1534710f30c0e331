package frame

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Without layouts, Times tries each element of days followed by each element of hours. The first element of hours is
// empty, for texts without a time of day. A text may fit both layouts in the last line of the variable days, which may
// then give different dates.
var (
	days = []string{
		"2006-1-2", "2006/1/2", "20060102", "2006-1",
		"2.1.2006", "2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "2-Jan-2006",
		"1/2/2006", "2/1/2006",
	}
	hours = []string{"", " 15:04", " 15:04:05", "T15:04", "T15:04:05", "T15:04:05Z07:00", " 15:04:05Z07:00", " 15:04:05 -0700"}
)

// Times returns the date and time in each row of a column of strings. The zero Time stands for a missing value. The
// layouts are written as in package time, such as "2.1.2006 15:04", and each text must fit one of them. Without
// layouts, Times tries common layouts, and all texts must fit the same one. The common layouts are 2006-01-02,
// 2006/01/02, 20060102, 2006-01, 02.01.2006, 2 Jan 2006, 2 January 2006, Jan 2, 2006, January 2, 2006, 2-Jan-2006, and
// 01/02/2006 with either the month or the day first. A time of day may follow each of them. Sometimes all texts of a
// column fit both the layout with the month first and the layout with the day first. If the two layouts then give
// different dates, Times returns an error. A time without an offset is in UTC.
func Times(df dataframe.DataFrame, name string, layouts ...string) ([]time.Time, error) {
	return times("Times", df, name, layouts)
}

func times(fn string, df dataframe.DataFrame, name string, layouts []string) ([]time.Time, error) {
	list, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return nil, err
	}
	c := list[0]
	words := c.text
	if words == nil { // 20240506 is read as a number
		words = c.words(allRows(len(c.missing)))
	}
	if len(layouts) > 0 {
		out, bad := parse(c, words, layouts)
		if bad >= 0 {
			return nil, fmt.Errorf("frame: %s: %s, row %d: %q is not in the layout %s", fn, name, bad, words[bad], strings.Join(layouts, " or "))
		}
		return out, nil
	}
	var found []time.Time
	layout, farthest, nearest := "", -1, ""
	for _, day := range days {
		for _, hour := range hours {
			out, bad := parse(c, words, []string{day + hour})
			switch {
			case bad >= 0:
				if bad > farthest {
					farthest, nearest = bad, day+hour
				}
			case found == nil:
				found, layout = out, day+hour
			default:
				for i := range out {
					if !out[i].Equal(found[i]) {
						return nil, fmt.Errorf("frame: %s: %s: %q in row %d may be %s or %s: give the layout, %q or %q",
							fn, name, words[i], i, found[i].Format(time.DateOnly), out[i].Format(time.DateOnly), layout, day+hour)
					}
				}
			}
		}
	}
	switch {
	case found != nil:
		return found, nil
	case farthest > 0:
		return nil, fmt.Errorf("frame: %s: %s: %q in row %d is not in the layout %q, as the rows above are: give all layouts of the column", fn, name, words[farthest], farthest, nearest)
	}
	return nil, fmt.Errorf("frame: %s: %s: %q in row %d is in none of the common layouts: give its layout, as in Times(df, %q, \"2.1.2006 15:04\")", fn, name, words[max(0, farthest)], max(0, farthest), name)
}

// parse parses each of the words with the first layout that fits it, and returns the times. It skips the rows in which
// c has no value. Its second result is the first row whose word fits no layout, or -1.
func parse(c *column, words, layouts []string) (out []time.Time, bad int) {
	out = make([]time.Time, len(words))
next:
	for i, w := range words {
		if c.missing[i] {
			continue
		}
		for _, layout := range layouts {
			if t, err := time.Parse(layout, strings.TrimSpace(w)); err == nil {
				out[i] = t
				continue next
			}
		}
		return nil, i
	}
	return out, -1
}

// Dates returns df with the dates and times of a column in a form that sorts correctly as text: 2006-01-02 if
// the column has only days, otherwise RFC 3339. It reads them as Times does. It also adds columns for By and
// Pivot: named like date_year, date_month (1 to 12), date_day, date_weekday (1 for Monday to 7 for Sunday)
// and, if the column has times of day, date_hour.
func Dates(df dataframe.DataFrame, name string, layouts ...string) (dataframe.DataFrame, error) {
	const fn = "Dates"
	list, err := times(fn, df, name, layouts)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	missing := columnOf(df.Col(name)).missing
	v := values{name: name, declared: series.String, list: make([]any, len(list))}
	var form clock
	for i, t := range list {
		if !missing[i] {
			v.list[i] = t
			form.see(t)
		}
	}
	part := func(what string, f func(t time.Time) int) series.Series {
		x := make([]any, len(list))
		for i, t := range list {
			if !missing[i] {
				x[i] = f(t)
			}
		}
		return series.New(x, series.Int, name+"_"+what)
	}
	out := []series.Series{
		v.series(),
		part("year", time.Time.Year),
		part("month", func(t time.Time) int { return int(t.Month()) }),
		part("day", time.Time.Day),
		part("weekday", func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }),
	}
	if form.hours {
		out = append(out, part("hour", time.Time.Hour))
	}
	return replaceColumns(fn, df, out...)
}
