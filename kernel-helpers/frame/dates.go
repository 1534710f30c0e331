package frame

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Without layouts, Times tries each element of days followed by each element of hours. The first element of hours is
// empty, for strings without a time of day. A string may match both layouts in the last line of the variable days. The
// two layouts may then give different dates.
var (
	days = []string{
		"2006-1-2", "2006/1/2", "20060102", "2006-1",
		"2.1.2006", "2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "2-Jan-2006",
		"1/2/2006", "2/1/2006",
	}
	hours = []string{"", " 15:04", " 15:04:05", "T15:04", "T15:04:05", "T15:04:05Z07:00", " 15:04:05Z07:00", " 15:04:05 -0700"}
)

// Times returns the date and time in each row of a column of strings. The zero Time stands for a missing value. The
// layouts are written as in package time, such as "2.1.2006 15:04", and each string must match one of them.
// Without layouts, Times tries common layouts, and all strings must match the same one. The common layouts are 2006-01-02,
// 2006/01/02, 20060102, 2006-01, 02.01.2006, 2 Jan 2006, 2 January 2006, Jan 2, 2006, January 2, 2006, 2-Jan-2006, and
// 01/02/2006 with either the month or the day first. A time of day may follow each of them. Sometimes all
// strings in a column match both the layout with the month first and the layout with the day first. If the two layouts then give
// different dates, Times returns an error. A time without an offset is in UTC. The abbreviation of a time zone (MST in
// the layout) does not say which offset it means: it is an error, unless it is UTC, GMT or Z, or an offset follows.
func Times(df dataframe.DataFrame, name string, layouts ...string) ([]time.Time, error) {
	list, err := read("Times", df, []string{name}, nil)
	if err != nil {
		return nil, err
	}
	return list[0].times("Times", layouts)
}

