package frame

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"overcomplete/internal/atomicfile"
)

// missingWords are the strings that mean a missing value: those of pandas, and <nil>, which package fmt prints for nil.
var missingWords = []string{
	"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "<nil>",
}

// CSVOptions are the options of ReadCSV and FromCSV. The zero value is ready to use.
type CSVOptions struct {
	// Comma separates the fields. 0 means a comma, or the separator that the file's first line names, as in sep=; (from
	// Excel). A file that seems to have a different separator is an error.
	Comma rune
	// Decimal is the decimal separator. 0 means a point. Set it to ',' for European files, whose Comma is often
	// ';'. A file is an error if a column has only numbers, and some do not seem to be written as Decimal and Thousands
	// say, such as 1.5 if Decimal is ','.
	Decimal rune
	// Thousands separates groups of three digits in the whole part of a number. 0 means that there are no such groups.
	// With '.' (and ',' as Decimal), 1.234,5 is a number, and so are 1234,5 and 1.234. Dates such as 1.2.2024 are not
	// numbers, nor is 0.123: the first group never begins with 0. ' ' also means the no-break space and the thin
	// spaces.
	Thousands rune
	// Missing lists further strings that mean a missing value, such as "-999". (The empty field, NA, N/A, NaN, null,
	// None and the like always mean a missing value.) If such a string is a number, a field with the same number in
	// another form, such as -999.0, is missing too.
	Missing []string
	// Text lists columns that stay strings although they look like numbers, such as codes with leading zeros.
	Text []string
}

// ReadCSV reads a file of comma-separated values whose first line contains the names of the columns.
//
//	df, err := frame.ReadCSV("air.csv", nil)
//
// A column gets the first of the types int, float and bool that fits all of its values. If none fits, it contains
// strings. It also contains strings if all of its numbers are whole and one has too many digits for an int, so that no
// digits of IDs are lost. Numbers are decimal, such as -1.5e-3. The file must be UTF-8. opt may be nil.
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
	records, comma, err := o.records(fn, r)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	names, records := records[0], records[1:]
	for _, name := range o.Text {
		if !slices.Contains(names, name) {
			return dataframe.DataFrame{}, fmt.Errorf("frame: %s: Text names a column %q that there is not", fn, name)
		}
	}
	isMissing := o.isMissing(f)
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
	if err := o.otherForm(fn, f, comma, names, records, texts, isMissing); err != nil {
		return dataframe.DataFrame{}, err
	}
	return newFrame(fn, all...)
}

