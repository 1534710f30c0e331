package kernel

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/modules"
)

// TestVersions: completion can ask for versions before a cell has needed a module, and while a cell runs. Hints
// name modules that the notebook's go.mod requires.
func TestVersions(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("OVERCOMPLETE_MODULES", "")
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module shed\n\ngo 1.26\n", "rake/rake.go": "package rake\n"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	opens := 0
	k, err := New(Options{Modules: func([]byte) (Modules, error) {
		opens++
		return modules.Open(modules.Options{Folder: dir, Cache: t.TempDir()})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for range 2 {
		if file, mod, rules := k.Versions(); filepath.Base(file) != "go.mod" || filepath.Dir(file) != dir || mod != "" || !rules {
			t.Errorf("%s %q %v", file, mod, rules)
		}
	}
	if opens != 1 {
		t.Errorf("opened %d times", opens)
	}
	var e *engine.Error
	err = k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: "rake.Teeth()"}, new(transcript))
	if e, _ = err.(*engine.Error); e == nil || len(e.Hints) == 0 || e.Hints[0] != `add import "shed/rake"` {
		t.Errorf("%v", err)
	}
	err = k.Execute(context.Background(), engine.Cell{Name: "In[2]", Source: "cobra.New()"}, new(transcript))
	if e, _ = err.(*engine.Error); e == nil || !strings.Contains(strings.Join(e.Hints, " "), "%get github.com/spf13/cobra") {
		t.Errorf("%v %v", err, e)
	}
	if file, _, rules := k.Versions(); filepath.Dir(file) != dir || !rules || opens != 2 {
		t.Errorf("%s %v, opened %d times", file, rules, opens)
	}
}

// TestNoVersions: a kernel without access to other modules offers no versions and suggests no modules.
func TestNoVersions(t *testing.T) {
	k, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if file, mod, rules := k.Versions(); file != "" || mod != "" || !rules {
		t.Errorf("%s %q %v", file, mod, rules)
	}
	err = k.Execute(context.Background(), engine.Cell{Name: "In[1]", Source: "cobra.New()"}, new(transcript))
	if e, _ := err.(*engine.Error); e == nil || strings.Contains(strings.Join(e.Hints, " "), "github.com") {
		t.Errorf("%v %v", err, e)
	}
}
