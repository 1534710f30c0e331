package suite

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// A text that states an order or a number of the record may say which rows it is from. It does so in a comment that
// no front end shows:
//
//	KL codes are above the paper (84.3 %, published 82.5).<!-- rows: table5-kl-5000 = 84.3; table5-kl-5000 > table5-kl-5000.published -->
//
// Each statement compares two terms by =, < or >. A term is one of the following: a number; a row's ID, which stands
// for the measured number; an ID with ".published"; or an ID with ".said", which is the text next to the measured
// value. With ".said", = means that the text contains the number. Any other number in a comparison by = must occur in
// the text that the comment belongs to, and must equal the row's number to as many decimals as it has.
var statedRows = regexp.MustCompile(`<!-- rows: ([^>]|>[^\n])*? -->`)

// stated returns what is wrong with the statements in a text, and how many there are.
func stated(text string, row func(id string) (record.Row, bool)) (wrong []string, count int) {
	plain := statedRows.ReplaceAllString(text, "")
	for _, comment := range statedRows.FindAllString(text, -1) {
		comment = strings.TrimSuffix(strings.TrimPrefix(comment, "<!-- rows: "), " -->")
		for _, s := range strings.Split(comment, ";") {
			count++
			if fault := stateOne(strings.Fields(s), plain, row); fault != "" {
				wrong = append(wrong, strings.TrimSpace(s)+": "+fault)
			}
		}
	}
	return wrong, count
}

// stateOne returns what is wrong with one statement, or "".
func stateOne(words []string, plain string, row func(id string) (record.Row, bool)) string {
	if len(words) != 3 {
		return "is not two terms and one of = < >"
	}
	var value [2]float64
	decimals := -1 // number of decimals of a number that is compared by =
	for i, w := range []string{words[0], words[2]} {
		if v, err := strconv.ParseFloat(w, 64); err == nil {
			value[i] = v
			if words[1] == "=" {
				_, fraction, _ := strings.Cut(w, ".")
				decimals = len(fraction)
				if !regexp.MustCompile(`(^|[^0-9.])` + regexp.QuoteMeta(strings.TrimPrefix(w, "-")) + `($|[^0-9.]|\.($|[^0-9]))`).MatchString(plain) {
					return w + " does not stand in the text"
				}
			}
			continue
		}
		id, part, _ := strings.Cut(w, ".")
		r, ok := row(id)
		if !ok {
			return "there is no row " + id
		}
		of := r.Measured
		switch part {
		case "":
		case "published":
			of = r.Published
		case "said":
			if words[1] != "=" || !strings.Contains(of.Text, words[2]) {
				return fmt.Sprintf("the row says %q", of.Text)
			}
			return ""
		default:
			return "unknown part " + part
		}
		if of.Kind != record.KindNumber {
			return id + " has no such number"
		}
		value[i] = of.Number
	}
	switch words[1] {
	case "<":
		if !(value[0] < value[1]) {
			return fmt.Sprintf("%.6g is not below %.6g", value[0], value[1])
		}
	case ">":
		if !(value[0] > value[1]) {
			return fmt.Sprintf("%.6g is not above %.6g", value[0], value[1])
		}
	case "=":
		if decimals < 0 {
			return "= needs a number as it is printed"
		}
		// A number may be printed without its sign: "1.6 points behind".
		if half := 0.5000001 * math.Pow(10, -float64(decimals)); math.Abs(math.Abs(value[0])-math.Abs(value[1])) > half {
			return fmt.Sprintf("%.6g is not %.6g", value[0], value[1])
		}
	default:
		return "is not two terms and one of = < >"
	}
	return ""
}

// The statements about rows in the notebooks' texts must agree with the record.
func TestStatedRows(t *testing.T) {
	root, ok, err := record.Project(".")
	if err != nil || !ok {
		t.Fatal("not in the project", err)
	}
	files, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		nb, err := notebook.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb")
		results, err := record.Read(filepath.Join(root, "figures", name, record.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			if c.Type != notebook.Markdown {
				continue
			}
			if strings.Count(c.Source, "<!--") != len(statedRows.FindAllString(c.Source, -1)) {
				t.Errorf("%s, cell %s: a comment that is no statement of rows", name, c.ID)
			}
			wrong, count := stated(c.Source, results.Row)
			total += count
			for _, w := range wrong {
				t.Errorf("%s, cell %s: %s", name, c.ID, w)
			}
		}
	}
	if total < 30 {
		t.Errorf("only %d statements were found", total)
	}
}

// The test of the texts finds statements that contradict the rows.
func TestStatedWrong(t *testing.T) {
	rows := map[string]record.Row{
		"a": {Measured: record.Number(83.44, "%"), Published: record.Published(82.5, "%", "table")},
		"b": {Measured: record.Value{Kind: record.KindNumber, Number: -1.58, Text: "95 % against 57 %"}},
		"c": {Measured: record.Bool(true, "")},
	}
	row := func(id string) (record.Row, bool) { r, ok := rows[id]; return r, ok }
	const text = "KL has 83.4 % (published 82.5), is 1.6 points behind, 57 % in all. "
	for statement, right := range map[string]bool{
		"a = 83.4": true, "a.published = 82.5": true, "b = 1.6": true, "a > a.published": true, "a > 83; b < 0": true, "b.said = 57": true,
		"a = 83.5": false, "a = 83.44": false, "a = 3.4": false, "a < a.published": false, "a > 83; b > 0": false, "d = 1": false, "c > 0": false,
		"a": false, "a ~ b": false, "b.said = 58": false, "a.other > 1": false, "a = b": false,
	} {
		wrong, count := stated(text+"<!-- rows: "+statement+" -->", row)
		if (len(wrong) == 0) != right || count == 0 {
			t.Errorf("%s: %q, %d statements", statement, wrong, count)
		}
	}
}
