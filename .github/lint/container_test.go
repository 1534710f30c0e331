package workflows

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The image copies what is there, and every folder of the project: without one of them the program
// could not tell which results still hold.
func TestDockerfile(t *testing.T) {
	file := text(t, "Dockerfile")
	copied := regexp.MustCompile(`/src/(\S+)`).FindAllStringSubmatch(file, -1)
	var names []string
	for _, c := range copied {
		names = append(names, c[1])
		if _, err := os.Stat(filepath.Join("..", "..", c[1])); err != nil {
			t.Error(err)
		}
	}
	list, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && name != "bin" && name != "dist" && !slices.Contains(names, name) {
			t.Errorf("%s is not in the image", name)
		}
	}
	for _, stage := range regexp.MustCompile(`--from=(\S+)`).FindAllStringSubmatch(file, -1) {
		if !strings.Contains(file, " AS "+stage[1]+"\n") {
			t.Errorf("there is no stage %s", stage[1])
		}
	}
	if user := strings.LastIndex(file, "\nUSER "); user < 0 || user > strings.Index(file, "\nCMD ") || strings.HasPrefix(file[user:], "\nUSER root") {
		t.Error("the notebooks run as root")
	}
}

// The devcontainer is a stage of the Dockerfile, and what it runs is there.
func TestDevcontainer(t *testing.T) {
	lines := strings.SplitAfter(text(t, ".devcontainer/devcontainer.json"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "//") })
	var c struct {
		Build             struct{ Dockerfile, Context, Target string }
		PostCreateCommand string
	}
	if err := json.Unmarshal([]byte(strings.Join(lines, "")), &c); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join("..", "..", ".devcontainer", c.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text(t, "Dockerfile"), " AS "+c.Build.Target+"\n") {
		t.Errorf("the Dockerfile has no stage %q", c.Build.Target)
	}
	target, ok := strings.CutPrefix(c.PostCreateCommand, "make ")
	if !ok || !strings.Contains(text(t, "Makefile"), "\n"+target+":") {
		t.Errorf("%q", c.PostCreateCommand)
	}
}

// Binder's script can be run, and the target of make that it calls is there.
func TestBinder(t *testing.T) {
	info, err := os.Stat(filepath.Join("..", "..", ".binder", "postBuild"))
	if err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("postBuild: %v", err)
	}
	targets := regexp.MustCompile(`(?m)^make ([a-z-]+)$`).FindAllStringSubmatch(text(t, ".binder/postBuild"), -1)
	if len(targets) != 1 || !strings.Contains(text(t, "Makefile"), "\n"+targets[0][1]+":") {
		t.Errorf("%q", targets)
	}
}

// Templates of issues ask for what is needed to answer, in the form that the host reads.
func TestIssueTemplates(t *testing.T) {
	for _, name := range []string{"bug", "number", "question"} {
		s := text(t, ".github/ISSUE_TEMPLATE/"+name+".yml")
		for _, key := range []string{"name: ", "description: ", "body:"} {
			if !strings.HasPrefix(s, key) && !strings.Contains(s, "\n"+key) {
				t.Errorf("%s has no %s", name, key)
			}
		}
		items := strings.Count(s, "\n  - type: ")
		if items == 0 || strings.Count(s, "\n    id: ") != items || strings.Count(s, "\n      label: ") != items {
			t.Errorf("%s: %d items, not all with an id and a label", name, items)
		}
	}
}
