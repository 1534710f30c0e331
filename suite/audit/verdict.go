package audit

import (
	"fmt"
	"math/big"
	"strings"
)

// rounding is the largest distance beyond a limit that counts as an effect of rounding to float64. It is a fraction of
// the largest number in the comparison.
var rounding = big.NewRat(1, 1_000_000_000_000)

// judge returns the verdict that the row's rule gives for its values. It returns an error if the rule is unknown, or
// if a value that the rule needs is missing.
func judge(r *row) (string, error) {
	var err error
	number := func(s string) *big.Rat {
		x, e := fraction(s)
		if e != nil {
			err = e
			return new(big.Rat)
		}
		return x
	}
	if r.Rule.Kind == "no data" || r.Rule.Kind == "by hand" {
		if strings.TrimSpace(r.Rule.Why) == "" {
			return "", fmt.Errorf("%s without a reason", r.Rule.Kind)
		}
		if r.Rule.Kind == "no data" {
			return noData, nil
		}
		return r.Rule.Hand, nil
	}
	yes := func(b bool) (string, error) {
		if b {
			return reproduced, nil
		}
		return not, nil
	}
	switch r.Rule.Kind {
	case "holds":
		if r.Measured.Kind != "bool" {
			return "", fmt.Errorf("a statement is needed, not %q", r.Measured.Kind)
		}
		return yes(r.Measured.Bool)
	case "same":
		return yes(strings.EqualFold(strings.TrimSpace(r.Measured.Text), strings.TrimSpace(r.Published.Text)))
	}
	if r.Measured.Kind != "number" {
		return "", fmt.Errorf("a number is needed, not %q", r.Measured.Kind)
	}
	m, p := number(string(r.Measured.Number)), number(string(r.Published.Number))
	lo, hi := number(string(r.Rule.Bound)), number(string(r.Rule.Upper))
	tol, slack := number(string(r.Rule.Tolerance)), number(string(r.Rule.Slack))
	if err != nil {
		return "", err
	}
	var from, to *big.Rat // the limits of what is allowed; nil means no limit
	scale := new(big.Rat).Set(new(big.Rat).Abs(m))
	for _, x := range []*big.Rat{p, lo, hi} {
		if a := new(big.Rat).Abs(x); a.Cmp(scale) > 0 {
			scale = a
		}
	}
	switch r.Rule.Kind {
	case "within":
		from, to = new(big.Rat).Sub(p, tol), new(big.Rat).Add(p, tol)
	case "within fraction":
		part := new(big.Rat).Mul(tol, new(big.Rat).Abs(p))
		slack = new(big.Rat).Mul(slack, new(big.Rat).Abs(p))
		from, to = new(big.Rat).Sub(p, part), new(big.Rat).Add(p, part)
	case "at least published":
		from = new(big.Rat).Sub(p, tol)
	case "at most published":
		to = new(big.Rat).Add(p, tol)
	case "at least":
		from = lo
	case "at most":
		to = lo // this rule's bound is in the same field
	case "between":
		from, to = lo, hi
	default:
		return "", fmt.Errorf("the rule %q is not known", r.Rule.Kind)
	}
	if strings.Contains(r.Rule.Kind, "published") || strings.HasPrefix(r.Rule.Kind, "within") {
		if r.Published.Kind != "number" {
			return "", fmt.Errorf("a published number is needed, not %q", r.Published.Kind)
		}
	}
	miss := new(big.Rat)
	if from != nil {
		if d := new(big.Rat).Sub(from, m); d.Cmp(miss) > 0 {
			miss = d
		}
	}
	if to != nil {
		if d := new(big.Rat).Sub(m, to); d.Cmp(miss) > 0 {
			miss = d
		}
	}
	allowed := new(big.Rat).Mul(rounding, scale)
	switch {
	case miss.Cmp(allowed) <= 0:
		return reproduced, nil
	case slack.Sign() > 0 && miss.Cmp(allowed.Add(allowed, slack)) <= 0:
		return partial, nil
	}
	return not, nil
}

