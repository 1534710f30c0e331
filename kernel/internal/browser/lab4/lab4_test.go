package lab4

import (
	"encoding/json"
	"strings"
	"testing"
)

// The lock file has a checksum for each package, and names no registry, or the public one: npm
// takes the packages from whichever it is configured for.
func TestLock(t *testing.T) {
	text, err := source.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Resolved, Integrity string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	if len(lock.Packages) < 300 {
		t.Errorf("only %d packages", len(lock.Packages))
	}
	for name, p := range lock.Packages {
		if name != "" && (p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-")) {
			t.Errorf("%s %s has the checksum %q", name, p.Version, p.Integrity)
		}
		if p.Resolved != "" {
			t.Errorf("%s is fetched from %s", name, p.Resolved)
		}
	}
}

// No version is a range: npm would take what is newest.
func TestPins(t *testing.T) {
	text, err := source.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Dependencies, DevDependencies, Overrides map[string]string }
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	for _, versions := range []map[string]string{p.Dependencies, p.DevDependencies, p.Overrides} {
		if len(versions) == 0 {
			t.Error("a list is empty")
		}
		for name, v := range versions {
			if strings.Trim(v, "0123456789.") != "" {
				t.Errorf("%s is %q", name, v)
			}
		}
	}
}
