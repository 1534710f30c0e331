package frame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"gonum.org/v1/gonum/mat"
)

var nan = math.NaN()

// air returns a frame with missing values.
func air() dataframe.DataFrame {
	return dataframe.New(
		series.New([]string{"North", "Harbour", "North", "NaN", "Harbour"}, series.String, "site"),
		series.New([]float64{1, nan, 2, 4, nan}, series.Float, "temp"),
		series.New([]any{3, nil, 1, 2, 2}, series.Int, "level"),
	)
}

// must returns a frame, and ends the test if there is an error.
func must(t *testing.T) func(df dataframe.DataFrame, err error) dataframe.DataFrame {
	return func(df dataframe.DataFrame, err error) dataframe.DataFrame {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return df
	}
}

// TestMissing has small cases, worked out by hand: gota's own median of 1, NaN and 2 is 2.
func TestMissing(t *testing.T) {
	df := must(t)(By(air()).Agg(Median("temp"), Mean("temp"), Max("temp"), Count("level")))
	if got, want := show(df), "rows int: 5\ntemp_median float: 2\ntemp_mean float: 2.3333333333333335\ntemp_max float: 4\ntemp_missing int: 2\nlevel_count int: 4\nlevel_missing int: 1\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	df = must(t)(By(air(), "site").Agg(Mean("temp"), Min("level")))
	if got, want := show(df), "site string: Harbour North -\nrows int: 2 2 1\ntemp_mean float: - 1.5 4\ntemp_missing int: 2 0 0\nlevel_min int: 2 1 2\nlevel_missing int: 1 0 0\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	df = must(t)(ValueCounts(air(), "site"))
	if got, want := show(df), "site string: Harbour North -\ncount int: 2 2 1\nshare float: 0.5 0.5 -\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if x, missing, err := Present(air(), "temp"); err != nil || missing != 2 || !slices.Equal(x, []float64{1, 2, 4}) {
		t.Errorf("%v, %d missing, %v", x, missing, err)
	}
	df = must(t)(Describe(air()))
	if got := show(df.Select([]string{"column", "type", "count", "missing", "distinct", "median", "top"})); got != "column string: site temp level\ntype string: string float int\n"+
		"count int: 4 3 4\nmissing int: 1 2 1\ndistinct int: 2 3 3\nmedian float: - 2 2\ntop string: Harbour - -\n" {
		t.Error(got)
	}
	filled := must(t)(FillStat(air(), Median("temp"), First("site")))
	if got := show(filled); got != "site string: North Harbour North North Harbour\ntemp float: 1 2 2 4 2\nlevel int: 3 - 1 2 2\n" {
		t.Error(got)
	}
	if got, before := show(air()), air(); show(before) != got {
		t.Error("the argument has changed")
	}
}

// TestGroupsAreSorted: gota's own groups come in another order each time.
func TestGroupsAreSorted(t *testing.T) {
	words := make([]string, 200)
	for i := range words {
		words[i] = string(rune('a' + i*7%26))
	}
	df := dataframe.New(series.New(words, series.String, "k"), series.New(allRows(200), series.Int, "n"))
	for range 5 {
		got := must(t)(By(df, "k").Agg(Sum("n"))).Col("k").Records()
		if !slices.IsSorted(got) || len(got) != 26 {
			t.Fatal(got)
		}
	}
	cut := must(t)(Cut(df, "n", []float64{0, 2, 10, 150}))
	if got := must(t)(By(cut, "n_bin").Agg()); show(got) != "n_bin string: [0, 2] (2, 10] (10, 150] -\nrows int: 3 8 140 49\n" {
		t.Error(show(got))
	}
}

