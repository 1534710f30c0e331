package labtest

import (
	"strconv"
	"strings"
	"testing"

	"overcomplete/paper/lab"
)

// A Setting returns the value of one setting of a stored key, given the setting's name. It returns "" if the key has
// no such setting.
type Setting func(name string) string

// Int returns a setting as an integer, or 0 if the setting is not an integer.
func (s Setting) Int(name string) int { n, _ := strconv.Atoi(s(name)); return n }

// Float returns a setting as a number, or 0 if the setting is not a number.
func (s Setting) Float(name string) float64 { x, _ := strconv.ParseFloat(s(name), 64); return x }

// KeptKeys tests the stored results, called stages, in a folder's archives: that the archives are intact, that the
// folder's index lists these stages, and that the code still asks for each of them. The call rebuild(what, of) gets the
// first word and the settings of a stored key. It must make the key anew, with the functions that the experiments use.
// KeptKeys returns the number of stages.
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
