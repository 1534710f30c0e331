package frame

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/atomicfile"
)

// missingWords are the texts that mean a missing value: those of pandas, and <nil>, which package fmt prints for nil.
var missingWords = []string{
	"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<nil>",
}

// CSVOptions are the options of ReadCSV and FromCSV. The zero value is ready to use.
type CSVOptions struct {
	// Comma separates the fields. 0 means a comma. A file that seems to have another separator is then an error.
	Comma rune
	// Decimal separates the decimals of a number. 0 means a point. Set it to ',' for European files, whose Comma is often
	// ';'. A file with a column whose numbers seem to be written in another way than Decimal and Thousands say is an error.
	Decimal rune
	// Thousands separates groups of three digits in the whole part of a number. 0 means that there are no such groups.
	// With '.' (and ',' as Decimal), 1.234,5 is a number, and so are 1234,5 and 1.234. Dates such as 1.2.2024 are none.
	Thousands rune
	// Missing lists further texts that mean a missing value, such as "-999". (The empty field, NA, N/A, NaN, null, None
	// and the like always mean a missing value.) If such a text is a number, a field with the same number in another
	// form, such as -999.0, is missing too.
	Missing []string
	// Text lists columns that stay strings although they look like numbers, such as codes with leading zeros.
	Text []string
}

// ReadCSV reads a file of comma-separated values whose first line contains the names of the columns.
//
//	df, err := frame.ReadCSV("air.csv", nil)
//
// A column gets the first of the types int, float and bool that fits all of its values. If none fits, it contains
// strings. opt may be nil.
//
//	df, err = frame.ReadCSV("luft.csv", &frame.CSVOptions{Comma: ';', Decimal: ',', Thousands: '.'}) // from Europe
func ReadCSV(path string, opt *CSVOptions) (dataframe.DataFrame, error) {
	f, err := os.Open(path)
	if err != nil {
		return dataframe.DataFrame{}, fmt.Errorf("frame: ReadCSV: %w", err)
	}
	defer f.Close()
	df, err := readCSV("ReadCSV", f, opt)
	if err != nil {
		err = fmt.Errorf("%w (%s)", err, path)
	}
	return df, err
}

// FromCSV reads comma-separated values as ReadCSV does.
func FromCSV(r io.Reader, opt *CSVOptions) (dataframe.DataFrame, error) {
	if r == nil {
		panic("frame: FromCSV: r is nil")
	}
	return readCSV("FromCSV", r, opt)
}

func readCSV(fn string, r io.Reader, opt *CSVOptions) (dataframe.DataFrame, error) {
	var o CSVOptions
	if opt != nil {
		o = *opt
	}
	f, err := o.form(fn)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // Excel writes it
		in.Discard(3)
	}
	c := csv.NewReader(in)
	c.FieldsPerRecord = -1 // they are counted below
	if o.Comma != 0 {
		c.Comma = o.Comma
	}
	begin, _ := in.Peek(in.Size())
	begin = bytes.Clone(begin)
	var records [][]string
	for {
		var record []string
		if record, err = c.Read(); err != nil {
			break
		}
		if line, _ := c.FieldPos(0); len(records) > 0 && len(record) != len(records[0]) {
			err = fmt.Errorf("line %d has %s, and there are %d names", line, fieldsOf(len(record)), len(records[0]))
			if len(record) > len(records[0]) {
				err = fmt.Errorf("%w (a field that contains %q needs quotes)", err, c.Comma)
			}
			break
		}
		records = append(records, record)
	}
	if err == io.EOF {
		err = nil
	}
	if o.Comma == 0 && (err != nil || len(records) > 0 && len(records[0]) == 1) {
		first, rest, _ := bytes.Cut(begin, []byte("\n"))
		for _, comma := range ";\t|" {
			if n := bytes.Count(first, []byte(string(comma))); n > 0 && n > bytes.Count(first, []byte(",")) {
				return dataframe.DataFrame{}, fmt.Errorf("frame: %s: the first line has %q between its names, not commas: set CSVOptions.Comma%s", fn, comma, o.alsoSet(comma, rest))
			}
		}
	}
	if err != nil {
		return dataframe.DataFrame{}, fmt.Errorf("frame: %s: %w", fn, err)
	}
	if len(records) == 0 {
		why := ": a reader can be read only once"
		if _, isFile := r.(*os.File); isFile {
			why = ""
		}
		return dataframe.DataFrame{}, fmt.Errorf("frame: %s: there is nothing to read%s", fn, why)
	}
	names, records := records[0], records[1:]
	for _, name := range o.Text {
		if !slices.Contains(names, name) {
			return dataframe.DataFrame{}, fmt.Errorf("frame: %s: Text names a column %q that there is not", fn, name)
		}
	}
	words, numbers := map[string]bool{}, map[any]bool{}
	for _, w := range missingWords {
		words[w] = true
	}
	for _, w := range o.Missing {
		words[w] = true
		if v := f.number(w); v != nil {
			numbers[v] = true
		}
	}
	isMissing := func(w string) bool {
		if words[w] {
			return true
		}
		if len(numbers) == 0 {
			return false
		}
		return numbers[f.number(w)]
	}
	var texts []int // the columns of strings
	all := make([]series.Series, len(names))
	fields := make([]string, len(records))
	for j, name := range names {
		for i, record := range records {
			fields[i] = record[j]
		}
		text := slices.Contains(o.Text, name)
		if all[j] = typed(name, fields, f, isMissing, text); !text && all[j].Type() == series.String {
			texts = append(texts, j)
		}
	}
	if err := o.otherForm(fn, names, records, texts, isMissing); err != nil {
		return dataframe.DataFrame{}, err
	}
	return newFrame(fn, all...)
}

