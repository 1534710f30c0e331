package labtest

import (
	"strconv"
	"strings"
	"testing"

	"overcomplete/paper/lab"
)

// A Setting returns a setting of a key, of which nothing is known but what the index says.
type Setting func(name string) string

// Int is a setting that is a whole number, 0 if it is none.
func (s Setting) Int(name string) int { n, _ := strconv.Atoi(s(name)); return n }

// Float is a setting that is a number, 0 if it is none.
func (s Setting) Float(name string) float64 { x, _ := strconv.ParseFloat(s(name), 64); return x }

// KeptKeys tests that a folder's archives are whole, that its index is about them, and that every
// stage in them is one that the code asks for: rebuild makes the stage's key by the functions
// that the experiments use, from the word with which the key begins and its settings. It returns
// how many stages there are.
func KeptKeys(t *testing.T, folder string, rebuild func(what string, of Setting) lab.Key) int {
	t.Helper()
	keys, err := lab.Kept(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		fields := strings.Fields(string(k))
		settings := map[string]string{}
		for _, f := range fields[1:] {
			name, value, _ := strings.Cut(f, "=")
			if _, twice := settings[name]; twice {
				t.Errorf("%s: two settings are named %s", k, name)
			}
			settings[name] = value
		}
		if got := rebuild(fields[0], func(name string) string { return settings[name] }); got != k {
			t.Errorf("nobody asks for\n%s: with these settings the code asks for\n%s", k, got)
		}
	}
	return len(keys)
}
