package audit

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// project returns the project's root, and skips the test if git does not have the whole history here.
func project(t *testing.T) string {
	t.Helper()
	patience.SkipShort(t, "it reads all commits of the records")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("git", "rev-parse", "--is-shallow-repository")
	c.Dir = root
	if out, err := c.Output(); err != nil || strings.TrimSpace(string(out)) != "false" {
		t.Skipf("git does not have the whole history here (%s, %v)", strings.TrimSpace(string(out)), err)
	}
	return root
}

// TestRecord audits the project in its present state.
func TestRecord(t *testing.T) {
	r, err := Run(t.Context(), project(t), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Error(f)
	}
	if r.Rows < 700 || r.Commits < 100 || len(r.Papers) < 8 {
		t.Errorf("only %d rows of %d papers, and %d versions", r.Rows, len(r.Papers), r.Commits)
	}
}

// before is the last commit before the audit existed. The errors in it are known.
const before = "f374d38c50cf3cca5786172274662153cb63e59f"

// TestBefore audits that commit. In it, a claim became REPRODUCED because its rule was exchanged while the row had no
// data, and a rule compared a count with a percentage.
func TestBefore(t *testing.T) {
	root := project(t)
	c := exec.Command("git", "rev-parse", "--verify", "-q", before+"^{commit}")
	c.Dir = root
	if out, err := c.Output(); err != nil {
		t.Skipf("git does not have commit %s: %s", before, out)
	}
	r, err := Run(t.Context(), root, before)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"s3c/flexible-regularization: history: commit 99eaf01 changed what it measures; before, it was NO DATA: “S3C is ahead of the others with the fewest labels, and with all of them no more than 0.9 points behind”",
		"s3c/flexible-regularization: history: commit 10df344 changed its rule and its verdict",
		"differentiable-sparse-coding/figure1-kl-few-large: basis: the rule's 20 is compared with",
		"differentiable-sparse-coding/table2-improvement-1000: basis: it is NOT REPRODUCED by a tolerance of",
	} {
		if !strings.Contains(strings.Join(r.Findings, "\n"), want) {
			t.Errorf("not found: %s", want)
		}
	}
	for _, f := range r.Findings {
		t.Log(f)
		if strings.Contains(f, ": verdict: ") || strings.Contains(f, ": count: ") || strings.Contains(f, ": rule: ") {
			t.Errorf("of this commit all verdicts, counts and rules were right: %s", f)
		}
	}
	// Three of the 47 are about a matrix of eight numbers. No record marked it as an example then.
	if c := r.All; c.Reproduced != 164 || c.False != 22 || c.Numbers[0] != 47 {
		t.Errorf("%+v", c)
	}
}

