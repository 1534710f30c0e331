package render

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/internal/pagedtable"
	"overcomplete/ui/display"
)

var update = flag.Bool("update", false, "write testdata/paged.html and testdata/chart.html, which the tests in ../browser open")

func htmlOf(t *testing.T, v any) string {
	t.Helper()
	s, ok := Value(v).Data[display.MIMETypeHTML].(string)
	if !ok {
		t.Fatalf("%T is not shown as a table: %v", v, Value(v).Data)
	}
	return s
}

var jsonScript = regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`)

// dataOf returns the data for the script of a live table.
func dataOf(t *testing.T, page string) (d pagedtable.Data) {
	t.Helper()
	m := jsonScript.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("a table that is not live:\n%s", page)
	}
	if err := json.Unmarshal([]byte(m[1]), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// staticRows counts the rows that are visible without a script.
func staticRows(page string) int {
	_, body, _ := strings.Cut(page, "<tbody>")
	body, _, _ = strings.Cut(body, "</tbody>")
	return strings.Count(body, "<tr>")
}

// cities returns a frame of 45 rows with words, numbers, gaps, and text that must be escaped.
func cities() dataframe.DataFrame {
	names := []string{"Oslo", "bergen", "Ålesund", "Bodø <i>$5</i>", "</script>"}
	var city, n []string
	var growth []float64
	for i := range 45 {
		city, n = append(city, names[i%len(names)]), append(n, fmt.Sprint(i*7919%101))
		growth = append(growth, float64(i*37%45)/7-2)
		if i%10 == 3 {
			growth[i], n[i] = math.NaN(), "NaN"
		}
	}
	return dataframe.New(series.New(city, series.String, "city"), series.New(growth, series.Float, "growth"),
		series.New(n, series.Int, "n"))
}

func TestPagedHTML(t *testing.T) {
	got := htmlOf(t, cities())
	const name = "testdata/paged.html"
	if *update {
		testfile.Write(t, name, got)
	}
	want := testfile.Read(t, name)
	if got != string(want) {
		t.Errorf("not what is in %s (go test -update, then look at it in the browser):\n%s", name, got)
	}
	if got := staticRows(got); got != pageRows {
		t.Errorf("%d rows are seen without a script, want %d", got, pageRows)
	}
	if !strings.Contains(got, "<p>first 20 of 45 rows, 3 columns</p>") {
		t.Error("it does not say that there are more")
	}
	if other := htmlOf(t, cities()); other != got {
		t.Error("the same value gives different bytes")
	}
	if n := len(pagedtable.Script); n >= 4096 {
		t.Errorf("the script, which each output carries, has %d bytes", n)
	}
}

// TestPlaces: each value is found at its index, and the indices are in the order of the values. Missing
// values are at the end.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n := 2 + r.IntN(100)
		xs, words, ints := make([]float64, n), make([]string, n), make([]int64, n)
		for i := range n {
			xs[i], words[i], ints[i] = math.Round(r.NormFloat64()*10)/4, fmt.Sprint("w", r.IntN(50)), math.MaxInt64-int64(r.IntN(9))
			if r.IntN(5) == 0 {
				xs[i] = math.NaN()
			}
		}
		type row struct {
			X float64
			W string
			I int64
		}
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{xs[i], words[i], ints[i]}
		}
		for len(rows) <= pageRows {
			rows = append(rows, rows[0])
		}
		d := dataOf(t, htmlOf(t, rows))
		if d.Rows != len(rows) || d.All != len(rows) {
			t.Fatalf("%d of %d rows, want %d", d.Rows, d.All, len(rows))
		}
		for a := range rows {
			for j, text := range []string{number(rows[a].X), rows[a].W, fmt.Sprint(rows[a].I)} {
				if got := d.Cols[j].Values[d.Cols[j].Places[a]]; got != text {
					t.Fatalf("row %d, column %d is %q, want %q", a, j, got, text)
				}
			}
			if missing := d.Cols[0].Places[a] >= d.Cols[0].Known; missing != math.IsNaN(rows[a].X) {
				t.Fatalf("%v is missing: %v", rows[a].X, missing)
			}
			for b := range rows {
				less := func(j int) bool { return d.Cols[j].Places[a] < d.Cols[j].Places[b] }
				if rows[a].X < rows[b].X != (less(0) && !math.IsNaN(rows[b].X)) || rows[a].W < rows[b].W != less(1) || rows[a].I < rows[b].I != less(2) {
					t.Fatalf("%+v and %+v are at %v", rows[a], rows[b], d)
				}
			}
		}
	}
}

func TestOrder(t *testing.T) {
	five := 5
	for _, c := range []struct {
		name string
		v    any // a slice of structs whose field K is the column
		want string
	}{
		{"words", []struct{ K string }{{"b"}, {"A"}, {"a"}, {"B"}, {"ä"}}, "A a B b ä"},
		{"bools", []struct{ K bool }{{true}, {false}}, "false true"},
		{"durations", []struct{ K time.Duration }{{time.Minute}, {2 * time.Second}, {3 * time.Hour}}, "2s 1m0s 3h0m0s"},
		{"times", []struct{ K time.Time }{{time.Unix(1e9, 0).UTC()}, {time.Unix(1e8, 0).In(time.FixedZone("X", 7200))}},
			"1973-03-03 11:46:40 +0200 X 2001-09-09 01:46:40 +0000 UTC"},
		{"pointers", []struct{ K *int }{{nil}, {&five}}, "5 <nil>"},
		{"mixed", []struct{ K any }{{"z"}, {10}, {nil}, {9.5}, {uint8(3)}, {"a"}}, "3 9.5 10 a z <nil>"},
		{"large", []struct{ K uint64 }{{math.MaxUint64}, {math.MaxUint64 - 1}}, "18446744073709551614 18446744073709551615"},
		{"unexported", []struct{ k int }{{3}, {-1}}, "-1 3"},
	} {
		g := structsGrid(reflect.ValueOf(c.v))
		if g == nil {
			t.Fatalf("%s: no table", c.name)
		}
		if got := strings.Join(g.cols[0].paged(g.rows).Values, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPagedLimits: however large a frame is, its output is bounded, and says which part is omitted.
func TestPagedLimits(t *testing.T) {
	long := make([]string, 5000)
	for i := range long {
		long[i] = fmt.Sprint(i, strings.Repeat("<", 200))
	}
	var cols []series.Series
	for j := range 60 {
		cols = append(cols, series.New(long, series.String, fmt.Sprint("c", j)))
	}
	page := htmlOf(t, dataframe.New(cols...))
	d := dataOf(t, page)
	if len(jsonScript.FindString(page)) > maxPaged+100 || d.Rows >= maxCarried || d.Rows < 2 || d.All != 5000 {
		t.Errorf("%d bytes carry %d of %d rows", len(page), d.Rows, d.All)
	}
	if len(d.Cols) != maxWide+1 || d.Cols[maxWide/2].Values != nil {
		t.Errorf("%d columns, and no gap between them", len(d.Cols))
	}
	if !strings.Contains(page, "first 20 of 5,000 rows, 60 columns") {
		t.Error("it does not say what is left out")
	}
	if d := dataOf(t, htmlOf(t, make([]point, 12345))); d.Rows != maxCarried || d.All != 12345 || d.Unit != " × render.point" {
		t.Errorf("%d of %d%s", d.Rows, d.All, d.Unit)
	}
	one := dataOf(t, htmlOf(t, slices.Repeat([]map[string]any{{strings.Repeat("k", maxPaged): 1}}, 50)))
	if one.Rows == 0 {
		t.Error("no rows at all")
	}
}

// TestPlainTables: short slices stay plain tables, because notebooks have many short slices.
func TestPlainTables(t *testing.T) {
	if page := htmlOf(t, make([]point, pageRows)); strings.Contains(page, "<script") || !strings.HasPrefix(page, "<table class=\"dataframe\">\n") || staticRows(page) != pageRows {
		t.Errorf("%d structs: %s", pageRows, page)
	}
	if page := htmlOf(t, make([]point, pageRows+1)); staticRows(page) != pageRows || !strings.Contains(page, "<p>first 20 of 21 × render.point</p>") {
		t.Errorf("%d structs: %s", pageRows+1, page)
	}
	one := dataframe.New(series.New([]int{1}, series.Int, "n"))
	if page := htmlOf(t, one); strings.Contains(page, "<script") || !strings.Contains(page, "<p>1 rows, 1 columns</p>") {
		t.Errorf("one row: %s", page)
	}
	if page := htmlOf(t, dataframe.New(series.New([]int{}, series.Int, "n"))); strings.Contains(page, "<script") {
		t.Errorf("no row: %s", page)
	}
}

// FuzzPaged: no value can break out of its place, in HTML or in the script's data.
func FuzzPaged(f *testing.F) {
	f.Add("</script><script>alert(1)</script>", "<!--")
	f.Add("\u2028\x00\xff", "]]>")
	f.Fuzz(func(t *testing.T, a, b string) {
		page := htmlOf(t, dataframe.New(series.New([]string{a, b, a}, series.String, b)))
		if n, m := strings.Count(strings.ToLower(page), "<script"), strings.Count(strings.ToLower(page), "</script"); n != 2 || m != 2 {
			t.Fatalf("%d scripts begin and %d end in\n%s", n, m, page)
		}
		d := dataOf(t, page)
		if len(d.Cols) != 1 || len(d.Cols[0].Places) != 3 {
			t.Fatalf("%+v", d)
		}
		if got := d.Cols[0].Values[d.Cols[0].Places[2]]; got != strings.ToValidUTF8(got, "\ufffd") || a != "NaN" && got != asJSON(cell(a)) {
			t.Errorf("%q became %q", a, got)
		}
	})
}

// asJSON returns s as it is after encoding and decoding as JSON, which replaces invalid UTF-8.
func asJSON(s string) string { return string([]rune(s)) }
