package frame

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

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
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // Excel writes it
		in.Discard(3)
	}
	c := csv.NewReader(in)
	if o.Comma != 0 {
		c.Comma = o.Comma
	}
	first, _ := in.Peek(in.Size())
	first, _, _ = bytes.Cut(first, []byte("\n"))
	records, err := c.ReadAll()
	if o.Comma == 0 && (err != nil || len(records) > 0 && len(records[0]) == 1) {
		for _, comma := range ";\t|" {
			if n := bytes.Count(first, []byte(string(comma))); n > 0 && n > bytes.Count(first, []byte(",")) {
				return dataframe.DataFrame{}, fmt.Errorf("frame: %s: the first line has %q between its names, not commas: set CSVOptions.Comma", fn, comma)
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
	words, numbers := map[string]bool{}, map[float64]bool{}
	for _, w := range missingWords {
		words[w] = true
	}
	for _, w := range o.Missing {
		words[w] = true
		if v, err := strconv.ParseFloat(w, 64); err == nil {
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
		v, err := strconv.ParseFloat(w, 64)
		return err == nil && numbers[v]
	}
	all := make([]series.Series, len(names))
	fields := make([]string, len(records))
	for j, name := range names {
		for i, record := range records {
			fields[i] = record[j]
		}
		all[j] = typed(name, fields, isMissing, slices.Contains(o.Text, name))
	}
	return newFrame(fn, all...)
}

// typed returns the fields as a series of the first type that fits all fields that are not missing: ints, floats, bools
// or strings. If the last argument is true, all fields stay strings. Otherwise, if all fields are missing, the series
// contains floats.
func typed(name string, fields []string, isMissing func(string) bool, text bool) series.Series {
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
	case try(func(s string) (any, error) { return strconv.Atoi(s) }):
		if !some { // all are missing
			return series.New(list, series.Float, name)
		}
		return series.New(list, series.Int, name)
	case try(func(s string) (any, error) { return strconv.ParseFloat(s, 64) }):
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
