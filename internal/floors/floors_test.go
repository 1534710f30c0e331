package floors_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/floors"
	"overcomplete/internal/module"
	"overcomplete/internal/testfile"
)

const root = "../.."

var update = flag.Bool("update", false, "write the picture into CONTRIBUTING.md")

// TestArrows draws the arrows between the rooms (go test -v) and names each import that points up.
func TestArrows(t *testing.T) {
	arrows, err := floors.Arrows(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range arrows {
		t.Logf("%-15s -> %-15s %3d imports", a.From, a.To, len(a.Imports))
	}
	if len(arrows) < 10 {
		t.Errorf("only %d arrows: this looks at the wrong folder", len(arrows))
	}
	for _, a := range floors.Upward(arrows) {
		t.Errorf("%s must not import %s (internal/floors):\n\t%s", a.From, a.To, strings.Join(a.Imports, "\n\t"))
	}
}

// TestUpward checks that Upward finds an arrow that points up, and an arrow of a room that is not in the
// list.
func TestUpward(t *testing.T) {
	dir := t.TempDir()
	for name, imports := range map[string]string{
		"ui/a.go":      "data",
		"data/b.go":    "ui/progress",
		"attic/c.go":   "ui",
		"ui/a_test.go": "cmd/overcomplete",
	} {
		file := filepath.Join(dir, name)
		testfile.Write(t, file, "package x\n\nimport _ \""+module.Package(imports)+"\"\n")
	}
	arrows, err := floors.Arrows(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(floors.Upward(arrows))
	if want := "[{attic ui [attic/c.go imports ui]} {ui data [ui/a.go imports data]}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRooms checks that the list is ordered from the ground up, and includes each top folder with Go code.
func TestRooms(t *testing.T) {
	var seen []string
	for _, r := range floors.Rooms {
		for _, b := range r.Below {
			if !slices.Contains(seen, b) {
				t.Errorf("%s is below %s, and not before it in the list", b, r.Name)
			}
		}
		seen = append(seen, r.Name)
		if info, err := os.Stat(filepath.Join(root, r.Name)); err != nil || !info.IsDir() {
			t.Errorf("there is no room %s", r.Name)
		}
	}
}

// TestPicture compares the picture in CONTRIBUTING.md with the list.
func TestPicture(t *testing.T) {
	const name, begin, end = root + "/CONTRIBUTING.md", "<!-- floors -->\n```text\n", "```\n<!-- /floors -->"
	text := testfile.Read(t, name)
	head, rest, ok := strings.Cut(string(text), begin)
	old, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("CONTRIBUTING.md has no place for the picture")
	}
	if want := floors.Picture(); old != want {
		if !*update {
			t.Fatalf("the picture is not current (go test ./internal/floors -update):\n%s", want)
		}
		testfile.Write(t, name, head+begin+want+end+tail)
	}
}

// TestDoors checks that each package of the kernel that no other room imports is under kernel/internal.
func TestDoors(t *testing.T) {
	arrows, err := floors.Arrows(root)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, a := range arrows {
		for _, line := range a.Imports {
			_, folder, _ := strings.Cut(line, " imports ")
			used[folder] = true
		}
	}
	used["kernel/engine"] = true // its types are part of package kernel's API
	cmd := exec.Command("go", "list", "-f", "{{if ne .Name \"main\"}}{{if .GoFiles}}{{.ImportPath}}{{end}}{{end}}", "./kernel/...")
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, said.Bytes())
	}
	for _, path := range strings.Fields(string(out)) {
		folder, _ := module.Folder(path)
		if !strings.HasPrefix(folder, "kernel/internal/") && !used[folder] {
			t.Errorf("nothing outside of the kernel imports %s: move it to kernel/internal", folder)
		}
	}
}
