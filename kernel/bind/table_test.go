package bind

import (
	"go/constant"
	"go/token"
	"maps"
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for s, want := range map[string]float64{
		"3": 3, "-7": -7, "1/2": 0.5, "-1/4": -0.25, "0x.8p+1": 1, "2.5": 2.5,
	} {
		if got, _ := constant.Float64Val(number(s)); got != want {
			t.Errorf("number(%q) = %v, want %v", s, got, want)
		}
	}
	for _, want := range []constant.Value{
		constant.MakeFloat64(math.Pi), constant.MakeFloat64(math.SmallestNonzeroFloat64),
		constant.MakeFloat64(math.MaxFloat64), constant.MakeUint64(math.MaxUint64),
	} {
		if got := number(want.ExactString()); !constant.Compare(got, token.EQL, want) {
			t.Errorf("number(%s) = %v", want.ExactString(), got)
		}
	}
}

// TestTables checks that every table can be loaded and contains no name twice.
func TestTables(t *testing.T) {
	for _, p := range All() {
		r := p.load()
		n := len(r.Interfaces) + len(r.NamedTypes) + len(r.AliasTypes) + len(r.Vars) + len(r.Funcs) +
			len(r.TypedConsts) + len(r.UntypedConsts)
		if m := len(p.Types) + len(p.Aliases) + len(p.Vars) + len(p.Funcs) + len(p.Consts); n != m {
			t.Errorf("%s: %d exports of %d", p.Path, n, m)
		}
		if Lookup(p.Path) != p {
			t.Errorf("Lookup(%q) finds something else", p.Path)
		}
	}
}

func TestRegisterTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Register(&Package{Path: "fmt", Name: "fmt"})
}

func TestCurrent(t *testing.T) {
	wasMoved, wasRenamed := maps.Clone(moved), maps.Clone(renamed)
	defer func() { moved, renamed = wasMoved, wasRenamed }()
	Moved("new.org/m/old/a", "new.org/m/a")
	Renamed("m", "new.org/m")
	for path, want := range map[string]string{
		"new.org/m/old/a": "new.org/m/a",
		"m/old/a":         "new.org/m/a",
		"m/b":             "new.org/m/b",
		"math":            "math", // a path of another module that begins with the same characters
		"m":               "m",
		"fmt":             "fmt",
	} {
		if got := Current(path); got != want {
			t.Errorf("Current(%q) = %q, want %q", path, got, want)
		}
	}
}
