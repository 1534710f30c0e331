package modules

import (
	"os/exec"
	"strings"
	"testing"
)

// A tool is built once for a source, and then needs no go command.
func TestTool(t *testing.T) {
	newWorld(t)
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, t.TempDir())
	}
	const source = "-- go.mod --\nmodule m\n\ngo 1.21\n-- cmd/says/main.go --\npackage main\n\nfunc main() { println(\"hello\") }\n-- cmd/broken/main.go --\npackage main\n\nfunc main() { x }\n"
	kernelSource = fakeSource(source)
	if file := KnownTool("says"); file != "" {
		t.Error("before: ", file)
	}
	file, err := Tool(t.Context(), "says")
	if err != nil || file != KnownTool("says") {
		t.Fatal(file, err)
	}
	if out, err := exec.Command(file).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("%s, %v", out, err)
	}
	if _, err := Tool(t.Context(), "broken"); err == nil || !strings.Contains(err.Error(), "cannot build broken: ") || !strings.Contains(err.Error(), "undefined: x") {
		t.Error(err)
	}
	t.Setenv("PATH", "")
	if again, err := Tool(t.Context(), "says"); again != file || err != nil {
		t.Error("without Go: ", again, err)
	}
	kernelSource = fakeSource(source + "\n")
	if _, err := Tool(t.Context(), "says"); err == nil || !strings.Contains(err.Error(), "there is no go command") {
		t.Error("of another source, without Go: ", err)
	}
	kernelSource = noneSource{}
	if _, err := Tool(t.Context(), "says"); err == nil || !strings.Contains(err.Error(), "with make") {
		t.Error("without a source: ", err)
	}
}
