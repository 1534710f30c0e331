package modules_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"overcomplete/internal/testfile"
)

// A recipe is a notebook as text. Cells are separated by "---". The text after "--- want" is the expected last
// value of the cell before.
type recipe struct {
	cells []string
	wants map[int]string
}

// readRecipes returns the recipes of testdata by name.
func readRecipes(t *testing.T) map[string]recipe {
	t.Helper()
	a, err := txtar.ParseFile("testdata/recipes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]recipe{}
	for _, f := range a.Files {
		all[f.Name] = recipeOf(string(f.Data))
	}
	return all
}

func recipeOf(text string) (r recipe) {
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
	for line := range strings.Lines(text) {
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

// TestDocsRecipes: each recipe in docs/data.md is a cell in testdata/recipes.txtar, where TestRecipes runs it
// (go test -tags realmodules, which downloads the modules).
func TestDocsRecipes(t *testing.T) {
	b := testfile.Read(t, "../../docs/data.md")
	_, section, ok := strings.Cut(string(b), "\n## Your own tables\n")
	if !ok {
		t.Fatal("docs/data.md has no section of recipes")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var cells []string
	for _, r := range readRecipes(t) {
		cells = append(cells, r.cells...)
	}
	blocks := strings.Split(section, "```go\n")[1:]
	if len(blocks) < 4 {
		t.Errorf("%d recipes", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "\n```")
		if !slices.Contains(cells, block) {
			t.Errorf("this is not a cell of testdata/recipes.txtar, and so has not been run:\n%s", block)
		}
	}
}
