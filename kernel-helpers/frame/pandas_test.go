package frame

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/patience"
	"overcomplete/internal/pyenv"
	"overcomplete/kernel-helpers/internal/peer"
)

// A pandasCase is a call, and the table that pandas gives for it; testdata/expected.py writes these tables.
type pandasCase struct {
	File, Call string
	Args       []any
	Rows       int
	Table      [][2]any // names, values
}

func (c pandasCase) String() string { return fmt.Sprintf("%s of %s with %v", c.Call, c.File, c.Args) }

func words(list any) (out []string) {
	for _, v := range list.([]any) {
		out = append(out, v.(string))
	}
	return out
}

func floatsOf(list any) (out []float64) {
	for _, v := range list.([]any) {
		out = append(out, v.(float64))
	}
	return out
}

var statNamed = map[string]func(...string) Stat{"mean": Mean, "median": Median, "max": Max}

// frame returns the frame that package frame gives for the call.
func (c pandasCase) frame(t *testing.T) (dataframe.DataFrame, error) {
	var opt *CSVOptions
	if c.File == "air" {
		opt = &CSVOptions{Missing: []string{"-999"}}
	}
	df, err := ReadCSV("testdata/"+c.File+".csv", opt)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Args
	switch c.Call {
	case "Describe":
		return Describe(df)
	case "By":
		of := words(a[1])
		return By(df, words(a[0])...).Agg(Mean(of...), Median(of...), SD(of...), Min(of...), Max(of...), Sum(of...), Count(of...), Distinct(of...),
			Quantile(0.9, of...), First(of...), Last(of...))
	case "ValueCounts":
		return ValueCounts(df, a[0].(string))
	case "Cut":
		return Cut(df, a[0].(string), floatsOf(a[1]), words(a[2])...)
	case "Quantiles":
		edges, err := Quantiles(df, a[0].(string), int(a[1].(float64)))
		return dataframe.New(series.New(edges, series.Float, "edges")), err
	case "Pivot":
		if df, err = DropMissing(df, a[0].(string), a[1].(string)); err != nil {
			return df, err
		}
		return Pivot(df, a[0].(string), a[1].(string), statNamed[a[2].(string)](a[3].(string)))
	case "DropMissing":
		return DropMissing(df, words(any(a))...)
	case "FillForward":
		return FillForward(df)
	case "FillBackward":
		return FillBackward(df)
	case "FillStat":
		w := words(any(a))
		return FillStat(df, statNamed[w[0]](w[1:]...))
	case "Fill":
		return Fill(df, a[0], words(any(a[1:]))...)
	case "Dates":
		return Dates(df, a[0].(string))
	case "OneHot":
		return OneHot(df, a[0].(string))
	case "Join":
		right, err := ReadCSV("testdata/customers.csv", nil)
		if err != nil {
			t.Fatal(err)
		}
		kind := map[string]JoinKind{"inner": Inner, "left": Left, "right": Right, "outer": Outer}[a[0].(string)]
		j, err := Join(df, right, words(a[1]), &JoinOptions{Kind: kind})
		if err != nil {
			return df, err
		}
		if got, want := fmt.Sprint(j.Matched, j.LeftOnly, j.RightOnly), fmt.Sprint(a[2:]...); got != want {
			t.Errorf("%v: counts %s, want %s", c, got, want)
		}
		return j.Frame, nil
	}
	t.Fatalf("unknown call %s", c.Call)
	return df, nil
}

// same reports whether a value of a frame is pandas' value, but for rounding.
func same(e series.Element, want any) bool {
	switch w := want.(type) {
	case nil:
		return e.IsNA()
	case string:
		if e.Type() == series.Float {
			return w == map[bool]string{true: "inf", false: "-inf"}[e.Float() > 0] && math.IsInf(e.Float(), 0)
		}
		return !e.IsNA() && e.Type() == series.String && e.String() == w
	case bool:
		b, err := e.Bool()
		return err == nil && e.Type() == series.Bool && b == w
	case float64:
		if w == 0 && e.Type() == series.Float && math.Abs(e.Float()) < 1e-150 {
			return true // pandas loses the squares of such deviations
		}
		return e.Type() != series.String && math.Abs(e.Float()-w) <= 1e-12*math.Max(math.Abs(w), 1e-300)
	}
	return false
}

func readPandas(t *testing.T) (raw []byte, cases []pandasCase) {
	raw, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []pandasCase }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return raw, all.Cases
}