// records reads all records of a file. The first record has the names of the columns. comma separates the fields.
func (o *CSVOptions) records(fn string, r io.Reader) (records [][]string, comma rune, err error) {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // Excel writes it
		in.Discard(3)
	}
	begin, _ := in.Peek(in.Size())
	if bytes.IndexByte(begin, '\r') >= 0 && bytes.IndexByte(begin, '\n') < 0 { // lines end as on an old Mac
		in = bufio.NewReader(&returns{in})
		begin, _ = in.Peek(in.Size())
	}
	if name := utf16(begin); name != "" {
		return nil, 0, fmt.Errorf("frame: %s: line 1 is UTF-16, not UTF-8: %s", fn, convert(name))
	}
	c := csv.NewReader(in)
	c.FieldsPerRecord = -1 // they are counted below
	if o.Comma != 0 {
		c.Comma = o.Comma
	}
	skipped := 0 // lines
	if sep, size := separator(begin); sep != 0 {
		if o.Comma != 0 && o.Comma != sep {
			return nil, 0, fmt.Errorf("frame: %s: the first line says that %q separates the fields, and CSVOptions.Comma is %q: do not set Comma", fn, sep, o.Comma)
		}
		c.Comma, skipped = sep, 1
		in.Discard(size)
		begin, _ = in.Peek(in.Size())
	}
	begin = bytes.Clone(begin)
	for {
		record, e := c.Read()
		if err = e; err != nil {
			break
		}
		if k := slices.IndexFunc(record, func(w string) bool { return !utf8.ValidString(w) }); k >= 0 {
			line, _ := c.FieldPos(k)
			return nil, 0, fmt.Errorf("frame: %s: line %d is not UTF-8 (%q), but probably Windows-1252 or Latin-1: %s", fn, line+skipped, record[k], convert("WINDOWS-1252"))
		}
		if line, _ := c.FieldPos(0); len(records) > 0 && len(record) != len(records[0]) {
			there := "is 1 name"
			if n := len(records[0]); n != 1 {
				there = fmt.Sprintf("are %d names", n)
			}
			err = fmt.Errorf("line %d has %s, and there %s", line+skipped, fieldsOf(len(record)), there)
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
	if e, ok := err.(*csv.ParseError); ok {
		e.StartLine += skipped
		e.Line += skipped
	}
	if o.Comma == 0 && skipped == 0 && (err != nil || len(records) > 0 && len(records[0]) == 1) {
		first, rest, _ := bytes.Cut(begin, []byte("\n"))
		for _, comma := range ";\t|" {
			if n := bytes.Count(first, []byte(string(comma))); n > 0 && n > bytes.Count(first, []byte(",")) {
				return nil, 0, fmt.Errorf("frame: %s: the first line has %q between its names, not commas: set CSVOptions.Comma%s", fn, comma, o.alsoSet(comma, rest))
			}
		}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("frame: %s: %w", fn, err)
	}
	if len(records) == 0 {
		why := ": a reader can be read only once"
		if _, isFile := r.(*os.File); isFile {
			why = ""
		}
		return nil, 0, fmt.Errorf("frame: %s: there is nothing to read%s", fn, why)
	}
	return records, c.Comma, nil
}

// returns reads from r, with line feeds in place of carriage returns.
type returns struct{ r io.Reader }

func (r *returns) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// isMissing returns a function that reports whether a field stands for a missing value. f says how numbers are written.
func (o *CSVOptions) isMissing(f form) func(w string) bool {
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
	return func(w string) bool {
		if words[w] {
			return true
		}
		if len(numbers) == 0 {
			return false
		}
		return numbers[f.number(w)]
	}
}

// utf16 returns the name of a file's encoding if the given beginning of the file looks like UTF-16. Otherwise it
// returns "".
func utf16(begin []byte) string {
	switch {
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff")):
		return "UTF-16" // iconv sees from these two bytes which of the following it is
	case len(begin) < 2 || begin[0] == 0 && begin[1] == 0:
		return ""
	case begin[1] == 0:
		return "UTF-16LE"
	case begin[0] == 0:
		return "UTF-16BE"
	}
	return ""
}

// convert says what to do with a file in an encoding other than UTF-8.
func convert(from string) string {
	return "convert the file, as with iconv -f " + from + " -t UTF-8, or save it in Excel as CSV UTF-8"
}

// separator returns the separator that the first line of a file names, as Excel writes it: sep=; or "sep=;". It also
// returns the length of this line. If there is no such line, the separator is 0.
func separator(begin []byte) (sep rune, size int) {
	line, _, cut := bytes.Cut(begin, []byte("\n"))
	text := strings.TrimSuffix(string(line), "\r")
	if quoted, ok := strings.CutPrefix(text, "\""); ok {
		text = strings.TrimSuffix(quoted, "\"")
	}
	if len(text) < 5 || !strings.EqualFold(text[:4], "sep=") {
		return 0, 0
	}
	sep, n := utf8.DecodeRuneInString(text[4:])
	if n != len(text)-4 || unicode.IsLetter(sep) || unicode.IsDigit(sep) || sep == utf8.RuneError {
		return 0, 0
	}
	return sep, len(line) + b2i(cut)
}

func fieldsOf(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprint(n, " fields")
}

// A form says how numbers are written. thousands is 0 if there are no groups of digits.
type form struct{ decimal, thousands rune }

// form returns the form of numbers that the options describe. It returns an error if this form is not possible.
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
		if o.Decimal == 0 {
			return f, fmt.Errorf("frame: %s: Thousands is %q, and Decimal is not set, which means %[2]q too: set Decimal", fn, f.thousands)
		}
		return f, fmt.Errorf("frame: %s: Decimal and Thousands are both %q, and must differ", fn, f.decimal)
	}
	return f, nil
}

