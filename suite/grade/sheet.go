package grade

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"overcomplete/internal/atomicfile"
)

// Write writes the lines to a CSV file atomically. Only the file's owner can read it.
func Write(path string, lines []Line) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"student", "points", "out of", "reasons"}) // writing to a Buffer cannot fail
	for _, l := range lines {
		w.Write([]string{harmless(l.Student), number(l.Points), number(l.Of), harmless(l.Text())})
	}
	w.Flush()
	return atomicfile.Write(path, b.Bytes(), 0o600)
}

// Text returns the reasons in one line.
func (l Line) Text() string {
	reasons := l.Reasons
	if len(l.Free) > 0 {
		reasons = append(reasons[:len(reasons):len(reasons)], "not limited: "+strings.Join(l.Free, ", "))
	}
	return strings.Join(reasons, "; ")
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// harmless returns s in a form that no spreadsheet interprets as a formula. Students choose the names of their files,
// and such a name could be a formula.
func harmless(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if strings.ContainsAny(firstRune(s), "=+-@＝＋－＠") {
		return "'" + s
	}
	return s
}

// firstRune returns the first character that is not a space.
func firstRune(s string) string {
	for _, r := range strings.TrimSpace(s) {
		return string(r)
	}
	return ""
}