// TestPandas compares every value of the named columns with that of pandas, row by row; only the rows of a join may be
// in any order.
func TestPandas(t *testing.T) {
	_, cases := readPandas(t)
	values := map[string]int{}
	for _, c := range cases {
		df, err := c.frame(t)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if df.Nrow() != c.Rows {
			t.Errorf("%v: %d rows, want %d", c, df.Nrow(), c.Rows)
			continue
		}
		order := allRows(c.Rows)
		if c.Call == "Join" { // sort the rows of both by their text
			slices.SortFunc(order, func(i, j int) int { return strings.Compare(record(df, c, i), record(df, c, j)) })
			theirs := allRows(c.Rows)
			slices.SortFunc(theirs, func(i, j int) int { return strings.Compare(c.record(i), c.record(j)) })
			back := make([]int, len(order))
			for k, i := range theirs {
				back[i] = order[k]
			}
			order = back
		}
		for _, column := range c.Table {
			name := column[0].(string)
			k := slices.Index(df.Names(), name)
			if k < 0 {
				k = slices.Index(df.Names(), strings.TrimSuffix(name, ".0")) // ints that pandas has as floats
			}
			if k < 0 {
				t.Errorf("%v: no column %s among %v", c, name, df.Names())
				continue
			}
			for i, want := range column[1].([]any) {
				if e := df.Elem(order[i], k); !same(e, want) {
					t.Errorf("%v: %s, row %d: %v, want %v", c, name, i, e, want)
				}
				values[c.Call]++
			}
		}
		// Nothing but the columns of pandas, and what frame adds.
		if c.Call == "By" || c.Call == "Join" || c.Call == "Pivot" || c.Call == "OneHot" {
			if got, want := df.Ncol(), len(c.Table); got != want {
				t.Errorf("%v: %d columns %v, want %d", c, got, df.Names(), want)
			}
		}
	}
	total := 0
	for _, n := range values {
		total += n
	}
	t.Logf("%d values of %d calls agree or are reported above: %v", total, len(cases), values)
	if len(cases) < 60 || total < 3000 {
		t.Errorf("only %d cases with %d values", len(cases), total)
	}
}

// record returns row i of df as text, in the columns of c.
func record(df dataframe.DataFrame, c pandasCase, i int) (text string) {
	for _, column := range c.Table {
		e := df.Elem(i, slices.Index(df.Names(), column[0].(string)))
		switch {
		case e.IsNA():
			text += "|"
		case e.Type() == series.String:
			text += "|" + e.String()
		default:
			text += fmt.Sprint("|", e.Float())
		}
	}
	return text
}

func (c pandasCase) record(i int) (text string) {
	for _, column := range c.Table {
		if v := column[1].([]any)[i]; v != nil {
			text += fmt.Sprint("|", v)
		} else {
			text += "|"
		}
	}
	return text
}

// TestPandasIsRecent runs testdata/expected.py again, if pandas is installed, and compares.
func TestPandasIsRecent(t *testing.T) {
	patience.SkipShort(t, "it has Python import pandas")
	py := pyenv.Python("pandas", pyenv.Peers)
	if py == "" {
		t.Skip("no pandas here (go run ./internal/pyenv/make peers)")
	}
	dir := t.TempDir()
	script, err := os.ReadFile("testdata/expected.py")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/expected.py", script, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(py, dir+"/expected.py").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first line has the versions. Rounding may differ between processors.
	got, err := os.ReadFile(dir + "/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := readPandas(t)
	var a, b struct{ Cases any }
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	if where := differs(a.Cases, b.Cases); where != "" {
		t.Errorf("pandas now gives something else%s", where)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".csv") {
			continue
		}
		tables++
		made, err := os.ReadFile(dir + "/" + f.Name())
		kept, err2 := os.ReadFile("testdata/" + f.Name())
		if err != nil || err2 != nil || !bytes.Equal(made, kept) {
			t.Errorf("%s is another table than the script writes: %v, %v", f.Name(), err, err2)
		}
	}
	if tables != 10 {
		t.Errorf("%d tables", tables)
	}
}

// differs returns where two values from JSON differ by more than rounding, or "".
func differs(a, b any) string {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return fmt.Sprintf(": %.80v, %.80v", a, b)
		}
		for i := range a {
			if where := differs(a[i], b[i]); where != "" {
				return fmt.Sprintf("[%d]%s", i, where)
			}
		}
		return ""
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return ": another object"
		}
		for k := range a {
			if where := differs(a[k], b[k]); where != "" {
				return "." + k + where
			}
		}
		return ""
	case float64:
		if b, ok := b.(float64); ok && math.Abs(a-b) <= 1e-12*math.Abs(b) {
			return ""
		}
	}
	if a != b {
		return fmt.Sprintf(": %v, %v", a, b)
	}
	return ""
}