// words compares two forms of a rule: declared, which is written in words, and r, which judged the row. It returns an
// error if they differ. The numbers in declared are rounded to three or four digits, so a difference due to
// rounding is allowed. A * in declared stands for any number.
func words(declared string, r rule) error {
	first, second, _ := strings.Cut(declared, "; partly ")
	shapes := map[string]string{
		"no data": "no data", "by hand": "by hand", "holds": "holds", "same": "same",
		"within": "within # of the published", "within fraction": "within #% of the published",
		"at least": "at least #", "at most": "at most #", "between": "between # and #",
		"at least published": "at most # below the published, or above it", "at most published": "at most # above the published, or below it",
	}
	shape, ok := shapes[r.Kind]
	if !ok {
		return fmt.Errorf("the rule %q is not known", r.Kind)
	}
	tol, err := fraction(string(r.Tolerance))
	if err != nil {
		return err
	}
	if tol.Sign() == 0 {
		switch r.Kind {
		case "at least published":
			shape = "at least the published"
		case "at most published":
			shape = "at most the published"
		}
	}
	got, ok := fit(shape, first)
	if !ok {
		return fmt.Errorf("%q is not the words for a rule %q", first, r.Kind)
	}
	want := []string{}
	switch r.Kind {
	case "within", "at least published", "at most published":
		want = []string{string(r.Tolerance)}
	case "within fraction":
		want = []string{percent(r.Tolerance.String())}
	case "at least", "at most":
		want = []string{string(r.Bound)}
	case "between":
		want = []string{string(r.Bound), string(r.Upper)}
	}
	if len(got) > 0 {
		if err := near(got, want); err != nil {
			return fmt.Errorf("%q: %w", first, err)
		}
	}
	slack, err := fraction(string(r.Slack))
	if err != nil {
		return err
	}
	if (slack.Sign() == 0) != (second == "") {
		return fmt.Errorf("%q: the slack of the rule is %q", declared, r.Slack)
	}
	if second == "" {
		return nil
	}
	more := map[string]string{"within": "within #", "within fraction": "within #%", "at least": "from #", "at most": "up to #",
		"between": "if missed by #", "at least published": "at most # below", "at most published": "at most # above"}[r.Kind]
	got, ok = fit(more, second)
	if !ok {
		return fmt.Errorf("%q is not the words for the slack of a rule %q", second, r.Kind)
	}
	bound, err := fraction(string(r.Bound))
	if err != nil {
		return err
	}
	sum := new(big.Rat).Add(tol, slack)
	switch r.Kind {
	case "within fraction":
		sum.Mul(sum, big.NewRat(100, 1))
	case "at least":
		sum.Sub(bound, slack)
	case "at most":
		sum.Add(bound, slack)
	case "between":
		sum = slack
	}
	if err := near(got, []string{sum.FloatString(20)}); err != nil {
		return fmt.Errorf("%q: %w", second, err)
	}
	return nil
}

// percent returns 100 times the number s.
func percent(s string) string {
	x, err := fraction(s)
	if err != nil {
		return s
	}
	return x.Mul(x, big.NewRat(100, 1)).FloatString(20)
}

// fit matches the text against shape, a pattern in which each # stands for a number, and returns these numbers. ok is
// false if the text does not match.
func fit(shape, text string) (numbers []string, ok bool) {
	for {
		before, after, more := strings.Cut(shape, "#")
		text, ok = strings.CutPrefix(text, before)
		if !ok {
			return nil, false
		}
		if !more {
			return numbers, text == ""
		}
		end := 0
		for end < len(text) && strings.ContainsRune("+-.0123456789e*", rune(text[end])) {
			end++
		}
		numbers, text, shape = append(numbers, text[:end]), text[end:], after
	}
}

// near returns an error unless each rounded number equals the corresponding exact one to about three digits (0.6 %). A
// * among the rounded numbers stands for any number.
func near(rounded, exact []string) error {
	for i, s := range rounded {
		if s == "*" {
			continue
		}
		a, err := fraction(s)
		if err != nil {
			return err
		}
		b, err := fraction(exact[i])
		if err != nil {
			return err
		}
		d := new(big.Rat).Abs(new(big.Rat).Sub(a, b))
		most := new(big.Rat).Mul(new(big.Rat).Abs(b), big.NewRat(6, 1000))
		if d.Cmp(most) > 0 && d.Cmp(big.NewRat(1, 1_000_000_000_000)) > 0 {
			return fmt.Errorf("the words say %s, the rule has %s", s, exact[i])
		}
	}
	return nil
}