// plain returns w, a number of this form, as Go writes it. It returns "" if it notices that w is not a number of this
// form. It does not notice everything, so the caller must parse the result.
func (f form) plain(w string) string {
	if f == (form{decimal: '.'}) {
		return w
	}
	whole, rest, cut := strings.Cut(w, string(f.decimal))
	if f.thousands == ' ' {
		whole = strings.Map(plainSpace, whole)
	}
	if f.thousands != 0 && strings.ContainsRune(whole, f.thousands) {
		groups := strings.Split(whole, string(f.thousands))
		for i, g := range groups {
			digits := g
			if i == 0 {
				digits = strings.TrimLeft(g, "+-")
			}
			if n := len(digits); n > 3 || n < 3 && i > 0 || n == 0 || i == 0 && digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
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

// plainSpace returns a plain space for the other spaces that may separate groups of digits: no-break space, narrow
// no-break space and thin space. It returns all other characters unchanged.
func plainSpace(r rune) rune {
	if r == '\u00a0' || r == '\u202f' || r == '\u2009' {
		return ' '
	}
	return r
}

func (f form) float(w string) (float64, error) { return parseFloat(f.plain(w)) }

// parseFloat reads a decimal number, or one of the words inf and nan. It does not accept forms that only Go source
// has, such as 1_000 and 0x1p4.
func parseFloat(s string) (float64, error) {
	if strings.ContainsAny(s, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// number returns the number w as an int if it is whole, otherwise as a float64. If it is a whole number with too many
// digits for an int, it returns the digits. It returns nil if w is not a number.
func (f form) number(w string) any {
	n, err := strconv.Atoi(f.plain(w))
	switch {
	case err == nil:
		return n
	case errors.Is(err, strconv.ErrRange):
		return f.plain(w)
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

// setting says which options to change so that numbers are read in the form f and no longer in the form now.
func (f form) setting(now form) string {
	var list []string
	if f.decimal != now.decimal {
		list = append(list, fmt.Sprintf("Decimal to %q", f.decimal))
	}
	switch {
	case f.thousands == now.thousands:
	case f.thousands != 0:
		list = append(list, fmt.Sprintf("Thousands to %q", f.thousands))
	case now.thousands == f.decimal:
		list = append(list, "Thousands to 0")
	}
	return strings.Join(list, " and ")
}

// otherForms returns the usual forms of numbers that differ from f, the form that the options describe. The first n
// forms agree with the options that are set.
func (o *CSVOptions) otherForms(f form) (list []form, n int) {
	usual := []form{{',', 0}, {'.', 0}, {',', '.'}, {'.', ','}}
	if f.thousands != 0 {
		usual = append(usual, form{',', f.thousands}, form{'.', f.thousands})
	}
	var contrary []form
	for _, g := range usual {
		switch {
		case g == f || g.decimal == g.thousands || slices.Contains(list, g) || slices.Contains(contrary, g):
		case (o.Decimal == 0 || o.Decimal == g.decimal) && (o.Thousands == 0 || o.Thousands == g.thousands):
			list = append(list, g)
		default:
			contrary = append(contrary, g)
		}
	}
	return append(list, contrary...), len(list)
}

// alsoSet returns the text about numbers that a message about the field separator should add, or "". text is the
// beginning of the file, without its first line.
func (o *CSVOptions) alsoSet(comma rune, text []byte) string {
	now, _ := o.form("")
	forms, n := o.otherForms(now)
	for _, f := range forms[:n] {
		for _, w := range strings.FieldsFunc(string(text), func(r rune) bool { return r == comma || r == '\n' }) {
			w = strings.Trim(w, "\" \r")
			if _, err := f.float(w); err == nil && strings.Contains(w, ",") && !strings.HasSuffix(w, ",") {
				return fmt.Sprintf(", and for numbers such as %s also %s", w, f.setting(now))
			}
		}
	}
	return ""
}

// otherForm returns an error if a column of strings contains only numbers, but some of them are not written as f says.
// The columns are given by their indices, and comma separates the fields. The form in the message is the one that fits
// most of these columns.
func (o *CSVOptions) otherForm(fn string, f form, comma rune, names []string, records [][]string, columns []int, isMissing func(string) bool) error {
	forms, n := o.otherForms(f)
	var best, other form // other fits as many columns, and reads other numbers
	var where []int
	contrary := false
	for k, g := range forms {
		if k >= n && len(where) > 0 && !contrary {
			break // a form that agrees with the options fits
		}
		var fits []int
		for _, j := range columns {
			if unlike(records, j, isMissing, g) == "" && unlike(records, j, isMissing, f) != "" {
				fits = append(fits, j)
			}
		}
		switch {
		case len(fits) > len(where):
			best, other, where, contrary = g, form{}, fits, k >= n
		case len(fits) > 0 && len(fits) == len(where) && g.decimal != best.decimal:
			other = g
		}
	}
	if len(where) == 0 {
		for _, j := range columns {
			a, b := unlike(records, j, isMissing, f), ""
			if a != "" && unlike(records, j, isMissing, append(forms, f)...) == "" {
				for _, g := range forms { // one that reads a
					if _, err := g.float(a); err == nil && b == "" {
						b = unlike(records, j, isMissing, g)
					}
				}
				return fmt.Errorf("frame: %s: column %q has numbers of different forms, such as %s and %s: write them alike, or name the column in CSVOptions.Text, to keep it as it is", fn, names[j], a, b)
			}
		}
		return nil
	}
	list := make([]string, len(where))
	for k, j := range where {
		list[k] = strconv.Quote(names[j])
	}
	what, has, the := "column ", "has", "the column"
	if last := len(list) - 1; last > 0 {
		what, has, the = "columns "+strings.Join(list[:last], ", ")+" and ", "have", "the columns"
		list = list[last:]
	}
	is := ""
	if contrary {
		if is = fmt.Sprintf(", and CSVOptions.Thousands is %q", o.Thousands); o.Decimal != 0 {
			is = fmt.Sprintf(", and CSVOptions.Decimal is %q", o.Decimal)
		}
	}
	set := best.setting(f)
	if other != (form{}) {
		set += ", or " + other.setting(f)
	}
	example := unlike(records, where[0], isMissing, f)
	if contrary || comma == ',' { // a comma in a file of commas may well separate the elements of a list
		return fmt.Errorf("frame: %s: %s%s %s numbers such as %s%s: name %s in CSVOptions.Text, to keep lists and other texts as they are, or set %s", fn, what, list[0], has, example, is, the, set)
	}
	return fmt.Errorf("frame: %s: %s%s %s numbers such as %s: set CSVOptions.%s (or name %s in Text, to keep texts as they are)", fn, what, list[0], has, example, set, the)
}

// unlike returns the first field of column j that is neither missing nor a number in any of the forms. It returns "" if
// there is none.
func unlike(records [][]string, j int, isMissing func(string) bool, forms ...form) string {
	for _, record := range records {
		w := strings.TrimSpace(record[j])
		if !isMissing(w) && !slices.ContainsFunc(forms, func(f form) bool { _, err := f.float(w); return err == nil }) {
			return w
		}
	}
	return ""
}

// typed returns the fields as a series of the first type that fits all fields that are not missing: ints, floats, bools
// or strings. f describes how numbers are written in the fields. If text is true, all fields stay strings. Otherwise, if all fields are
// missing, the series contains floats. Whole numbers stay strings if an int cannot hold one of them: as floats,
// different IDs could become equal.
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
	wide := false // some int has too many digits
	ints := !text && try(func(s string) (any, error) {
		n, err := strconv.Atoi(f.plain(s))
		if errors.Is(err, strconv.ErrRange) {
			wide, err = true, nil
		}
		return n, err
	})
	switch {
	case text, ints && wide:
	case ints:
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
// and only six decimals.) An existing file is replaced, and missing folders are made.
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
