package audit

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

var (
	share       = regexp.MustCompile(`([0-9.]+) is ([0-9.]+) ?%`)
	uncertainty = regexp.MustCompile(`uncertain by ([0-9.]+) to ([0-9.]+) points`)
)

// basis compares a row's rule with its basis: the reason for the rule's tolerance, as stated in the protocol's entry
// e. It recognizes two kinds of phrases with numbers, "20 is 4 %" and "uncertain by 1 to 2 points", and ignores all
// other text.
func basis(r *row, e *entry) (wrong []finding) {
	add := func(format string, args ...any) {
		wrong = append(wrong, finding{Row: r.ID, Check: "basis", Text: fmt.Sprintf(format, args...)})
	}
	limits := []string{string(r.Rule.Bound), string(r.Rule.Upper), string(r.Rule.Tolerance)}
	// "20 is 4 % of them" means that the bound is a count, and that the percentage is another number. So the measured
	// number must be a count.
	for _, m := range share.FindAllStringSubmatch(e.Basis, -1) {
		if m[1] != m[2] && strings.HasPrefix(r.Measured.Unit, "%") && near([]string{m[1]}, []string{pick(limits, m[1])}) == nil {
			add("the rule's %s is compared with %s%s, but by its basis (“%s”) it is a count, and %s %% of the whole: rule and basis are in different units", m[1], r.Measured.Number, r.Measured.Unit, m[0], m[2])
		}
	}
	// Suppose that the basis says how uncertain the number is. If the tolerance is smaller than that and the verdict
	// is against the source, the verdict depends on chance.
	for _, m := range uncertainty.FindAllStringSubmatch(e.Basis, -1) {
		least, err := fraction(m[1])
		tol, err2 := fraction(string(r.Rule.Tolerance))
		if err == nil && err2 == nil && e.Kind == "claim" && r.Verdict == not && tol.Cmp(least) < 0 && tol.Cmp(new(big.Rat)) > 0 {
			add("it is NOT REPRODUCED by a tolerance of %s points, and its basis says that the number is uncertain by %s to %s: the row cannot be decided", string(r.Rule.Tolerance), m[1], m[2])
		}
	}
	return wrong
}

// pick returns the element of list that is equal to x as a number, even if it is written differently. If no element is
// equal to x, pick returns "0".
func pick(list []string, x string) string {
	a, err := fraction(x)
	if err != nil {
		return "0"
	}
	for _, s := range list {
		if b, err := fraction(s); err == nil && s != "" && a.Cmp(b) == 0 {
			return s
		}
	}
	return "0"
}
