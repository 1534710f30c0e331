package modules

import (
	"context"
	"strings"
	"testing"
)

// TestCondition: Condition describes what is available, or what is missing.
func TestCondition(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("OVERCOMPLETE_MODULES", "")
	if got, err := Condition(context.Background()); err == nil && !strings.Contains(got, "; 0 compiled in ") || err != nil && !strings.Contains(err.Error(), "`make`") {
		t.Errorf("%q, %v", got, err) // a test binary finds its source unless built with -trimpath
	}
	t.Setenv("OVERCOMPLETE_MODULES", "off")
	if _, err := Condition(context.Background()); err == nil || !strings.Contains(Advice(err), "OVERCOMPLETE_MODULES=off") {
		t.Errorf("switched off: %v", err)
	}
	t.Setenv("OVERCOMPLETE_MODULES", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Condition(context.Background()); err == nil || !strings.Contains(Advice(err), "https://go.dev/dl") {
		t.Errorf("without Go: %v", err)
	}
}
