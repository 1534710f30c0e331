package figure

import "testing"

// TestForeign checks that the search for a figure's maker ends at the code of another module.
func TestForeign(t *testing.T) {
	for name, want := range map[string]bool{
		"gonum.org/v1/gonum/mat.(*Dense).Apply": true,
		"github.com/a/b.Run.func1":              true,
		"net/http.(*conn).serve":                false,
		"slices.SortFunc[...]":                  false,
		"reflect.Value.Call":                    false,
		"main.main":                             false,
	} {
		if isForeign(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
