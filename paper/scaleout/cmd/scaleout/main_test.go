package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"gonum.org/v1/gonum/mat"

	"overcomplete/paper/lab"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// set sets flags for one test.
func set(t *testing.T, args ...string) {
	t.Helper()
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		f := flag.Lookup(name)
		was := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Value.Set(was) })
	}
}

func TestWrongFlags(t *testing.T) {
	for _, c := range []struct{ stage, rest, flags, text string }{
		{"", "", "", "give the stage"},
		{"extract", "", "", `no stage "extract"`},
		{"features", "more", "", `"more" is not a flag`},
		{"features", "", "", "features needs --model"},
		{"features", "", "model=m folder=f report=r train=0", "--train (0)"},
		{"statistics", "", "model=m", "statistics needs --out"},
		{"statistics", "", "model=m out=o count=0", "--count (0)"},
		{"code", "", "signals=s basis=b", "code needs --lambda"},
		{"sweep", "", "signals=s basis=b classes=y lambdas=1 ps=x report=r", `parsing "x"`},
		{"sweep", "", "signals=s basis=b classes=y lambdas=1 ps=1 seeds=-1 report=r", "--seeds"},
	} {
		t.Run(c.text, func(t *testing.T) {
			set(t, strings.Fields(c.flags)...)
			err := run(context.Background(), c.stage, strings.Fields(c.rest))
			if !errors.Is(err, errWrong) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %q", err, c.text)
			}
		})
	}
}

func TestAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":             "",
		"m.state":      filepath.Join(here, "m.state"),
		"../f":         filepath.Join(filepath.Dir(here), "f"),
		"/data/f":      "/data/f",
		"gs://bucket/": "gs://bucket/",
	} {
		if got, err := absolute(path); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", path, got, err, want)
		}
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for name, m := range map[string]*mat.Dense{
		"B.mat": mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
		"X.mat": mat.NewDense(2, 8, []float64{1, 0, 2, 0, 3, 0, 1, 0, 0, 1, 0, 2, 0, 3, 0, 1}),
		"y.mat": mat.NewDense(1, 8, []float64{0, 1, 0, 1, 0, 1, 0, 1}),
	} {
		if err := lab.WriteMatrix(filepath.Join(dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	report := filepath.Join(dir, "report")
	set(t, "signals="+filepath.Join(dir, "X.mat"), "basis="+filepath.Join(dir, "B.mat"), "classes="+filepath.Join(dir, "y.mat"),
		"lambdas=0.2,0.1", "ps=0.01", "seeds=7,5", "share=0.25", "report="+report)
	if err := run(context.Background(), "sweep", nil); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(report)
	if want := "0.1\t0.01\t5\t0.000000\n0.1\t0.01\t7\t0.000000\n0.2\t0.01\t5\t0.000000\n0.2\t0.01\t7\t0.000000\n"; err != nil || string(b) != want {
		t.Errorf("%q, %v", b, err)
	}
}
