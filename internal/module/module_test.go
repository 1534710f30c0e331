package module_test

import (
	"os"
	"regexp"
	"testing"

	"overcomplete/internal/module"
)

// TestPath compares with go.mod.
func TestPath(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^module\s+"?([^"\s]+)`).FindSubmatch(text)
	if m == nil || string(m[1]) != module.Path {
		t.Errorf("Path is %q, go.mod has %q", module.Path, m)
	}
}

func TestFolder(t *testing.T) {
	for path, want := range map[string]string{
		module.Package("ui/display"):                    "ui/display",
		module.Package("paper/lab") + ".(*Lab).Context": "paper/lab.(*Lab).Context",
		module.Path:               "",
		module.Path + "x/y":       "",
		"fmt":                     "",
		"a/" + module.Path + "/b": "",
	} {
		if got, ok := module.Folder(path); ok != (want != "") || ok && got != want {
			t.Errorf("Folder(%q) = %q, %t; want %q", path, got, ok, want)
		}
	}
}
