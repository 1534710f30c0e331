package vmath

import (
	"strings"
	"testing"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name       string
		best, want instructions
	}{
		{"", neon, neon}, {"", portable, portable}, {"go", neon, portable}, {"neon", neon, neon}, {"neon", portable, portable},
	} {
		if got := limit(c.name, c.best); got != c.want {
			t.Errorf("limit(%q, %v) = %v, want %v", c.name, c.best, got, c.want)
		}
	}
	defer func() {
		if s, ok := recover().(string); !ok || !strings.Contains(s, "OVERCOMPLETE_VMATH=avx2") {
			t.Errorf("a name of another processor: %q", s)
		}
	}()
	limit("avx2", neon)
}