// TestCSVFormsOfPandas reads the numbers of european as pandas does. Of the dates pandas makes numbers.
func TestCSVFormsOfPandas(t *testing.T) {
	py := peer.Start(t, 1, `
import io, pandas
def column(text, name):
	return pandas.read_csv(io.StringIO(text), sep=";", decimal=",", thousands=".", na_values=["-999,0"])[name].fillna(-1e300).tolist()
`, "pandas")
	df := must(t)(FromCSV(strings.NewReader(european), &CSVOptions{Comma: ';', Decimal: ',', Thousands: '.', Missing: []string{"-999"}}))
	for _, name := range []string{"x", "n", "e"} {
		got, want := df.Col(name).Float(), py.Floats(fmt.Sprintf("column(%q, %q)", european, name))
		for i := range want {
			if missing := want[i] == -1e300; missing != math.IsNaN(got[i]) || !missing && got[i] != want[i] {
				t.Errorf("%s, row %d: %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}

// BenchmarkPandas compares the slowest functions with pandas, on 200,000 rows.
func BenchmarkPandas(b *testing.B) {
	const n, sites = 200_000, 500
	rng := rand.New(rand.NewPCG(1, 6))
	var left, right strings.Builder
	left.WriteString("id,site,month,temp,no2,day,at\n")
	begin := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for range n {
		temp := ""
		if rng.IntN(50) > 0 {
			temp = fmt.Sprintf("%.2f", rng.NormFloat64()*10)
		}
		at := begin.Add(time.Duration(rng.IntN(20*365*24*3600)) * time.Second)
		fmt.Fprintf(&left, "%d,site %d,%d,%s,%v,%s,%s\n", rng.IntN(n), rng.IntN(sites), 1+rng.IntN(12), temp, rng.ExpFloat64(), at.Format(time.DateOnly), at.Format(time.DateTime))
	}
	right.WriteString("id,site,height,owner\n")
	for i, id := range rng.Perm(n)[:n/2] {
		fmt.Fprintf(&right, "%d,site %d,%d,owner %d\n", id, i, i%97, i%1000)
	}
	dir := b.TempDir()
	for name, text := range map[string]string{"left": left.String(), "right": right.String()} {
		if err := os.WriteFile(dir+"/"+name+".csv", []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	py := peer.Start(b, 2, fmt.Sprintf(`
import pandas as pd
left, right = (pd.read_csv("%s/" + name + ".csv") for name in ("left", "right"))
def dates(s):
	t = pd.to_datetime(s)
	return pd.DataFrame(dict(t=t, year=t.dt.year, month=t.dt.month, day=t.dt.day, weekday=t.dt.weekday + 1, hour=t.dt.hour))
`, dir), "pandas")
	l, err := ReadCSV(dir+"/left.csv", nil)
	if err != nil {
		b.Fatal(err)
	}
	r, err := ReadCSV(dir+"/right.csv", nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		mine   func() error
		pandas string
	}{
		{"JoinInts", func() error {
			_, err := Join(l, r, []string{"id"}, &JoinOptions{Kind: Left, Relation: ManyToOne})
			return err
		}, `left.merge(right, on="id", how="left", validate="m:1")`},
		{"JoinTexts", func() error {
			_, err := Join(l, r, []string{"site"}, &JoinOptions{Relation: ManyToOne})
			return err
		}, `left.merge(right, on="site", validate="m:1")`},
		{"JoinTwo", func() error { _, err := Join(l, r, []string{"site", "id"}, nil); return err }, `left.merge(right, on=["site", "id"])`},
		{"By", func() error {
			_, err := By(l, "site", "month").Agg(Mean("temp", "no2"), Median("no2"), SD("temp"))
			return err
		}, `left.groupby(["site", "month"], dropna=False).agg(a=("temp", "mean"), b=("no2", "mean"), c=("no2", "median"), d=("temp", "std"), e=("temp", "size"))`},
		{"Describe", func() error { _, err := Describe(l); return err }, `left.describe(include="all"), left.nunique(), left.isna().sum()`},
		{"Days", func() error { _, err := Dates(l, "day"); return err }, `dates(left.day)`},
		{"Times", func() error { _, err := Dates(l, "at"); return err }, `dates(left["at"])`},
	} {
		b.Run(c.name, func(b *testing.B) {
			var res peer.Result
			for b.Loop() {
				res = peer.Race(5, peer.Timer(func() {
					if err := c.mine(); err != nil {
						b.Fatal(err)
					}
				}), py.Timer(c.pandas))
			}
			res.Report(b)
		})
	}
}
