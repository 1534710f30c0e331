package bind

import (
	"maps"
	"testing"
)

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
