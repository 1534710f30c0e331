// Package workflows tests the files that tell the repository's host what to run. It is a module
// of its own, so that the project does not depend on the linter; the tools of 'make staticcheck'
// and 'make workflows' are pinned here.
package workflows

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// files are the workflows, by path.
func files(t *testing.T) map[string]*actionlint.Workflow {
	t.Helper()
	paths, err := filepath.Glob("../workflows/*.yml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	all := map[string]*actionlint.Workflow{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		w, errs := actionlint.Parse(b)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", p, errs)
		}
		all[p] = w
	}
	return all
}

// What actionlint finds wrong with syntax, expressions, contexts, and the inputs of actions.
func TestSyntax(t *testing.T) {
	for path := range files(t) {
		l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		errs, err := l.LintFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range errs {
			t.Errorf("%s:%d:%d: %s (%s)", path, e.Line, e.Column, e.Message, e.Kind)
		}
	}
}

// A linter that finds nothing anywhere would let everything pass.
func TestLinterFinds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.yml")
	if err := os.WriteFile(path, []byte("on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ matrix.go }}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if errs, err := l.LintFile(path, nil); err != nil || len(errs) == 0 {
		t.Errorf("%v, %v", errs, err)
	}
}

// No workflow may do more than read unless a job says so, none waits forever, and all that
// a job takes from elsewhere has a version.
func TestRules(t *testing.T) {
	pinned := regexp.MustCompile(`^actions/[a-z-]+@v[0-9]+$`) // the host's own, by major version
	for path, w := range files(t) {
		if w.Permissions == nil || w.Permissions.All != nil || len(w.Permissions.Scopes) != 1 || w.Permissions.Scopes["contents"].Value.Value != "read" {
			t.Errorf("%s: the permissions must be 'contents: read'", path)
		}
		if w.Concurrency == nil {
			t.Errorf("%s has no concurrency", path)
		}
		for name, j := range w.Jobs {
			if j.TimeoutMinutes == nil {
				t.Errorf("%s: the job %s has no timeout-minutes", path, name)
			}
			for _, s := range j.Steps {
				if a, ok := s.Exec.(*actionlint.ExecAction); ok && !pinned.MatchString(a.Uses.Value) {
					t.Errorf("%s: %s", path, a.Uses.Value)
				}
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "secrets.") {
			t.Errorf("%s asks for a secret", path)
		}
	}
}

// Each Go that this was tried with has its run of all tests, and each version that a job asks for
// is one of them.
func TestVersions(t *testing.T) {
	b, err := os.ReadFile("../../kernel/toolchain/tried.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	for _, v := range strings.Fields(string(b)) {
		parts := strings.Split(strings.TrimPrefix(v, "go"), ".")
		if len(parts) < 2 {
			t.Fatalf("tried.txt has %q", v)
		}
		tried = append(tried, parts[0]+"."+parts[1]+".x")
	}
	for path, w := range files(t) {
		for name, j := range w.Jobs {
			var asked []string
			if j.Strategy != nil && j.Strategy.Matrix != nil && j.Strategy.Matrix.Rows["go"] != nil {
				for _, v := range j.Strategy.Matrix.Rows["go"].Values {
					asked = append(asked, v.(*actionlint.RawYAMLString).Value)
				}
				if !slices.Equal(asked, tried) {
					t.Errorf("%s: %s: Go %v; tried.txt has %v", path, name, asked, tried)
				}
			}
			for _, s := range j.Steps {
				a, ok := s.Exec.(*actionlint.ExecAction)
				if !ok || a.Inputs["go-version"] == nil {
					continue
				}
				if v := a.Inputs["go-version"].Value.Value; !slices.Contains(tried, v) && v != "${{ matrix.go }}" {
					t.Errorf("%s: %s: Go %s; tried.txt has %v", path, name, v, tried)
				}
			}
		}
	}
}

// Every target of make and every program of the repository that a job runs is there.
func TestTargets(t *testing.T) {
	b, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(b), -1) {
		targets = append(targets, m[1])
	}
	calls := 0
	for path, w := range files(t) {
		for name, j := range w.Jobs {
			for _, s := range j.Steps {
				run, ok := s.Exec.(*actionlint.ExecRun)
				if !ok {
					continue
				}
				for _, m := range regexp.MustCompile(`(?m)^make ([a-z-]+)`).FindAllStringSubmatch(run.Run.Value, -1) {
					calls++
					if !slices.Contains(targets, m[1]) {
						t.Errorf("%s: %s: there is no target %s", path, name, m[1])
					}
				}
				if run.Run.Value == ".ci/run" {
					calls++
					if info, err := os.Stat("../../.ci/run"); err != nil || info.Mode()&0o100 == 0 {
						t.Errorf("%s: %s: .ci/run: %v", path, name, err)
					}
				}
			}
		}
	}
	if calls < 5 {
		t.Errorf("only %d calls found", calls)
	}
}
