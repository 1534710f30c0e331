package audit

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// day returns the date in UTC of a time, which is given in seconds since 1970.
func day(at int64) string { return time.Unix(at, 0).UTC().Format(time.DateOnly) }

// A value is a published or measured value. Numbers are kept as they are written in the file, so that nothing is
// rounded before the comparison.
type value struct {
	Kind   string          `json:"kind"`
	Number json.RawMessage `json:"number"`
	Bool   bool            `json:"bool"`
	Text   string          `json:"text"`
	Unit   string          `json:"unit"`
	Source string          `json:"source"`
}

// A rule says how a row's measured value was judged: the kind of comparison, and its limits and tolerances.
type rule struct {
	Kind      string      `json:"kind"`
	Bound     json.Number `json:"bound"`
	Upper     json.Number `json:"upper"`
	Tolerance json.Number `json:"tolerance"`
	Slack     json.Number `json:"slack"`
	Hand      string      `json:"hand"`
	Why       string      `json:"why"`
}

// A row is the part of a record's row that the audit reads.
type row struct {
	ID        string `json:"id"`
	What      string `json:"what"`
	Published value  `json:"published"`
	Measured  value  `json:"measured"`
	Rule      rule   `json:"rule"`
	Verdict   string `json:"verdict"`
	Reason    string `json:"reason"`
	Size      string `json:"size"`
	Data      struct {
		Name      string `json:"name"`
		Generated bool   `json:"generated"`
		Example   bool   `json:"example"`
	} `json:"data"`
}

func (r *row) measured() bool { return r.Verdict != noData }

// own reports whether the row has no published value. Such a row is one of the project's own checks.
func (r *row) own() bool { return r.Published.Kind == "" }

// The verdicts.
const (
	reproduced = "REPRODUCED"
	partial    = "PARTIAL"
	not        = "NOT REPRODUCED"
	noData     = "NO DATA"
)

// rows reads the rows of a results file, or of a file of expected results.
func rows(text []byte) ([]row, error) {
	var f struct {
		Rows []row `json:"rows"`
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	return f.Rows, nil
}

// An entry is the part of a protocol's entry that the audit reads.
type entry struct {
	ID      string            `json:"id"`
	Kind    string            `json:"kind"`
	Claim   string            `json:"claim"`
	Rule    string            `json:"rule"`
	Sizes   map[string]string `json:"sizes"`
	Basis   string            `json:"basis"`
	Finding string            `json:"finding"`
	History []struct {
		Commit  string `json:"commit"`
		Rule    string `json:"rule"`
		Verdict string `json:"verdict"`
		What    string `json:"what"`
		Coded   string `json:"coded"`
		Kind    string `json:"kind"`
		Why     string `json:"why"`
	} `json:"history"`
	Withdrawn *struct {
		Why string `json:"why"`
	} `json:"withdrawn"`
}

// declared returns the declared rule for a size.
func (e *entry) declared(size string) string {
	if r, ok := e.Sizes[size]; ok {
		return r
	}
	return e.Rule
}

// A protocol is what a protocol file says: the paper's name, the entries of the rows, and the commits that described rows
// in other words.
type protocol struct {
	Paper      string  `json:"paper"`
	Rows       []entry `json:"rows"`
	Rewordings []struct {
		Commit string `json:"commit"`
		Date   string `json:"date"`
		Why    string `json:"why"`
	} `json:"rewordings"`
}

func parseProtocol(text []byte) (*protocol, error) {
	p := &protocol{}
	return p, json.Unmarshal(text, p)
}

// reworded reports whether the protocol says that a version of the record describes rows in other words, but measures
// the same things. If a rewording names no commit, it applies to every version from its date on.
func (p *protocol) reworded(v version) bool {
	for _, r := range p.Rewordings {
		if r.Commit == "" && v.day >= r.Date || r.Commit != "" && strings.HasPrefix(v.commit, r.Commit) {
			return true
		}
	}
	return false
}

// fraction returns the number s as an exact fraction, or 0 if s is empty. For +Inf and -Inf it returns 1e310 and
// -1e310: these are beyond all finite floats, so no tolerance reaches them.
func fraction(s string) (*big.Rat, error) {
	s = strings.Trim(s, `"`)
	switch s {
	case "":
		return new(big.Rat), nil
	case "+Inf", "-Inf":
		x, _ := new(big.Rat).SetString("1e310")
		if s[0] == '-' {
			x.Neg(x)
		}
		return x, nil
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%q is no number", s)
	}
	return x, nil
}
