package record

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"overcomplete/internal/finite"
)

// A Verdict is the outcome of judging a row: whether a published claim was reproduced, or whether one of the project's
// own checks holds.
type Verdict string

// The verdicts, from best to worst; the last means that nothing is known.
const (
	Reproduced    Verdict = "REPRODUCED"
	Partial       Verdict = "PARTIAL"
	NotReproduced Verdict = "NOT REPRODUCED"
	Unknown       Verdict = "NO DATA"
)

var verdicts = []Verdict{Reproduced, Partial, NotReproduced, Unknown}

// A Rule says how a verdict follows from a published and a measured value. Make
// one with [Within], [WithinFraction], [AtLeast], [AtMost], [AtLeastPublished],
// [AtMostPublished], [Between], [Holds], [Same], [NoData] or [ByHand].
type Rule struct {
	Kind string `json:"kind"`
	// Bound is the number that the measured number must reach ("at least") or must not exceed ("at most"), or the lower
	// end of "between".
	Bound float64 `json:"bound,omitempty"`
	// Upper is the upper end of "between".
	Upper float64 `json:"upper,omitempty"`
	// Tolerance is the largest allowed distance between the measured and the published number. It is in the
	// unit of the number ("within", "at least published", "at most published") or a fraction of the published
	// number ("within fraction").
	Tolerance float64 `json:"tolerance,omitempty"`
	// Slack is the largest miss that still gives PARTIAL, in the units of Tolerance or Bound. 0 means that the
	// verdict is never PARTIAL.
	Slack float64 `json:"slack,omitempty"`
	// Hand is the verdict of a rule made by ByHand, empty otherwise.
	Hand Verdict `json:"hand,omitempty"`
	// Why is the reason given to ByHand or NoData.
	Why string `json:"why,omitempty"`
}

const (
	ruleWithin    = "within"
	ruleFraction  = "within fraction"
	ruleAtLeast   = "at least"
	ruleAtMost    = "at most"
	ruleAtLeastPu = "at least published"
	ruleAtMostPu  = "at most published"
	ruleBetween   = "between"
	ruleHolds     = "holds"
	ruleSame      = "same"
	ruleNoData    = "no data"
	ruleHand      = "by hand"
)

// Within returns a rule that requires the measured number to be within tol of the published number.
func Within(tol float64) Rule { return Rule{Kind: ruleWithin, Tolerance: tol} }

// WithinFraction returns a rule that requires the measured number to differ from the published number by at
// most the fraction f of the published number: 0.05 for five percent.
func WithinFraction(f float64) Rule { return Rule{Kind: ruleFraction, Tolerance: f} }

// AtLeast returns a rule that requires the measured number to be at least the given bound, regardless of the published
// value.
func AtLeast(bound float64) Rule { return Rule{Kind: ruleAtLeast, Bound: bound} }

// AtMost returns a rule that requires the measured number to be at most the given bound, regardless of the published
// value.
func AtMost(bound float64) Rule { return Rule{Kind: ruleAtMost, Bound: bound} }

// AtLeastPublished returns a rule that requires the measured number to be at least the published number minus tol.
func AtLeastPublished(tol float64) Rule { return Rule{Kind: ruleAtLeastPu, Tolerance: tol} }

// AtMostPublished returns a rule that requires the measured number to be at most the published number plus tol.
func AtMostPublished(tol float64) Rule { return Rule{Kind: ruleAtMostPu, Tolerance: tol} }

// Between returns a rule that requires lo <= measured <= hi.
func Between(lo, hi float64) Rule { return Rule{Kind: ruleBetween, Bound: lo, Upper: hi} }

// Holds returns a rule that requires the measured statement (made by Bool) to be true.
func Holds() Rule { return Rule{Kind: ruleHolds} }

// Same returns a rule that requires the measured text to equal the published text, ignoring case and
// surrounding spaces.
func Same() Rule { return Rule{Kind: ruleSame} }

// NoData returns a rule for a claim that could not be examined. reason says what was missing.
func NoData(reason string) Rule { return Rule{Kind: ruleNoData, Why: reason} }

// ByHand returns a rule that always gives the verdict v. It is for claims that no other rule can judge. The argument
// why must explain how the verdict was reached.
func ByHand(v Verdict, why string) Rule { return Rule{Kind: ruleHand, Hand: v, Why: why} }

// Partly returns the rule with a slack: a value that misses the rule by no more than this slack is PARTIAL. The slack
// is in the unit of the measured number; for WithinFraction it is a fraction of the published number. Rules that do not
// compare numbers ignore the slack.
func (r Rule) Partly(slack float64) Rule { r.Slack = slack; return r }

// String returns the rule in words.
func (r Rule) String() string {
	f := formatNumber
	round := func(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) } // for a tolerance
	all, partly := r.Kind, ""
	switch more := r.Tolerance + r.Slack; r.Kind {
	case ruleWithin:
		all, partly = "within "+round(r.Tolerance)+" of the published", "within "+round(more)
	case ruleFraction:
		all, partly = "within "+round(100*r.Tolerance)+"% of the published", "within "+round(100*more)+"%"
	case ruleAtLeast:
		all, partly = "at least "+f(r.Bound), "from "+f(r.Bound-r.Slack)
	case ruleAtMost:
		all, partly = "at most "+f(r.Bound), "up to "+f(r.Bound+r.Slack)
	case ruleAtLeastPu:
		all, partly = "at least the published", "at most "+round(more)+" below"
		if r.Tolerance != 0 {
			all = "at most " + round(r.Tolerance) + " below the published, or above it"
		}
	case ruleAtMostPu:
		all, partly = "at most the published", "at most "+round(more)+" above"
		if r.Tolerance != 0 {
			all = "at most " + round(r.Tolerance) + " above the published, or below it"
		}
	case ruleBetween:
		all, partly = "between "+f(r.Bound)+" and "+f(r.Upper), "if missed by "+f(r.Slack)
	}
	if r.Slack != 0 && partly != "" {
		return all + "; partly " + partly
	}
	return all
}