func fieldsOf(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprint(n, " fields")
}

// A form says how numbers are written. thousands is 0 if there are no groups of digits.
type form struct{ decimal, thousands rune }

// form returns how the options say that numbers are written. It returns an error if they cannot be written so.
func (o *CSVOptions) form(fn string) (form, error) {
	f := form{o.Decimal, o.Thousands}
	if f.decimal == 0 {
		f.decimal = '.'
	}
	for _, c := range []struct {
		name string
		r    rune
	}{{"Decimal", f.decimal}, {"Thousands", f.thousands}} {
		if unicode.IsLetter(c.r) || unicode.IsDigit(c.r) || c.r < 0 || strings.ContainsRune("+-\"\r\n", c.r) {
			return f, fmt.Errorf("frame: %s: %s is %q, which cannot be in a number", fn, c.name, c.r)
		}
	}
	if f.decimal == f.thousands {
		return f, fmt.Errorf("frame: %s: Decimal and Thousands are both %q: set both", fn, f.decimal)
	}
	return f, nil
}

// plain returns a number as Go writes it. It returns "" if it finds that w is no number of this form.
func (f form) plain(w string) string {
	if f == (form{decimal: '.'}) {
		return w
	}
	whole, rest, cut := strings.Cut(w, string(f.decimal))
	if f.thousands != 0 && strings.ContainsRune(whole, f.thousands) {
		groups := strings.Split(whole, string(f.thousands))
		for i, g := range groups {
			digits := g
			if i == 0 {
				digits = strings.TrimLeft(g, "+-")
			}
			if n := len(digits); n > 3 || n < 3 && i > 0 || n == 0 || strings.Trim(digits, "0123456789") != "" {
				return ""
			}
		}
		whole = strings.Join(groups, "")
	}
	if f.decimal != '.' && strings.Contains(whole+rest, ".") {
		return ""
	}
	if !cut {
		return whole
	}
	return whole + "." + rest
}

func (f form) float(w string) (float64, error) { return parseFloat(f.plain(w)) }