// times returns the times of the column, as Times does.
func (c *column) times(fn string, layouts []string) ([]time.Time, error) {
	name, words := c.name, c.text
	if words == nil { // 20240506 is read as a number
		words = c.words(allRows(len(c.missing)))
	}
	if len(layouts) > 0 {
		out, bad, why := parse(c, words, layouts)
		if bad >= 0 {
			if why == "" {
				why = "is not in the layout " + strings.Join(layouts, " or ") + inGo(layouts)
			}
			return nil, fmt.Errorf("frame: %s: %s, row %d: %q %s", fn, name, bad, words[bad], why)
		}
		return out, nil
	}
	var found []time.Time
	layout, farthest, nearest, reason := "", -1, "", ""
	for _, day := range days {
		for _, hour := range hours {
			out, bad, why := parse(c, words, []string{day + hour})
			switch {
			case bad >= 0:
				if bad > farthest || bad == farthest && reason == "" && why != "" {
					farthest, nearest, reason = bad, day+hour, why
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
	case reason != "":
		return nil, fmt.Errorf("frame: %s: %s, row %d: %q %s", fn, name, farthest, words[farthest], reason)
	case farthest > 0:
		return nil, fmt.Errorf("frame: %s: %s: %q in row %d is not in the layout %q, as the rows above are: give all layouts of the column", fn, name, words[farthest], farthest, nearest)
	}
	return nil, fmt.Errorf("frame: %s: %s: %q in row %d is in none of the common layouts: give its layout, as in Times(df, %q, \"2.1.2006 15:04\")", fn, name, words[max(0, farthest)], max(0, farthest), name)
}

// parse parses each of the words with the first layout that fits it, and returns the times. It skips the rows in which
// c has no value. bad is the first row whose word fits no layout, or -1. If this word fits a layout except that its
// day does not exist, or that the offset of its time zone is not known, why says so. Otherwise why is "".
func parse(c *column, words, layouts []string) (out []time.Time, bad int, why string) {
next:
	for i, w := range words {
		if c.missing[i] {
			continue
		}
		w, why = strings.TrimSpace(w), ""
		for _, layout := range layouts {
			t, ok := parseISO(layout, w)
			if !ok {
				var err error
				if t, err = time.Parse(layout, w); err != nil {
					if e, ok := err.(*time.ParseError); ok && e.Message == ": day out of range" {
						why = "is a day that does not exist"
					}
					continue
				}
				if zone := unknownZone(layout, w); zone != "" {
					why = fmt.Sprintf("has the time zone %s, whose offset from UTC is not known: replace it by the offset, such as -05:00, and MST in the layout by -07:00", zone)
					continue
				}
			}
			if out == nil { // most layouts do not fit the first word
				out = make([]time.Time, len(words))
			}
			out[i] = t
			continue next
		}
		return nil, i, why
	}
	if out == nil { // all are missing
		out = make([]time.Time, len(words))
	}
	return out, -1, ""
}

// unknownZone returns the abbreviation of the time zone in w if its offset is not known. w fits the layout. time.Parse
// knows the abbreviations of the computer's own zone, and gives all others the offset 0 without an error.
func unknownZone(layout, w string) string {
	if !strings.Contains(layout, "MST") || strings.Contains(layout, "-07") || strings.Contains(layout, "Z07") {
		return ""
	}
	t, err := time.ParseInLocation(layout, w, time.UTC) // the result must not depend on the computer's zone
	if err != nil {
		return ""
	}
	zone, offset := t.Zone()
	if offset != 0 || zone == "UTC" || zone == "Z" || strings.HasPrefix(zone, "GMT") {
		return ""
	}
	return zone
}

// goLayout replaces each part of a layout in Python or C by the corresponding part of a layout of package time.
var goLayout = strings.NewReplacer("%Y", "2006", "%m", "01", "%d", "02", "%H", "15", "%M", "04", "%S", "05", "%y", "06", "%b", "Jan", "%B", "January",
	"%a", "Mon", "%A", "Monday", "%I", "03", "%p", "PM", "%j", "002", "%f", "000000", "%z", "-0700", "%F", "2006-01-02", "%T", "15:04:05")

// inGo returns the text that a message should add if layouts are written as in Python, or "".
func inGo(layouts []string) string {
	for _, layout := range layouts {
		if strings.Contains(layout, "%") {
			const how = ": layouts are written as in Go, with 2006 for %Y, 01 for %m, 02 for %d, 15 for %H, 04 for %M and 05 for %S"
			if g := goLayout.Replace(layout); !strings.Contains(g, "%") {
				return how + fmt.Sprintf(": %q", g)
			}
			return how
		}
	}
	return ""
}

// parseISO does what time.Parse does, in a fifth of the time, if the text is like 2006-01-02, 2006-01-02 15:04:05 or
// 2006-01-02T15:04:05Z and the layout is one of these. Otherwise ok is false, which does not mean that the text is wrong.
func parseISO(layout, s string) (t time.Time, ok bool) {
	hours, fits := strings.CutPrefix(layout, "2006-1-2")
	if !fits {
		if hours, fits = strings.CutPrefix(layout, time.DateOnly); !fits {
			return t, false
		}
	}
	const day, second = len(time.DateOnly), len(time.DateTime)
	switch {
	case len(s) == day && hours == "":
	case len(s) == second && (hours == " 15:04:05" || hours == "T15:04:05") && s[day] == hours[0]:
	case len(s) == second+1 && (hours == " 15:04:05Z07:00" || hours == "T15:04:05Z07:00") && s[day] == hours[0] && s[second] == 'Z':
		s = s[:second]
	default:
		return t, false
	}
	number := func(from, to int) (n int) {
		for _, c := range []byte(s[from:to]) {
			if c < '0' || c > '9' {
				ok = false
			}
			n = 10*n + int(c-'0')
		}
		return n
	}
	ok = s[4] == '-' && s[7] == '-'
	year, month, date := number(0, 4), number(5, 7), number(8, 10)
	hour, minute, sec := 0, 0, 0
	if len(s) == second {
		ok = ok && s[13] == ':' && s[16] == ':'
		hour, minute, sec = number(11, 13), number(14, 16), number(17, 19)
	}
	// time.Parse looks at the last days of months.
	if !ok || month < 1 || month > 12 || date < 1 || date > 28 && (month == 2 || date > 30) || hour > 23 || minute > 59 || sec > 59 {
		return t, false
	}
	return time.Date(year, time.Month(month), date, hour, minute, sec, 0, time.UTC), true
}

// Dates returns df with the dates and times of a column in a form that sorts correctly as text: 2006-01-02 if the
// column has only days, otherwise RFC 3339. It reads them as Times does. It also adds columns for By and Pivot: named
// like date_year, date_month (1 to 12), date_day, date_weekday (1 for Monday to 7 for Sunday) and, if the column has
// times of day, date_hour. They replace columns of the same names. If the times have different offsets from UTC, all
// become UTC, and the added columns are those of UTC. (One common offset is kept, and the added columns are those of
// the local time.)
func Dates(df dataframe.DataFrame, name string, layouts ...string) (dataframe.DataFrame, error) {
	const fn = "Dates"
	found, err := read(fn, df, []string{name}, nil)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	c := found[0]
	list, err := c.times(fn, layouts)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	var form clock
	for i, t := range list {
		if !c.missing[i] {
			form.see(t)
		}
	}
	year, month, day, weekday, hour := make([]int, len(list)), make([]int, len(list)), make([]int, len(list)), make([]int, len(list)), make([]int, len(list))
	for i, t := range list {
		if form.mixed {
			t = t.UTC() // as in the text
		}
		y, m, d := t.Date()
		year[i], month[i], day[i], weekday[i], hour[i] = y, int(m), d, (int(t.Weekday())+6)%7+1, t.Hour()
	}
	part := func(what string, x []int) series.Series { return c.whole(x, name+"_"+what) }
	out := []series.Series{form.texts(c, list), part("year", year), part("month", month), part("day", day), part("weekday", weekday)}
	if form.hours {
		out = append(out, part("hour", hour))
	}
	return replaceColumns(fn, df, out...)
}

// whole returns a series of the numbers x, which are missing where the values of c are missing. The numbers must be
// close together, because whole first makes a list of all numbers from the least to the largest.
func (c *column) whole(x []int, name string) series.Series {
	low, high := 0, -1
	for i, v := range x {
		if !c.missing[i] {
			if high < low {
				low, high = v, v
			}
			low, high = min(low, v), max(high, v)
		}
	}
	values := make([]any, high-low+2) // the last one is missing
	for k := range high - low + 1 {
		values[k] = low + k
	}
	from := make([]int, len(x))
	for i, v := range x {
		from[i] = v - low
		if c.missing[i] {
			from[i] = high - low + 1
		}
	}
	return series.New(values, series.Int, name).Subset(from)
}

// texts returns the formatted times as a series. The times are missing where the values of c are missing.
func (f *clock) texts(c *column, list []time.Time) series.Series {
	var all strings.Builder // memory is allocated once for all strings, because most have the same length
	var buf []byte
	end := make([]int, len(list))
	for i, t := range list {
		if !c.missing[i] {
			buf = f.append(buf[:0], t)
			if all.Len() == 0 {
				all.Grow(len(buf) * len(list))
			}
			all.Write(buf)
		}
		end[i] = all.Len()
	}
	out, text, from := blank(len(list), series.String, c.name), all.String(), 0
	var w word
	for i := range list {
		if !c.missing[i] {
			w.text = text[from:end[i]]
			out.Elem(i).Set(&w)
		}
		from = end[i]
	}
	return out
}

// A word is a string that an element of a series can be set to without an allocation. The element calls only String.
type word struct {
	series.Element
	text string
}

func (w *word) String() string { return w.text }
