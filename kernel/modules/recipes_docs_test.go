package modules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A recipe is a notebook as text. Cells are separated by "---". The text after "--- want" is the expected last
// value of the cell before.
type recipe struct {
	cells []string
	wants map[int]string
}

func readRecipe(t *testing.T, path string) (r recipe) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.wants = map[int]string{}
	part, want := "", false
	end := func() {
		if want {
			r.wants[len(r.cells)-1] = strings.TrimSuffix(part, "\n")
		} else {
			r.cells = append(r.cells, strings.TrimSuffix(part, "\n"))
		}
		part = ""
	}
	for line := range strings.Lines(string(b)) {
		switch strings.TrimSpace(line) {
		case "---":
			end()
			want = false
		case "--- want":
			end()
			want = true
		default:
			part += line
		}
	}
	end()
	return r
}

// Each recipe in docs/data.md is a cell in testdata/recipes, where TestRecipes runs it (go test -tags
// realmodules, which downloads the modules).
func TestDocsRecipes(t *testing.T) {
	b, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(b), "\n## Your own tables\n")
	if !ok {
		t.Fatal("docs/data.md has no section of recipes")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var cells []string
	paths, err := filepath.Glob("testdata/recipes/*.cell")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		cells = append(cells, readRecipe(t, path).cells...)
	}
	blocks := strings.Split(section, "```go\n")[1:]
	if len(blocks) < 4 {
		t.Errorf("%d recipes", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "\n```")
		if !slices.Contains(cells, block) {
			t.Errorf("this is not a cell of testdata/recipes, and so has not been run:\n%s", block)
		}
	}
}