// parseFloat reads a decimal number, or one of the words inf and nan. It does not accept what only Go's programs have:
// 1_000 and 0x1p4.
func parseFloat(s string) (float64, error) {
	if strings.ContainsAny(s, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// number returns the number w as an int if it is whole, otherwise as a float64. It returns nil if w is no number.
func (f form) number(w string) any {
	if n, err := strconv.Atoi(f.plain(w)); err == nil {
		return n
	}
	v, err := f.float(w)
	if err != nil {
		return nil
	}
	if n := int(v); float64(n) == v && math.Abs(v) < maxExact {
		return n
	}
	return v
}

// setting says which options to set for the form.
func (f form) setting() string {
	switch {
	case f.decimal == '.':
		return fmt.Sprintf("Thousands to %q", f.thousands)
	case f.thousands == 0:
		return fmt.Sprintf("Decimal to %q", f.decimal)
	}
	return fmt.Sprintf("Decimal to %q and Thousands to %q", f.decimal, f.thousands)
}

// otherForms returns the usual forms of numbers that do not contradict the options and differ from what they say.
func (o *CSVOptions) otherForms() (list []form) {
	for _, f := range []form{{',', 0}, {',', '.'}, {'.', ','}} {
		if (o.Decimal == 0 || o.Decimal == f.decimal) && o.Thousands == 0 && (o.Decimal == 0 || f.thousands != 0) {
			list = append(list, f)
		}
	}
	return list
}

// alsoSet returns what a message about the separator of the fields should add about numbers, or "". text is the
// beginning of the file, without its first line.
func (o *CSVOptions) alsoSet(comma rune, text []byte) string {
	for _, f := range o.otherForms() {
		for _, w := range strings.FieldsFunc(string(text), func(r rune) bool { return r == comma || r == '\n' }) {
			w = strings.Trim(w, "\" \r")
			if _, err := f.float(w); err == nil && strings.Contains(w, ",") && !strings.HasSuffix(w, ",") {
				return fmt.Sprintf(", and for numbers such as %s also %s", w, f.setting())
			}
		}
	}
	return ""
}

// otherForm returns an error if a column of strings contains nothing but numbers of another form. The columns are given
// by their indices. The form in the message is the one that fits most of these columns.
func (o *CSVOptions) otherForm(fn string, names []string, records [][]string, columns []int, isMissing func(string) bool) error {
	var best, other form // other fits as many columns, and reads other numbers
	where, example, most := "", "", 0
	for _, f := range o.otherForms() {
		fits, name, sample := 0, "", ""
		for _, j := range columns {
			if w := f.example(records, j, isMissing); w != "" {
				if fits++; fits == 1 {
					name, sample = names[j], w
				}
			}
		}
		switch {
		case fits > most:
			best, other, where, example, most = f, form{}, name, sample, fits
		case fits == most && f.decimal != best.decimal:
			other = f
		}
	}
	if most == 0 {
		return nil
	}
	or := ""
	if other != (form{}) {
		or = ", or " + other.setting()
	}
	return fmt.Errorf("frame: %s: column %q has numbers such as %s: set CSVOptions.%s%s (or name the column in Text, to keep it as it is)", fn, where, example, best.setting(), or)
}

// example returns the first field of column j that is written with a separator, if all fields of the column are numbers
// of this form or missing. Otherwise it returns "".
func (f form) example(records [][]string, j int, isMissing func(string) bool) (example string) {
	for _, record := range records {
		w := strings.TrimSpace(record[j])
		if isMissing(w) {
			continue
		}
		if _, err := f.float(w); err != nil {
			return ""
		}
		if example == "" && strings.ContainsFunc(w, func(r rune) bool { return r == f.decimal || r == f.thousands }) {
			example = w
		}
	}
	return example
}

// typed returns the fields as a series of the first type that fits all fields that are not missing: ints, floats, bools
// or strings. Numbers are written as f says. If the last argument is true, all fields stay strings. Otherwise, if all
// fields are missing, the series contains floats.
func typed(name string, fields []string, f form, isMissing func(string) bool, text bool) series.Series {
	list := make([]any, len(fields))
	some := false
	try := func(parse func(s string) (any, error)) bool {
		for i, w := range fields {
			list[i] = nil
			if w = strings.TrimSpace(w); isMissing(w) {
				continue
			}
			some = true
			v, err := parse(w)
			if err != nil {
				return false
			}
			list[i] = v
		}
		return true
	}
	switch {
	case text:
	case try(func(s string) (any, error) { return strconv.Atoi(f.plain(s)) }):
		if !some { // all are missing
			return series.New(list, series.Float, name)
		}
		return series.New(list, series.Int, name)
	case try(func(s string) (any, error) { return f.float(s) }):
		return series.New(list, series.Float, name)
	case try(parseBool):
		return series.New(list, series.Bool, name)
	}
	for i, w := range fields {
		list[i] = w
		if isMissing(w) {
			list[i] = nil
		}
	}
	return series.New(list, series.String, name)
}

func parseBool(s string) (any, error) {
	switch s {
	case "true", "True", "TRUE":
		return true, nil
	case "false", "False", "FALSE":
		return false, nil
	}
	return nil, strconv.ErrSyntax
}

// WriteCSV writes df to a file that ReadCSV can read. A missing value is written as an empty field, or as NaN if there
// is only one column. Numbers are written with all their digits. (gota's own WriteCSV writes NaN for missing values,
// and only six decimals.) An existing file is replaced.
func WriteCSV(path string, df dataframe.DataFrame) error {
	const fn = "WriteCSV"
	columns, err := read(fn, df, nil, anyType)
	if err != nil {
		return err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(df.Names())
	words := make([][]string, len(columns))
	for j, c := range columns {
		words[j] = c.words(allRows(df.Nrow()))
	}
	record := make([]string, len(columns))
	for i := range df.Nrow() {
		for j, c := range columns {
			if record[j] = words[j][i]; c.missing[i] && len(columns) > 1 { // an empty line would be skipped
				record[j] = ""
			}
		}
		w.Write(record)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("frame: %s: %w", fn, err)
	}
	if err := atomicfile.Write(path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("frame: %s: %w", fn, err)
	}
	return nil
}