// Judge computes the verdict for a row with the given published and measured values. It returns an error if a value
// does not have the kind that the rule needs: number, text or statement.
func (r Rule) Judge(published, measured Value) (Verdict, error) {
	for _, x := range []struct {
		name string
		v    float64
	}{{"tolerance", r.Tolerance}, {"slack", r.Slack}} {
		if math.IsNaN(x.v) || x.v < 0 || math.IsInf(x.v, 0) {
			return "", fmt.Errorf("the rule's %s is %v; it must be finite and not negative", x.name, x.v)
		}
	}
	if !finite.Is(r.Bound) || !finite.Is(r.Upper) {
		return "", fmt.Errorf("the rule's bounds %v, %v must be finite", r.Bound, r.Upper)
	}
	if r.Kind != ruleHand && r.Hand != "" {
		return "", fmt.Errorf("the rule %q has a verdict set by hand", r.Kind)
	}
	number := func(what string, v Value) error {
		if v.Kind != KindNumber {
			return fmt.Errorf("the rule %q needs a %s number, but there is %s", r.Kind, what, kindName(v.Kind))
		}
		return nil
	}
	// miss is the amount by which the rule is missed, 0 or less if the rule is satisfied.
	var miss float64
	switch r.Kind {
	case ruleNoData:
		if strings.TrimSpace(r.Why) == "" {
			return "", fmt.Errorf("the rule %q needs a reason", r.Kind)
		}
		return Unknown, nil
	case ruleHand:
		if strings.TrimSpace(r.Why) == "" {
			return "", fmt.Errorf("the verdict %q was set by hand without a reason", r.Hand)
		}
		if !isKnown(r.Hand) {
			return "", fmt.Errorf("the verdict %q set by hand is not one of %v", r.Hand, verdicts)
		}
		return r.Hand, nil
	case ruleHolds:
		if measured.Kind != KindBool {
			return "", fmt.Errorf("the rule %q needs a measured statement, but there is %s", r.Kind, kindName(measured.Kind))
		}
		if measured.Bool {
			return Reproduced, nil
		}
		return NotReproduced, nil
	case ruleSame:
		if measured.Kind != KindText || published.Kind != KindText {
			return "", fmt.Errorf("the rule %q needs two texts, but there are %s and %s",
				r.Kind, kindName(published.Kind), kindName(measured.Kind))
		}
		if strings.EqualFold(strings.TrimSpace(published.Text), strings.TrimSpace(measured.Text)) {
			return Reproduced, nil
		}
		return NotReproduced, nil
	case ruleWithin, ruleFraction, ruleAtLeastPu, ruleAtMostPu:
		if err := number("published", published); err != nil {
			return "", err
		}
		fallthrough
	case ruleAtLeast, ruleAtMost, ruleBetween:
		if err := number("measured", measured); err != nil {
			return "", err
		}
		p, m := published.Number, measured.Number
		if math.IsNaN(m) || math.IsNaN(p) {
			return "", fmt.Errorf("the rule %q cannot judge a NaN", r.Kind)
		}
		switch r.Kind {
		case ruleWithin:
			if p != m { // equal infinities agree
				miss = math.Abs(m-p) - r.Tolerance
			}
		case ruleFraction:
			if p != m {
				miss = math.Abs(m-p)/math.Abs(p) - r.Tolerance
			}
		case ruleAtLeastPu:
			miss = (p - r.Tolerance) - m
		case ruleAtMostPu:
			miss = m - (p + r.Tolerance)
		case ruleAtLeast:
			miss = r.Bound - m
		case ruleAtMost:
			miss = m - r.Bound
		case ruleBetween:
			if r.Bound > r.Upper {
				return "", fmt.Errorf("the rule %q is empty", r)
			}
			miss = math.Max(r.Bound-m, m-r.Upper)
		}
	case "":
		return "", fmt.Errorf("there is no rule")
	default:
		return "", fmt.Errorf("the rule %q is not known", r.Kind)
	}
	// The subtraction that gives miss rounds: in float64 0.3-0.1 is not 0.2. So a miss of a few units in the last
	// place is not a failure.
	eps := 4e-16 * (math.Abs(measured.Number) + math.Abs(published.Number) + math.Abs(r.Bound) + math.Abs(r.Upper))
	if r.Kind == ruleFraction {
		eps = 1e-15
	}
	if math.IsInf(eps, 0) {
		eps = 0
	}
	switch {
	case miss <= eps: // false if miss is NaN
		return Reproduced, nil
	case r.Slack > 0 && miss <= r.Slack+eps:
		return Partial, nil
	}
	return NotReproduced, nil
}

func isKnown(v Verdict) bool {
	for _, k := range verdicts {
		if v == k {
			return true
		}
	}
	return false
}

func kindName(kind string) string {
	switch kind {
	case KindNone:
		return "none"
	case KindNumber:
		return "a number"
	case KindText:
		return "a text"
	case KindBool:
		return "a statement"
	}
	return fmt.Sprintf("a %q", kind)
}

// Class returns a lower-case name of the verdict, which reports use for styles and filters: reproduced, partial,
// failed or nodata.
func (v Verdict) Class() string {
	switch v {
	case Reproduced:
		return "reproduced"
	case Partial:
		return "partial"
	case NotReproduced:
		return "failed"
	}
	return "nodata"
}
