package rerun

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// varying lists patterns for the parts of texts that differ from run to run.
var varying = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`), "⟨date⟩"},
	{regexp.MustCompile(`\b\d{4}/\d\d/\d\d\b`), "⟨date⟩"},
	{regexp.MustCompile(`\b\d{1,2}:\d\d(:\d\d(\.\d+)?)?\b`), "⟨time⟩"},
	{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(e[-+]?\d+)?\s?(ns|µs|μs|us|ms|s|sec|seconds?|min|minutes?|h|hours?)\b`), "⟨duration⟩"},
	{regexp.MustCompile(`\b0xc[0-9a-f]{7,11}\b`), "⟨address⟩"},
}

// maskVarying replaces the parts of a string that differ from run to run, such as times and memory addresses,
// with placeholders. It also removes white space at the end.
func maskVarying(text string) string {
	for _, v := range varying {
		text = v.re.ReplaceAllString(text, v.by)
	}
	return strings.TrimRight(text, " \t\r\n")
}

// compareText describes the first difference between two texts. The description is "" if the texts look the same to a
// reader. The result order is true if the texts have the same lines in another order.
func compareText(old, now string, tolerance float64) (what string, order bool) {
	if old == now {
		return "", false
	}
	a, b := strings.Split(maskVarying(old), "\n"), strings.Split(maskVarying(now), "\n")
	first := 0
	for first < len(a) && first < len(b) && sameLine(a[first], b[first], tolerance) {
		first++
	}
	switch {
	case first == len(a) && first == len(b):
		return "", false
	case first == len(a):
		return fmt.Sprintf("line %d, %q, is new", first+1, shorten(b[first])), false
	case first == len(b):
		return fmt.Sprintf("line %d, %q, is missing", first+1, shorten(a[first])), false
	}
	if len(a) > 1 && len(a) == len(b) {
		x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
		if slices.EqualFunc(x, y, func(s, t string) bool { return sameLine(s, t, tolerance) }) {
			return fmt.Sprintf("line %d is in a different place", first+1), true
		}
	}
	was, is := window(a[first], b[first])
	return fmt.Sprintf("line %d is %q, but was %q", first+1, is, was), false
}

// number matches numbers. Digits in names such as x1 are compared as text.
var number = regexp.MustCompile(`[-−+]?\d+(\.\d+)?([eE][-+]?\d+)?`)

// sameLine reports whether two lines differ only in numbers, and these differ within the tolerance.
func sameLine(a, b string, tolerance float64) bool {
	if a == b {
		return true
	}
	x, y := number.FindAllStringIndex(a, -1), number.FindAllStringIndex(b, -1)
	if len(x) != len(y) {
		return false
	}
	endA, endB := 0, 0
	for i := range x {
		if a[endA:x[i][0]] != b[endB:y[i][0]] || !sameNumber(a[x[i][0]:x[i][1]], b[y[i][0]:y[i][1]], tolerance) {
			return false
		}
		endA, endB = x[i][1], y[i][1]
	}
	return a[endA:] == b[endB:]
}

// sameNumber reports whether two printed numbers differ by at most tolerance, relative to the larger one. Whole numbers
// must be equal. If a number is printed with few digits, a tiny difference can change the last digit. The printed
// numbers may then differ by more than the tolerance, which counts as a change.
func sameNumber(a, b string, tolerance float64) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return false
	}
	x, errA := strconv.ParseFloat(strings.ReplaceAll(a, "−", "-"), 64)
	y, errB := strconv.ParseFloat(strings.ReplaceAll(b, "−", "-"), 64)
	if errA != nil || errB != nil { // one of the numbers is out of range
		return false
	}
	return math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
}

// most limits the number of quoted characters of a string.
const most = 60

func shorten(s string) string {
	s, rest, more := strings.Cut(s, "\n")
	if utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most]) + "…"
	}
	if more && rest != "" {
		s += "…"
	}
	return s
}

// window returns the parts of two lines around the first difference.
func window(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	first := 0
	for first < len(x) && first < len(y) && x[first] == y[first] {
		first++
	}
	if first <= most/2 {
		return shorten(a), shorten(b)
	}
	from := first - most/3
	return "…" + shorten(string(x[from:])), "…" + shorten(string(y[from:]))
}
