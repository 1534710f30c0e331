package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ProtocolName is the name of the file in a paper's package that declares the rules of the
// paper's rows: see Protocol.
const ProtocolName = "protocol.json"

// protocolFiles calls f with the path and the contents of each protocol of the project in root, until f returns false.
// If a file cannot be read, f receives the error. A run reads only the rules in these files (with declaredRules), so
// its results do not depend on the other parts of a protocol. Protocols reads the other parts.
func protocolFiles(root string, f func(path string, b []byte, err error) bool) {
	paths, _ := filepath.Glob(filepath.Join(root, "paper", "*", ProtocolName)) // a constant pattern is never malformed
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			err = fmt.Errorf("record: %w", err)
		}
		if !f(path, b, err) {
			return
		}
	}
}

// A declaredRule is the rule that a protocol declares for a row.
type declaredRule struct {
	Rule  string            `json:"rule"`
	Sizes map[string]string `json:"sizes"`
}

// forSize returns the rule for a size.
func (d declaredRule) forSize(size string) string {
	if s, ok := d.Sizes[size]; ok {
		return s
	}
	return d.Rule
}

// declaredRules reads the rules that the project in root declares for a paper, and returns them by row ID. It returns
// nil if the project has no protocol for the paper.
func declaredRules(root, paper string) (rules map[string]declaredRule, err error) {
	protocolFiles(root, func(path string, b []byte, unread error) bool {
		if err = unread; err != nil {
			return false
		}
		var p struct {
			Paper string `json:"paper"`
			Rows  []struct {
				ID string `json:"id"`
				declaredRule
			} `json:"rows"`
		}
		if err = json.Unmarshal(b, &p); err != nil {
			err = fmt.Errorf("record: %s: %w", path, err)
			return false
		}
		if p.Paper != paper {
			return true
		}
		rules = make(map[string]declaredRule, len(p.Rows))
		for _, r := range p.Rows {
			rules[r.ID] = r.declaredRule
		}
		return false
	})
	return rules, err
}

// checkDeclared returns an error if a row's rule differs from the declared rule. It accepts a row that is not
// declared, because Promote keeps such rows out of the record. It also accepts a row that was not measured, because
// such a row has no verdict.
func checkDeclared(rules map[string]declaredRule, row Row) error {
	d, ok := rules[row.ID]
	if !ok || row.Rule.Kind == ruleNoData {
		return nil
	}
	want, have := d.forSize(row.Size), row.Rule.String()
	if ruleMatches(want, have) {
		return nil
	}
	return fmt.Errorf("record: row %q: its rule at %s size is %q, and %s declares %q: a rule is declared before it judges. "+
		"If code computes the number, declare * in its place. Otherwise first commit the new declaration separately, keep the old rule and verdict in the row's history, and say there why (paper/PROTOCOL.md)",
		row.ID, row.Size, have, ProtocolName, want)
}

// FillIn marks a place of a new paper that a person must fill in.
const FillIn = "FILL-IN"

// unfilled searches the files of a paper's package and the paper's notebook for FillIn, the mark of a place that is
// still to be filled in. It returns the paths of the files that contain FillIn, relative to root.
func unfilled(root, paper string) ([]string, error) {
	files := []string{filepath.Join(root, "notebooks", paper+".ipynb")}
	var failed error
	protocolFiles(root, func(path string, b []byte, err error) bool {
		var p struct {
			Paper string `json:"paper"`
		}
		if err != nil || json.Unmarshal(b, &p) != nil || p.Paper != paper {
			return true
		}
		sources, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.go")) // a constant pattern is never malformed
		files = append(append(files, path), sources...)
		return false
	})
	var places []string
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = fmt.Errorf("record: %w", err)
		}
		if strings.Contains(string(b), FillIn) {
			place, err := filepath.Rel(root, path)
			if err != nil {
				place = path
			}
			places = append(places, filepath.ToSlash(place))
		}
	}
	return places, failed
}

var aNumber = `-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?`

// ruleMatches reports whether a rule in words matches the declared rule. In the declared rule, * stands for a
// number that the experiment computes.
func ruleMatches(declared, rule string) bool {
	if !strings.Contains(declared, "*") {
		return declared == rule
	}
	parts := strings.Split(declared, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	ok, err := regexp.MatchString("^"+strings.Join(parts, aNumber)+"$", rule)
	return err == nil && ok
}

// SameRule reports whether a rule in words, as returned by Rule.String, matches a rule that a protocol
// declares.
func SameRule(declared, rule string) bool { return ruleMatches(declared, rule) }
