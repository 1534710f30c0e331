package spelling

import (
	"fmt"
	"slices"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"Abc", "aBC", 0},
		{"kitten", "sitting", 3}, {"tiem", "time", 1}, {"mnits", "mnist", 1}, {"ca", "abc", 3}, {"größe", "große", 1}, {"prnt", "print", 1},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"count", "counts", "x", "y", "Println", "Print", "Printf", "mount", "count"}
	for name, want := range map[string][]string{
		"coutn": {"count"}, "println": {"Println"}, "ount": {"count", "mount"}, "count": {"counts", "mount"},
		"n": nil, "": nil, "Prin": {"Print"},
	} {
		if got := Near(name, names); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func ExampleDidYouMean() {
	fmt.Println(DidYouMean(Near("ount", []string{"count", "mount", "total"})))
	// Output: did you mean count or mount?
}