// A changed description must be in the row's history, unless the protocol calls the commit a rewording.
func TestRewording(t *testing.T) {
	record := func(what string) []byte {
		return []byte(`{"rows":[{"id":"a","what":"` + what + `","verdict":"REPRODUCED","rule":{"kind":"holds"}}]}`)
	}
	p := &past{record: []version{{"1111111", "2026-01-01", 1, record("w")}, {"2222222", "2026-01-03", 2, record("other words")}}}
	for rewordings, want := range map[string]int{
		``:                                      1,
		`{"date":"2026-01-03","why":"English"}`: 0,
		`{"date":"2026-01-04","why":"English"}`: 1, // the commit was earlier
		`{"commit":"2222222","date":"2026-01-03","why":"English"}`: 0,
		`{"commit":"1111111","date":"2026-01-03","why":"English"}`: 1,
		`{"commit":"2222222","date":"2026-01-03","why":" "}`:       1, // no reason
	} {
		pr, err := parseProtocol([]byte(`{"rewordings":[` + rewordings + `],"rows":[{"id":"a","rule":"holds"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if found, err := p.follow(pr); err != nil || len(found) != want {
			t.Errorf("%s: %v, %v", rewordings, found, err)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct{ rule, published, measured, want string }{
		{`{"kind":"within","tolerance":0.2,"slack":0.1}`, `1`, `1.2`, reproduced}, // 1.2 − 1 is more than 0.2 in float64
		{`{"kind":"within","tolerance":0.2,"slack":0.1}`, `1`, `0.7`, partial},
		{`{"kind":"within","tolerance":0.2,"slack":0.1}`, `1`, `0.69`, not},
		{`{"kind":"within fraction","tolerance":0.2,"slack":0.3}`, `-2`, `-1.6`, reproduced},
		{`{"kind":"within fraction","tolerance":0.2,"slack":0.3}`, `-2`, `-1`, partial},
		{`{"kind":"at least","bound":3}`, ``, `2.999`, not},
		{`{"kind":"at most","bound":3,"slack":1}`, ``, `4`, partial},
		{`{"kind":"at least published","tolerance":0.5}`, `3`, `2.5`, reproduced},
		{`{"kind":"at most published"}`, `3`, `3.1`, not},
		{`{"kind":"between","bound":-1,"upper":1,"slack":1}`, ``, `-2`, partial},
		{`{"kind":"at most","bound":3}`, ``, `"+Inf"`, not},
		{`{"kind":"at least","bound":3}`, ``, `"+Inf"`, reproduced},
		{`{"kind":"no data","why":"w"}`, ``, ``, noData},
	} {
		r := &row{}
		if err := json.Unmarshal([]byte(c.rule), &r.Rule); err != nil {
			t.Fatal(err)
		}
		if c.published != "" {
			r.Published = value{Kind: "number", Number: json.RawMessage(c.published)}
		}
		if c.measured != "" {
			r.Measured = value{Kind: "number", Number: json.RawMessage(c.measured)}
		}
		if got, err := judge(r); got != c.want || err != nil {
			t.Errorf("%s of %s against %s: %s (%v), want %s", c.rule, c.measured, c.published, got, err, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		declared, rule string
		same           bool
	}{
		{"at least 99; partly from 95", `{"kind":"at least","bound":99,"slack":4}`, true},
		{"at least 99; partly from 95", `{"kind":"at least","bound":99,"slack":3}`, false},
		{"at least 99", `{"kind":"at least","bound":99,"slack":3}`, false},
		{"at least *; partly from 0", `{"kind":"at least","bound":0.56,"slack":0.56}`, true},
		{"within 20% of the published; partly within 50%", `{"kind":"within fraction","tolerance":0.2,"slack":0.3}`, true},
		{"within 0.441 of the published; partly within 0.882", `{"kind":"within","tolerance":0.44125,"slack":0.44125}`, true},
		{"at most 0.9 below the published, or above it; partly at most 1.8 below", `{"kind":"at least published","tolerance":0.9,"slack":0.9}`, true},
		{"between -1.3 and 1.3; partly if missed by 1.3", `{"kind":"between","bound":-1.3,"upper":1.3,"slack":1.3}`, true},
		{"between -1.3 and 1.3", `{"kind":"between","bound":-1.3,"upper":1.4}`, false},
		{"holds", `{"kind":"holds"}`, true},
		{"at most 1e-09", `{"kind":"at most","bound":1e-9}`, true},
	} {
		var r rule
		if err := json.Unmarshal([]byte(c.rule), &r); err != nil {
			t.Fatal(err)
		}
		if err := words(c.declared, r); (err == nil) != c.same {
			t.Errorf("%q and %s: %v", c.declared, c.rule, err)
		}
	}
}

// TestBoard changes a number of a scoreboard, which the audit must find.
func TestBoard(t *testing.T) {
	c := Counts{Reproduced: 3, Partial: 1, NoData: 2, Checks: 5, Hold: 4, Numbers: [4]int{1, 1, 0, 2}}
	page := "| paper | reproduced | partial | no data | own checks | numbers on real data |\n|---|---|---|---|---|---|\n" +
		"| [x](../notebooks/x.ipynb) | 3 | 1 | 2 | 4 of 5 hold | 1 of 2 |\n| **all** | 3 | 1 | 2 | 4 of 5 hold | 1 of 2 |\n"
	papers := map[string]*Counts{"x": &c}
	if wrong := board(page, papers, &c); len(wrong) != 0 {
		t.Error(wrong)
	}
	for _, change := range [][2]string{{"| 3 |", "| 4 |"}, {"4 of 5", "5 of 5"}, {"1 of 2 |", "2 of 2 |"}, {"| **all**", "| none"}} {
		if wrong := board(strings.Replace(page, change[0], change[1], 1), papers, &c); len(wrong) == 0 {
			t.Errorf("nobody saw %q", change)
		}
	}
}

// TestIndependent makes sure that the audit shares no code with what it checks.
func TestIndependent(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if p := strings.Trim(i.Path.Value, `"`); strings.HasPrefix(p, "overcomplete/") && p != "overcomplete/internal/patience" {
				t.Errorf("%s imports %s", name, p)
			}
		}
	}
}
