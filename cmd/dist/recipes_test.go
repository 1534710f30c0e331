package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// Both recipes have, for each system, the address and checksum of that system's archive, and nothing is left to fill
// in.
func TestRecipes(t *testing.T) {
	sums := map[string]string{"overcomplete-1.2.3rc1-py3-none-any.whl": "f"}
	for i, name := range allTargets() {
		system, err := parseTarget(name)
		if err != nil {
			t.Fatal(err)
		}
		sums[fmt.Sprintf("overcomplete-v1.2.3-rc.1-%s-%s%s", system.os, system.arch, system.suffix())] = fmt.Sprintf("%064x", i+1)
	}
	dir := t.TempDir()
	if err := writeRecipes(dir, "https://example.org/a/b/releases/download/v1.2.3-rc.1/", sums); err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for from, to := range recipeNames {
		text[from] = string(testfile.Read(t, filepath.Join(dir, to)))
	}
	forms := map[string]*regexp.Regexp{
		"recipe.yaml": regexp.MustCompile(`- if: (\w+) and (\w+)\n    then:\n      url: (\S+)\n      sha256: (\w+)\n`),
		"formula.rb":  regexp.MustCompile(`  on_(\w+) do\n    on_(\w+) do\n      url "(\S+)"\n      sha256 "(\w+)"\n    end\n  end\n`),
	}
	names := map[string][2]string{"linux x86_64": {"linux", "amd64"}, "linux aarch64": {"linux", "arm64"}, "osx x86_64": {"darwin", "amd64"}, "osx arm64": {"darwin", "arm64"},
		"linux intel": {"linux", "amd64"}, "linux arm": {"linux", "arm64"}, "macos intel": {"darwin", "amd64"}, "macos arm": {"darwin", "arm64"}}
	for from, form := range forms {
		found := form.FindAllStringSubmatch(text[from], -1)
		seen := map[[2]string]bool{}
		for _, m := range found {
			system := names[m[1]+" "+m[2]]
			file := fmt.Sprintf("overcomplete-v1.2.3-rc.1-%s-%s.tar.gz", system[0], system[1])
			if m[3] != "https://example.org/a/b/releases/download/v1.2.3-rc.1/"+file || m[4] != sums[file] {
				t.Errorf("%s: %q", from, m[1:])
			}
			seen[system] = true
		}
		if len(found) != 4 || len(seen) != 4 {
			t.Errorf("%s: %d systems\n%s", from, len(seen), text[from])
		}
		if strings.Contains(text[from], "{{.") || strings.Contains(text[from], "<no value>") ||
			!strings.Contains(text[from], `version`) || !strings.Contains(text[from], `"1.2.3rc1"`) || !strings.Contains(text[from], "https://example.org/a/b\"\n") && !strings.Contains(text[from], ": https://example.org/a/b\n") {
			t.Errorf("%s:\n%s", from, text[from])
		}
	}
	if !strings.Contains(text["recipe.yaml"], "version: ${{ version }}\n") {
		t.Errorf("recipe.yaml:\n%s", text["recipe.yaml"])
	}
	t.Run("ruby", func(t *testing.T) {
		if _, err := exec.LookPath("ruby"); err != nil {
			t.Skip("there is no ruby to read the formula")
		}
		if out, err := exec.Command("ruby", "-wc", filepath.Join(dir, recipeNames["formula.rb"])).CombinedOutput(); err != nil || string(out) != "Syntax OK\n" {
			t.Errorf("%v\n%s", err, out)
		}
	})
	delete(sums, "overcomplete-v1.2.3-rc.1-darwin-arm64.tar.gz")
	if err := writeRecipes(dir, "https://example.org", sums); err == nil || !strings.Contains(err.Error(), "darwin/arm64") {
		t.Errorf("without an archive: %v", err)
	}
}