func TestLayerErrors(t *testing.T) {
	one := func(_ any, err error) error { return err }
	two := func(_, _ any, err error) error { return err }
	df := air()
	notes := dataframe.New(series.New([]string{"03/04/2024", "05/06/2024"}, series.String, "d"), series.New([]string{"2024-01-01", "1.2.2024"}, series.String, "e"),
		series.New([]string{"x", "y"}, series.String, "f"))
	for want, err := range map[string]error{
		`frame: Agg: there is no column "tmp": did you mean temp?`:                                                                    one(By(df).Agg(Mean("tmp"))),
		`frame: By: there is no column "city" among site, temp, level`:                                                                one(By(df, "city").Agg()),
		`frame: Agg: site has strings, and the mean is one of numbers`:                                                                one(By(df).Agg(Mean("site"))),
		`frame: Agg: statistic 0 is none: use Mean, Median and the like`:                                                              one(By(df).Agg(Stat{})),
		`frame: Describe: the frame has no columns`:                                                                                   one(Describe(dataframe.DataFrame{})),
		`frame: Describe: the frame has the error of an earlier call: empty DataFrame`:                                                one(Describe(dataframe.New())),
		`frame: Matrix: temp has 2 missing values, the first in row 1: use DropMissing or Fill before`:                                one(Matrix(df, "temp")),
		`frame: Matrix: site has strings, not numbers: OneHot and Labels make numbers of them`:                                        one(Matrix(df, "site")),
		`frame: Labels: site has 1 missing value, the first in row 3: use DropMissing or Fill before`:                                 two(Labels(df, "site")),
		`frame: OneHot: no column is named`:                                                                                           one(OneHot(df)),
		`frame: Fill: column site has type string, and the value 0 has type int: name the columns to fill`:                            one(Fill(df, 0)),
		`frame: FillStat: statistic 0 is not a value of a column: use Mean, Median and the like`:                                      one(FillStat(df, Count("temp"))),
		`frame: Cut: edge 1 is 1: edges must ascend`:                                                                                  one(Cut(df, "temp", []float64{1, 1})),
		`frame: Cut: 1 names for 2 intervals`:                                                                                         one(Cut(df, "temp", []float64{1, 2, 3}, "a")),
		`frame: Pivot: the statistic must be of one column, as Mean("temp") is`:                                                       one(Pivot(df, "site", "level", Mean())),
		`frame: Join: site is of type string in left and int in right`:                                                                one(Join(df, dataframe.New(series.New([]int{1}, series.Int, "site")), []string{"site"}, nil)),
		`frame: Join: rows 0 and 2 of right have the same keys`:                                                                       one(Join(df, df, []string{"site"}, &JoinOptions{Relation: ManyToOne})),
		`frame: Times: d: "03/04/2024" in row 0 may be 2024-03-04 or 2024-04-03: give the layout, "1/2/2006" or "2/1/2006"`:           one(Times(notes, "d")),
		`frame: Times: e: "1.2.2024" in row 1 is not in the layout "2006-1-2", as the rows above are: give all layouts of the column`: one(Times(notes, "e")),
		`frame: Times: f: "x" in row 0 is in none of the common layouts: give its layout, as in Times(df, "f", "2.1.2006 15:04")`:     one(Times(notes, "f")),
		`frame: FromCSV: there is nothing to read: a reader can be read only once`:                                                    one(FromCSV(strings.NewReader(""), nil)),
		`frame: FromCSV: the first line has ';' between its names, not commas: set CSVOptions.Comma`:                                  one(FromCSV(strings.NewReader("a;b\n1.5;2\n"), nil)),
		`frame: FromCSV: the first line has '\t' between its names, not commas: set CSVOptions.Comma`:                                 one(FromCSV(strings.NewReader("a\tb\n1\t2\n"), nil)),
		`frame: FromCSV: line 3 has 1 field, and there are 2 names`:                                                                   one(FromCSV(strings.NewReader("a,b\n1,2\n3\n"), nil)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestInfinite: the median of −Inf and a number is −Inf, as in pandas.
func TestInfinite(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{math.Inf(-1), 1.5, math.NaN()}, math.Inf(-1)},
		{[]float64{math.Inf(1), 1.5, math.NaN()}, math.Inf(1)},
		{[]float64{math.Inf(1), 1.5, math.Inf(-1)}, 1.5},
	} {
		df := must(t)(By(dataframe.New(series.New(c.x, series.Float, "x"))).Agg(Median("x")))
		if got := df.Col("x_median").Float()[0]; got != c.want {
			t.Errorf("the median of %v is %v", c.x, got)
		}
	}
}

// TestCSVForms reads numbers with decimal commas and groups of digits. The expected values are those of pandas (see
// TestCSVFormsOfPandas), but pandas also accepts groups of other lengths.
func TestCSVForms(t *testing.T) {
	for _, c := range []struct {
		text string
		opt  CSVOptions
		want string
	}{
		{european, CSVOptions{Comma: ';', Decimal: ',', Thousands: '.', Missing: []string{"-999"}},
			"x float: 1234.5 -0.25 - 7 1.2345678e+06\nn int: 1234567 12 3 -1000 -\nday string: 1.2.2024 12.12.2024 3.4.2024 5.6.2024 7.8.2024\ne float: 1500 2 -2.5e-08 0.5 1\n"},
		{"x;d\n1,5;1.5\n-2;2.5\n", CSVOptions{Comma: ';', Decimal: ',', Text: []string{"d"}}, "x float: 1.5 -2\nd string: 1.5 2.5\n"},
		{"x,n\n\"1,234.5\",\"1,234\"\n2,\"12,345,678\"\n", CSVOptions{Thousands: ','}, "x float: 1234.5 2\nn int: 1234 12345678\n"},
		{"x\n1'234.5\n-12'345\n", CSVOptions{Thousands: '\''}, "x float: 1234.5 -12345\n"},
		{"x\ty\n1\u00a0234,5\t1 2\n", CSVOptions{Comma: '\t', Decimal: ',', Thousands: '\u00a0'}, "x float: 1234.5\ny string: 1 2\n"},
		{"x\n1 234\n1\u00a0234\n1\u202f234\n1\u2009234\n1\u2009234\u00a0567\n", CSVOptions{Thousands: ' '}, "x int: 1234 1234 1234 1234 1234567\n"},
		{"\ufeffsep=;\r\na;b\r\n1;2\r\n", CSVOptions{}, "a int: 1\nb int: 2\n"},
		{"\"sep=\t\"\na\tb\n1\t2\n", CSVOptions{Comma: '\t'}, "a int: 1\nb int: 2\n"},
		{"sep=x\n1\n", CSVOptions{}, "sep=x int: 1\n"},
		// These are no numbers.
		{"a;b;c;d;e;f;g;h\n1.23;1.2345;.123;1.234.56;1,234.567;0.123;000.123;-012.345\nx;x;x;x;x;x;x;x\n", CSVOptions{Comma: ';', Decimal: ',', Thousands: '.'},
			"a string: 1.23 x\nb string: 1.2345 x\nc string: .123 x\nd string: 1.234.56 x\ne string: 1,234.567 x\nf string: 0.123 x\ng string: 000.123 x\nh string: -012.345 x\n"},
		{"a;b\n+-1.234;1,2,3\n", CSVOptions{Comma: ';', Decimal: ',', Thousands: '.'}, "a string: +-1.234\nb string: 1,2,3\n"},
		{"a,b,c,d,e\n1_1,0x1p4,0x10,1_000.5,1\n2,3,4,5,1e3\n", CSVOptions{Missing: []string{"0x1p0"}}, "a string: 1_1 2\nb string: 0x1p4 3\nc string: 0x10 4\nd string: 1_000.5 5\ne float: 1 1000\n"},
		{"a;b\n1_1,5;0x1,8p1\n", CSVOptions{Comma: ';', Decimal: ','}, "a string: 1_1,5\nb string: 0x1,8p1\n"},
		{"a,b\ninf,-Infinity\n+5,.5\n", CSVOptions{}, "a float: +Inf 5\nb float: -Inf 0.5\n"},
		{"a;b\n1,5;1,5 m\n2;\n", CSVOptions{Comma: ';', Text: []string{"a"}}, "a string: 1,5 2\nb string: 1,5 m -\n"},
	} {
		df := must(t)(FromCSV(strings.NewReader(c.text), &c.opt))
		if got := show(df); got != c.want {
			t.Errorf("%q:\n%swant\n%s", c.text, got, c.want)
		}
	}
	const set, keep = " has numbers such as ", ` (or name the column in Text, to keep texts as they are)`
	const text, all = `: name the column in CSVOptions.Text, to keep lists and other texts as they are, or set `, `: name the columns in CSVOptions.Text, to keep lists and other texts as they are, or set `
	const as1252 = `but probably Windows-1252 or Latin-1: convert the file, as with iconv -f WINDOWS-1252 -t UTF-8, or save it in Excel as CSV UTF-8`
	for _, c := range []struct {
		text string
		opt  CSVOptions
		want string
	}{
		{"a;x\nq;1,5\nr;2\n", CSVOptions{Comma: ';'}, `column "x"` + set + `1,5: set CSVOptions.Decimal to ','` + keep},
		{"x;y\n1,5;1.234,5\n2;\n", CSVOptions{Comma: ';'}, `columns "x" and "y" have numbers such as 1,5: set CSVOptions.Decimal to ',' and Thousands to '.' (or name the columns in Text, to keep texts as they are)`},
		{"x;y\n1,5;1.234,5\n2;\n", CSVOptions{Comma: ';', Decimal: ','}, `column "y"` + set + `1.234,5: set CSVOptions.Thousands to '.'` + keep},
		{"x;y\n1;1.234\n2;1,5\n", CSVOptions{Comma: ';'}, `column "y"` + set + `1,5: set CSVOptions.Decimal to ','` + " and Thousands to '.'" + keep},
		{"x\n\"1,234\"\n", CSVOptions{}, `column "x"` + set + `1,234` + text + `Decimal to ',', or Thousands to ','`},
		{"x\n\"1,234,567\"\n5\n", CSVOptions{}, `column "x"` + set + `1,234,567` + text + `Thousands to ','`},
		{"x,y,z\n\"1,5\",\"2,5\",\"3,5\"\n", CSVOptions{}, `columns "x", "y" and "z" have numbers such as 1,5` + all + `Decimal to ','`},
		// Columns that contradict the options, or themselves.
		{"x;d\n1,5;2\n-2;2.5\n", CSVOptions{Comma: ';', Decimal: ','}, `column "d"` + set + `2.5, and CSVOptions.Decimal is ','` + text + `Decimal to '.'`},
		{"x;d\n1,5;0.123\n-2;1.5\n", CSVOptions{Comma: ';', Decimal: ',', Thousands: '.'}, `column "d"` + set + `0.123, and CSVOptions.Decimal is ','` + text + `Decimal to '.' and Thousands to 0`},
		{"x\n1,5\n", CSVOptions{Comma: ';', Decimal: '.'}, `column "x"` + set + `1,5, and CSVOptions.Decimal is '.'` + text + `Decimal to ','`},
		{"x\n1,5\n", CSVOptions{Comma: ';', Thousands: ','}, `column "x"` + set + `1,5, and CSVOptions.Thousands is ','` + text + `Decimal to ',' and Thousands to 0`},
		{"x\n1 234,5\n", CSVOptions{Comma: ';', Thousands: ' '}, `column "x"` + set + `1 234,5: set CSVOptions.Decimal to ','` + keep},
		{"x;y\n1;1.5\n2;1,5\n", CSVOptions{Comma: ';'}, `column "y" has numbers of different forms, such as 1,5 and 1.5: write them alike, or name the column in CSVOptions.Text, to keep it as it is`},
		// Other encodings.
		{"a,b\n1,x\n2,Caf\xe9\n", CSVOptions{}, `line 3 is not UTF-8 ("Caf\xe9"), ` + as1252},
		{"sep=;\na;gr\xf6\xdfe\n1;2\n", CSVOptions{}, `line 2 is not UTF-8 ("gr\xf6\xdfe"), ` + as1252},
		{"\xff\xfea\x00\n\x001\x00\n\x00", CSVOptions{}, `line 1 is UTF-16, not UTF-8: convert the file, as with iconv -f UTF-16 -t UTF-8, or save it in Excel as CSV UTF-8`},
		{"\x00a\x00\n\x001\x00\n", CSVOptions{}, `line 1 is UTF-16, not UTF-8: convert the file, as with iconv -f UTF-16BE -t UTF-8, or save it in Excel as CSV UTF-8`},
		{"sep=;\na;b\n1;2\n", CSVOptions{Comma: ','}, `the first line says that ';' separates the fields, and CSVOptions.Comma is ',': do not set Comma`},
		{"sep=;\na;b\n1;2\n3\n", CSVOptions{}, `line 4 has 1 field, and there are 2 names`},
		{"sep=;\na;b\n1;2\"\n", CSVOptions{}, `parse error on line 3, column 4: bare " in non-quoted-field`},
		{"a\n1,2\n", CSVOptions{}, `line 2 has 2 fields, and there is 1 name (a field that contains ',' needs quotes)`},
		{"a;b\n1,5;2\n", CSVOptions{}, `the first line has ';' between its names, not commas: set CSVOptions.Comma, and for numbers such as 1,5 also Decimal to ','`},
		{"a;b\n1;\"1.234,5\"\n", CSVOptions{}, `the first line has ';' between its names, not commas: set CSVOptions.Comma, and for numbers such as 1.234,5 also Decimal to ',' and Thousands to '.'`},
		{"\n\na,b\n1,2\n\"3\n4\",5,6\n", CSVOptions{}, `line 5 has 3 fields, and there are 2 names (a field that contains ',' needs quotes)`},
		{"a\n1\n", CSVOptions{Thousands: '.'}, `Thousands is '.', and Decimal is not set, which means '.' too: set Decimal`},
		{"a\n1\n", CSVOptions{Decimal: ',', Thousands: ','}, `Decimal and Thousands are both ',', and must differ`},
		{"a\n1\n", CSVOptions{Decimal: 'e'}, `Decimal is 'e', which cannot be in a number`},
		{"a\n1\n", CSVOptions{Decimal: ',', Thousands: '"'}, `Thousands is '"', which cannot be in a number`},
	} {
		if _, err := FromCSV(strings.NewReader(c.text), &c.opt); err == nil || err.Error() != "frame: FromCSV: "+c.want {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
}

// european is a file as spreadsheets in Europe write it.
const european = "x;n;day;e\n1.234,5;1.234.567;1.2.2024;1,5e3\n-0,25;12;12.12.2024;2\n-999,0;3;3.4.2024;-2,5E-8\n7;-1.000;5.6.2024;,5\n1.234.567,8;;7.8.2024;1,\n"

// TestSDInAnyUnit: the standard deviation of 1, 2, 4 and 9 units is √(38/3) units, also where its square is out of range.
func TestSDInAnyUnit(t *testing.T) {
	for _, unit := range []float64{0x1p-1070, 0x1p-1000, 0x1p-600, 1, 0x1p600, 0x1p1018} {
		if got := sd([]float64{unit, 2 * unit, 4 * unit, 9 * unit}) / unit; math.Abs(got-math.Sqrt(38./3)) > 1e-15*4 && unit > 0x1p-1020 || math.Abs(got-math.Sqrt(38./3)) > 0.5 {
			t.Errorf("unit %g: %v units", unit, got)
		}
	}
}

// TestCSVOfOldMac: lines may end in carriage returns alone, as in files of Excel's format "CSV (Macintosh)".
func TestCSVOfOldMac(t *testing.T) {
	text := "name,n\rAda,3\r\"x, y\",4\r"
	want, err := FromCSV(strings.NewReader(strings.ReplaceAll(text, "\r", "\n")), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FromCSV(strings.NewReader(text), nil)
	if err != nil || got.Nrow() != 2 || got.String() != want.String() {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestCSV(t *testing.T) {
	df := must(t)(FromCSV(strings.NewReader("\ufeffid;code;x;ok;note;none\n1;007;1e-9;True;\"a\n;b\";\n2;012;NA;false;;\n-999;9;-999.0;;z;null\n"), &CSVOptions{Comma: ';', Missing: []string{"-999"}, Text: []string{"code"}}))
	const want = "id int: 1 2 -\ncode string: 007 012 9\nx float: 1e-09 - -\nok bool: true false -\nnote string: a\n;b - z\nnone float: - - -\n"
	if got := show(df); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := WriteCSV(path, df); err != nil {
		t.Fatal(err)
	}
	if back := must(t)(ReadCSV(path, &CSVOptions{Text: []string{"code"}})); show(back) != want {
		t.Errorf("back\n%s", show(back))
	}
	// A line with nothing but a missing value is not an empty line.
	one := dataframe.New(series.New([]float64{1, nan, 3}, series.Float, "x"))
	if err := WriteCSV(path, one); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if back := must(t)(ReadCSV(path, nil)); back.Nrow() != 3 || err != nil {
		t.Errorf("%q", raw)
	}
}

func TestMatrixAndBack(t *testing.T) {
	df := must(t)(DropMissing(air()))
	X, err := Matrix(df, "level", "temp")
	if err != nil || !mat.Equal(X, mat.NewDense(2, 2, []float64{3, 1, 1, 2})) {
		t.Fatal(X, err)
	}
	back := must(t)(FromMatrix(X, "level", "temp"))
	if got := show(back); got != "level float: 3 1\ntemp float: 1 2\n" {
		t.Error(got)
	}
	y, classes, err := Labels(must(t)(DropMissing(air(), "site")), "site")
	if err != nil || !slices.Equal(y, []int{1, 0, 1, 0}) || !slices.Equal(classes, []string{"Harbour", "North"}) {
		t.Error(y, classes, err)
	}
}

func TestSplit(t *testing.T) {
	df := dataframe.New(series.New(allRows(100), series.Int, "n"))
	train, test, err := Split(df, 0.25, 1)
	if err != nil || train.Nrow() != 75 || test.Nrow() != 25 {
		t.Fatal(train.Nrow(), test.Nrow(), err)
	}
	a, _ := train.Col("n").Int()
	b, _ := test.Col("n").Int()
	if !slices.IsSorted(a) || !slices.IsSorted(b) {
		t.Error("the order has changed")
	}
	all := slices.Sorted(slices.Values(append(a, b...)))
	if !slices.Equal(all, allRows(100)) {
		t.Error("not each row is in one of them")
	}
}

func TestTimes(t *testing.T) {
	df := dataframe.New(series.New([]string{"31.12.2023 08:00", "NaN", "1.2.2024 17:30"}, series.String, "at"), series.New([]any{20231231, nil, 20240201}, series.Int, "day"))
	list, err := Times(df, "at")
	if err != nil || !list[0].Equal(time.Date(2023, 12, 31, 8, 0, 0, 0, time.UTC)) || !list[1].IsZero() || !list[2].Equal(time.Date(2024, 2, 1, 17, 30, 0, 0, time.UTC)) {
		t.Error(list, err)
	}
	if list, err = Times(df, "day"); err != nil || !list[2].Equal(time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Error(list, err)
	}
	mixed := dataframe.New(series.New([]string{"2024-01-01", "1.2.2024"}, series.String, "e"))
	if list, err = Times(mixed, "e", "2006-01-02", "2.1.2006"); err != nil || list[1].Month() != time.February {
		t.Error(list, err)
	}
}

// TestDatesRefuse reads what time.Parse reads in a way that surprises, and what it refuses without saying why.
func TestDatesRefuse(t *testing.T) {
	dates := func(layout string, texts ...string) (dataframe.DataFrame, error) {
		df := dataframe.New(series.New(texts, series.String, "at"))
		if layout == "" {
			return Dates(df, "at")
		}
		return Dates(df, "at", layout)
	}
	const zone = ", whose offset from UTC is not known: replace it by the offset, such as -05:00, and MST in the layout by -07:00"
	const inGo = ": layouts are written as in Go, with 2006 for %Y, 01 for %m, 02 for %d, 15 for %H, 04 for %M and 05 for %S"
	for _, c := range []struct{ layout, second, want string }{
		{"2006-01-02 15:04 MST", "2024-01-01 10:00 EST", `"2024-01-01 10:00 EST" has the time zone EST` + zone},
		{"2006-01-02 15:04 MST", "2024-07-01 10:00 CEST", `"2024-07-01 10:00 CEST" has the time zone CEST` + zone},
		{"2006-01-02", "2023-02-29", `"2023-02-29" is a day that does not exist`},
		{"", "2023-02-29 10:00 ", `"2023-02-29 10:00 " is a day that does not exist`},
		{"%d.%m.%Y %H:%M", "1.2.2024", `"2024-01-01 10:00 UTC" is not in the layout %d.%m.%Y %H:%M` + inGo + `: "02.01.2006 15:04"`},
		{"%x", "1.2.2024", `"2024-01-01 10:00 UTC" is not in the layout %x` + inGo},
	} {
		first, row := "2024-01-01 10:00 UTC", 1
		switch {
		case c.layout == "2006-01-02":
			first = "2024-02-29"
		case c.layout == "":
			first = "2024-02-29 10:00"
		case c.layout[0] == '%':
			row = 0
		}
		if _, err := dates(c.layout, first, c.second); err == nil || err.Error() != fmt.Sprintf("frame: Dates: at, row %d: %s", row, c.want) {
			t.Errorf("%q: error %v, want %s", c.layout, err, c.want)
		}
	}
	if _, err := dates("", "31/06/2024", "1/2/2024"); err == nil || err.Error() != `frame: Dates: at, row 0: "31/06/2024" is a day that does not exist` {
		t.Error(err)
	}
	// Offsets that are known.
	df := must(t)(dates("2006-01-02 15:04 MST", "2024-01-01 10:00 UTC", "2024-01-01 11:00 GMT"))
	if got := df.Col("at").Records(); !slices.Equal(got, []string{"2024-01-01T10:00:00Z", "2024-01-01T11:00:00Z"}) {
		t.Error(got)
	}
	df = must(t)(dates("2006-01-02 15:04 -0700 MST", "2024-01-01 10:00 -0500 EST"))
	if got := df.Col("at").Records()[0]; got != "2024-01-01T10:00:00-05:00" {
		t.Error(got)
	}
	// With one offset the parts are local, with several they are those of the text.
	df = must(t)(dates("", "2024-03-31T01:30:00+02:00", "2024-03-31T23:30:00+02:00"))
	if got, want := show(df), "at string: 2024-03-31T01:30:00+02:00 2024-03-31T23:30:00+02:00\nat_year int: 2024 2024\nat_month int: 3 3\nat_day int: 31 31\nat_weekday int: 7 7\nat_hour int: 1 23\n"; got != want {
		t.Error(got)
	}
	df = must(t)(dates("", "2024-01-01T00:30:00+01:00", "2024-07-01T00:30:00+02:00"))
	if got, want := show(df), "at string: 2023-12-31T23:30:00Z 2024-06-30T22:30:00Z\nat_year int: 2023 2024\nat_month int: 12 6\nat_day int: 31 30\nat_weekday int: 7 7\nat_hour int: 23 22\n"; got != want {
		t.Error(got)
	}
}

// TestParseISO compares with time.Parse, on strings of which some are wrong.
func TestParseISO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	var layouts []string
	for _, day := range []string{"2006-1-2", "2006-01-02", "2.1.2006"} {
		for _, hour := range hours {
			layouts = append(layouts, day+hour)
		}
	}
	quick, wrong := 0, 0
	for range 300_000 {
		at := time.Date(rng.IntN(3000), time.Month(1+rng.IntN(12)), 1+rng.IntN(31), rng.IntN(24), rng.IntN(60), rng.IntN(60), 0, time.UTC)
		s := []byte(at.Format([]string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00"}[rng.IntN(4)]))
		for rng.IntN(3) == 0 {
			s[rng.IntN(len(s))] = "0123456789-: TZ+."[rng.IntN(17)]
		}
		layout := layouts[rng.IntN(len(layouts))]
		want, err := time.Parse(layout, string(s))
		got, ok := parseISO(layout, string(s))
		quick += b2i(ok)
		wrong += b2i(!ok && err != nil)
		if ok && (err != nil || got != want) {
			t.Fatalf("%q in layout %q: %v, want %v, %v", s, layout, got, want, err)
		}
	}
	if quick < 10_000 || wrong < 10_000 {
		t.Errorf("only %d texts parsed, and %d refused", quick, wrong)
	}
}

// TestJoinAndByOracle compares Join with a comparison of each row with each row, and By with a map of texts.
func TestJoinAndByOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	column := func(n int, kind series.Type, name string) series.Series {
		list := make([]any, n)
		spread := []int{2, 5, 1 << 40}[rng.IntN(3)] // whole numbers far apart too
		base := []int{0, 1<<60 + 1}[rng.IntN(2)]    // float64 cannot tell these apart
		for i := range list {
			v := (rng.IntN(7) - 3) * spread
			switch {
			case rng.IntN(6) == 0:
			case kind == series.String:
				list[i] = fmt.Sprint("w", v)
			case kind == series.Int:
				list[i] = base + v
			default:
				list[i] = float64(v) / 4
			}
		}
		return series.New(list, kind, name)
	}
	key := func(df dataframe.DataFrame, i int, names []string) (key string, missing bool) {
		for _, name := range names {
			e := df.Col(name).Elem(i)
			missing = missing || e.IsNA()
			switch {
			case e.IsNA():
				key += "|-"
			case e.Type() != series.Float:
				key += "|" + e.String()
			default:
				key += fmt.Sprint("|", e.Float()+0)
			}
		}
		return key, missing
	}
	kinds := []series.Type{series.String, series.Int, series.Float}
	for range 400 {
		n, m := rng.IntN(12), rng.IntN(12)
		a, b := kinds[rng.IntN(3)], kinds[rng.IntN(3)]
		left := dataframe.New(column(n, a, "a"), column(n, b, "b"), series.New(allRows(n), series.Int, "row"))
		right := dataframe.New(column(m, a, "a"), column(m, b, "b"), series.New(allRows(m), series.Int, "row"))
		names := [][]string{{"a"}, {"b"}, {"a", "b"}, {"b", "a"}}[rng.IntN(4)]
		kind := JoinKind(rng.IntN(4))
		var want []string
		row := func(df dataframe.DataFrame, i int, l, r any) string {
			k, _ := key(df, i, names)
			return fmt.Sprint(k, " ", l, " ", r)
		}
		found, matched := map[int]bool{}, 0
		for i := range n {
			k, missing := key(left, i, names)
			alone := true
			for o := range m {
				if other, _ := key(right, o, names); other == k && !missing {
					want = append(want, row(left, i, i, o))
					alone, found[o] = false, true
					matched++
				}
			}
			if alone && (kind == Left || kind == Outer) {
				want = append(want, row(left, i, i, "-"))
			}
		}
		for o := range m {
			if !found[o] && (kind == Right || kind == Outer) {
				want = append(want, row(right, o, "-", o))
			}
		}
		j, err := Join(left, right, names, &JoinOptions{Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		of := func(name string, i int) any {
			if e := j.Frame.Col(name).Elem(i); !e.IsNA() {
				return e.String()
			}
			return "-"
		}
		for i := range j.Frame.Nrow() {
			got = append(got, row(j.Frame, i, of("row_left", i), of("row_right", i)))
		}
		if !slices.Equal(got, want) || j.Matched != matched || j.RightOnly != m-len(found) {
			t.Fatalf("%v, kind %d:\n%q\nwant\n%q\nof\n%v%v", names, kind, got, want, show(left), show(right))
		}

		groups := map[string][]int{}
		for i := range n {
			k, _ := key(left, i, names)
			groups[k] = append(groups[k], i)
		}
		g := By(left, names...)
		for k, rows := range g.rows {
			text, _ := key(left, rows[0], names)
			if !slices.Equal(rows, groups[text]) {
				t.Fatalf("group %q: %v, want %v", text, rows, groups[text])
			}
			if k > 0 && !ascending(g.keys, g.rows[k-1][0], rows[0]) {
				t.Fatalf("group %d is not above the one before it: %v of\n%v", k, g.rows, show(left))
			}
		}
		if len(g.rows) != len(groups) {
			t.Fatalf("%d groups, want %d", len(g.rows), len(groups))
		}
	}
}

// TestLongInts has ints that are equal as float64. No function may take one for another.
func TestLongInts(t *testing.T) {
	const id = 1750000000000000001
	df := must(t)(FromCSV(strings.NewReader("id,g,x\n1750000000000000003,a,1\n1750000000000000001,a,2\n1750000000000000002,b,3\n,b,4\n1750000000000000001,b,5\n"), &CSVOptions{Missing: []string{"1750000000000000004"}}))
	counts := must(t)(ValueCounts(df, "id"))
	if got, want := show(counts), "id int: 1750000000000000001 1750000000000000002 1750000000000000003 -\ncount int: 2 1 1 1\nshare float: 0.5 0.25 0.25 -\n"; got != want {
		t.Errorf("ValueCounts:\n%s", got)
	}
	groups := must(t)(By(df, "g").Agg(Min("id"), Max("id"), First("id"), Last("id"), Distinct("id")))
	if got, want := show(groups), "g string: a b\nrows int: 2 3\nid_min int: 1750000000000000001 1750000000000000001\nid_max int: 1750000000000000003 1750000000000000002\nid_first int: 1750000000000000003 1750000000000000002\nid_last int: 1750000000000000001 1750000000000000001\nid_distinct int: 2 2\nid_missing int: 0 1\n"; got != want {
		t.Errorf("Agg:\n%s", got)
	}
	if d := must(t)(Describe(df)); d.Col("distinct").Elem(0).String() != "3" {
		t.Errorf("Describe:\n%s", show(d))
	}
	if p := must(t)(Pivot(df, "g", "id", Sum("x"))); p.Ncol() != 5 {
		t.Errorf("Pivot:\n%s", show(p))
	}
	full := must(t)(DropMissing(df))
	if h := must(t)(OneHot(full, "id")); h.Ncol() != 5 {
		t.Errorf("OneHot:\n%s", show(h))
	}
	if y, classes, err := Labels(full, "id"); fmt.Sprint(y) != "[2 0 1 0]" || len(classes) != 3 || err != nil {
		t.Error(y, classes, err)
	}
	// Of the floats, one is equal to an int, one is between ints and one is beyond all.
	ints := dataframe.New(series.New([]int{id, 1 << 60, 1<<60 + 1, math.MaxInt}, series.Int, "k"))
	floats := dataframe.New(series.New([]float64{id, 1 << 60, 0.5, 1 << 63}, series.Float, "k"))
	for _, sides := range [][2]dataframe.DataFrame{{ints, floats}, {floats, ints}} {
		if j, err := Join(sides[0], sides[1], []string{"k"}, nil); err != nil || j.Matched != 1 || j.Frame.Elem(0, 0).Float() != 1<<60 {
			t.Error(j, err)
		}
	}
	more := dataframe.New(series.New([]int{math.MaxInt - 1, 1<<60 + 1}, series.Int, "k"))
	j, err := Join(ints, more, []string{"k"}, &JoinOptions{Kind: Outer})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(j.Frame), "k int: 1750000000000000001 1152921504606846976 1152921504606846977 9223372036854775807 9223372036854775806\n"; got != want || j.Matched != 1 {
		t.Errorf("Join: %v\n%s", j, got)
	}
	wide := must(t)(FromCSV(strings.NewReader("id,x,y\n100000000000000000001,1.5,1\n100000000000000000002,100000000000000000002,NA\n100000000000000000003,1,2\n"), &CSVOptions{Missing: []string{"100000000000000000003"}}))
	if got := show(wide); got != "id string: 100000000000000000001 100000000000000000002 -\nx float: 1.5 1e+20 1\ny int: 1 - 2\n" {
		t.Errorf("more digits than an int has:\n%s", got)
	}
	missing := must(t)(FromCSV(strings.NewReader("id\n1750000000000000001\n1750000000000000002\n"), &CSVOptions{Missing: []string{"1750000000000000001"}}))
	if got := show(missing); got != "id int: - 1750000000000000002\n" {
		t.Errorf("Missing:\n%s", got)
	}
}

// TestSums adds values of which a plain loop loses digits or more.
func TestSums(t *testing.T) {
	tenths := slices.Repeat([]float64{0.1}, 300_000)
	df := dataframe.New(series.New(tenths, series.Float, "x"))
	if got, want := show(must(t)(By(df).Agg(Sum("x"), Mean("x")))), "rows int: 300000\nx_sum float: 30000\nx_mean float: 0.1\n"; got != want {
		t.Error(got)
	}
	if d := must(t)(Describe(df)); d.Col("mean").Elem(0).Float() != 0.1 {
		t.Error(show(d))
	}
	for _, c := range []struct {
		x         []float64
		sum, mean float64
	}{
		{[]float64{1, 1e100, 1, -1e100}, 2, 0.5},
		{[]float64{1e308, 1e308, -1e308}, 1e308, 1e308 / 3},
		{[]float64{1e308, 1e308}, math.Inf(1), 1e308},
		{[]float64{-math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64}, math.Inf(-1), -math.MaxFloat64},
		{[]float64{math.Inf(1), 1}, math.Inf(1), math.Inf(1)},
		{[]float64{5e-324, 5e-324}, 1e-323, 5e-324},
	} {
		if s, m := sum(c.x), mean(c.x); s != c.sum || math.Abs(m-c.mean) > 1e-15*math.Abs(c.mean) && m != c.mean {
			t.Errorf("%v: sum %v, mean %v", c.x, s, m)
		}
	}
	if s := sum([]float64{math.Inf(1), math.Inf(-1)}); !math.IsNaN(s) {
		t.Error(s)
	}
	rng := rand.New(rand.NewPCG(1, 12))
	for range 20_000 {
		v := rng.NormFloat64()
		x := slices.Repeat([]float64{v}, 1+rng.IntN(60))
		if m := mean(x); m != v {
			t.Fatalf("the mean of %d times %v is %v", len(x), v, m)
		}
	}
	if q := quantile([]float64{-1e308, 1e308}, 0.75); q != 5e307 {
		t.Error(q)
	}
}

// ascending reports whether the keys of row i are less than those of row j.
func ascending(keys []*column, i, j int) bool {
	for _, c := range keys {
		if d := c.compare(i, j); d != 0 {
			return d < 0
		}
	}
	return false
}

// TestTraps checks what docs/frames.md says about gota.
func TestTraps(t *testing.T) {
	holes := series.New([]float64{1, nan, 2}, series.Float, "x")
	first := series.New([]float64{nan, 1, 2}, series.Float, "x")
	if v := holes.Median(); v != 2 {
		t.Errorf("Median is %v", v)
	}
	if a, b := holes.Min(), first.Min(); a != 1 || !math.IsNaN(b) {
		t.Errorf("Min is %v and %v", a, b)
	}
	if a, b, c := holes.Mean(), holes.StdDev(), holes.Sum(); !math.IsNaN(a+b) || !math.IsNaN(b) || !math.IsNaN(c) {
		t.Errorf("Mean, StdDev and Sum are %v, %v, %v", a, b, c)
	}
	df := dataframe.New(series.New([]string{"a", "a", "a"}, series.String, "k"), holes)
	if v := df.GroupBy("k").Aggregation([]dataframe.AggregationType{dataframe.Aggregation_COUNT}, []string{"x"}).Col("x_COUNT").Float()[0]; v != 3 {
		t.Errorf("COUNT is %v", v)
	}
	if n := df.Filter(dataframe.F{Colname: "x", Comparator: series.Greater, Comparando: 1.5}, dataframe.F{Colname: "x", Comparator: series.Less, Comparando: 1.5}).Nrow(); n != 2 {
		t.Errorf("Filter keeps %d rows", n)
	}
	if s := df.Col("nox"); s.Err == nil {
		t.Error("Col has no Err")
	}
	empty := dataframe.ReadCSV(strings.NewReader("\ufeffa,b\nx,\ny,1e-9\n"))
	if empty.Col("a").Err == nil {
		t.Error("the byte order mark is gone")
	}
	texts := dataframe.ReadCSV(strings.NewReader("a,b\nx,\ny,z\n"))
	if texts.Col("b").Elem(0).IsNA() {
		t.Error("an empty field is missing")
	}
	if s := series.New([]float64{1e-9}, series.Float, "x").Records()[0]; s != "0.000000" {
		t.Errorf("1e-9 is %s", s)
	}
	words := series.New([]string{"NaN"}, series.String, "x")
	again := words.Map(func(e series.Element) series.Element { return e })
	if !words.Elem(0).IsNA() || again.Elem(0).IsNA() || again.Elem(0).String() != "NaN" {
		t.Error("a missing string survives a copy")
	}
}
