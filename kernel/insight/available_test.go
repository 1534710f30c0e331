package insight_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"overcomplete/internal/testfile"
	"overcomplete/kernel/insight"
	"overcomplete/kernel/magic"
)

// write writes files below dir. Names and contents alternate in the list files.
func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		testfile.Write(t, filepath.Join(dir, filepath.FromSlash(files[i])), files[i+1])
	}
}

// startOutside returns an Insight for a notebook in a folder with a go.mod that requires the garden. The
// machine has some other downloaded modules.
func startOutside(t *testing.T, versions func(file string) (string, string, bool)) (in *insight.Insight, folder string) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	if err := os.CopyFS(filepath.Join(cache, "example.com", "garden@v1.2.0"), os.DirFS("testdata/garden")); err != nil {
		t.Fatal(err)
	}
	write(t, cache,
		"example.com/garden@v1.1.0/garden.go", "package garden\nfunc Old() {}\n",
		"example.com/pots@v0.3.0/pots.go", "// Package pots is downloaded.\npackage pots\nimport \"example.com/garden\"\n// Pot holds it.\ntype Pot struct{ garden.Plant }\n",
		"example.com/pots@v0.2.0/pots.go", "package pots\nfunc Old() {}\n",
		"example.com/go-clay@v1.0.0/clay.go", "package clay\nvar Red int\n",
		"github.com/spf13/cobra@v1.6.0/cobra.go", "package cobra\nfunc New() (u [16]byte) { return u }\n",
		"cache/download/example.com/pots/@v/list", "v0.1.0\nv0.10.0\n",
	)
	folder = t.TempDir()
	write(t, folder,
		"go.mod", "module shed\n\ngo 1.26\n\nrequire (\n\texample.com/garden v1.2.0\n\texample.com/go-clay v1.0.0 // indirect\n)\n",
		"rake/rake.go", "// Package rake is the user's own.\npackage rake\n// Teeth are made of steel.\nfunc Teeth() int { return 12 }\n",
		"shed.go", "package shed\n")
	in, _ = start(t, nil)
	in.Modules(func() (string, string, bool) { return versions(filepath.Join(folder, "go.mod")) })
	return in, folder
}

// TestOutside: packages of modules that the go.mod in effect requires can be completed before they are
// imported.
func TestOutside(t *testing.T) {
	in, folder := startOutside(t, func(file string) (string, string, bool) { return file, "", true })
	for _, test := range []struct{ code, want, not string }{
		{"import \"example.com/|\"", "example.com/orchard:module example.com/garden:module example.com/garden/tools:module", "example.com/pots example.com/garden/internal/soil example.com/go-clay"},
		{"import \"gard|\"", "example.com/garden:module", ""},
		{"import \"example.com/go-clay|\"", "example.com/go-clay:module", ""}, // only an indirect requirement, but it can be imported
		{"import \"shed/|\"", "shed/rake:module", ""},
		{"import \"example.com/garden\"\ngarden.N|", "New:function", "Old"},
		{"import \"example.com/garden\"\np, _ := garden.New(\"\")\np.D|", "Depth:field Dig:method", ""},
		{"import \"example.com/garden\"\np, _ := garden.New(\"\")\np.Sizes().RawM|", "RawMatrix:method", ""},
		{"import \"shed/rake\"\nrake.|", "Teeth:function", ""},
		{"garde|", "garden:module", ""},
		{"garden.N|", "New:function", ""}, // the import declaration is missing
		{"import \"example.com/pots\"\npots.|", "", "nothing"},
	} {
		checkComplete(t, in, test.code, test.want, test.not)
	}
	for code, want := range map[string]string{
		"import \"example.com/gard~en\"":                   "Package garden grows plants.|of module example.com/garden v1.2.0, not in use yet",
		"import \"example.com/garden\"\ngarden.Ne~w(\"\")": "New returns a plant.|garden.go line",
		"import \"shed/rake\"\nrake.Tee~th()":              "Teeth are made of steel.|return 12",
		"import \"shed/ra~ke\"":                            "of module shed in " + folder,
		"import \"example.com/go-clay\"\nclay.Re~d":        "var clay.Red int",
	} {
		checkInspect(t, in, code, want)
	}
	// Edits to the user's files, and to the requirements in go.mod, take effect at the next query.
	name := filepath.Join(folder, "rake", "rake.go")
	write(t, folder, "rake/rake.go", "package rake\nfunc Handle() {}\n")
	later := time.Now().Add(2 * time.Second)
	if err := os.Chtimes(name, later, later); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, in, "import \"shed/rake\"\nrake.|", "Handle:function", "Teeth")
	write(t, folder, "go.mod", "module shed\nrequire example.com/garden v1.1.0\nrequire example.com/pots v0.3.0\n")
	if err := os.Chtimes(filepath.Join(folder, "go.mod"), later, later); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, in, "import \"example.com/garden\"\ngarden.|", "Old:function", "New")
	checkComplete(t, in, "import \"example.com/pots\"\npots.|", "Pot:class", "")
}

// TestOutsideUnruled: without a go.mod the newest downloaded versions are offered, once a few letters are
// typed.
func TestOutsideUnruled(t *testing.T) {
	in, _ := startOutside(t, func(string) (string, string, bool) { return "", "", false })
	for _, test := range []struct{ code, want, not string }{
		{"import \"po|\"", "", "example.com/pots"},
		{"import \"pot|\"", "example.com/pots:module", ""},
		{"import \"example.com/garden/t|\"", "example.com/garden/tools:module", ""},
		{"import \"example.com/pots\"\npots.|", "Pot:class", "Old"},
		{"import \"example.com/pots\"\npots.Pot{}.Dig|", "Dig:method", ""},
		{"import \"example.com/go-clay\"\nclay.|", "Red:variable", ""},
		{"import \"nodots/x\"\nx.|", "", "nothing"},
		{"cobra.|", "New:function", ""}, // a widely used module that is downloaded but not imported
		{"toml.|", "", "nothing"},
	} {
		checkComplete(t, in, test.code, test.want, test.not)
	}
}

// TestOutsideOff: if modules are off, no package of other modules is offered.
func TestOutsideOff(t *testing.T) {
	in, _ := startOutside(t, func(string) (string, string, bool) { return "", "", true })
	checkComplete(t, in, "import \"example.com/|\"", "example.com/orchard:module", "example.com/garden example.com/pots")
	checkComplete(t, in, "import \"example.com/garden\"\ngarden.|", "", "nothing")
}

// TestGet: the completions for %get are modules and versions that are on this machine.
func TestGet(t *testing.T) {
	if _, ok := magic.Find("%get"); !ok {
		t.Fatal("the kernel has no such command")
	}
	in, _ := startOutside(t, func(file string) (string, string, bool) { return file, "", true })
	for _, test := range []struct{ code, want, not string }{
		{"%get pot|", "example.com/pots:module", ""},
		{"%get cobr|", "github.com/spf13/cobra:module", ""},
		{"%get example.com/|", "example.com/garden:module example.com/go-clay:module example.com/pots:module", "shed"},
		{"%get example.com/pots@|", "latest:constant v0.10.0:constant v0.3.0:constant v0.2.0:constant v0.1.0:constant", ""},
		{"%get example.com/pots@v0.2|", "v0.2.0:constant", "latest"},
		{"%get -u github.com/spf13/cobra example.com/gard|", "example.com/garden:module", ""},
		{"%mod t|", "tidy:keyword", ""},
		{"%mod rel|", "reload:keyword", "tidy"},
	} {
		checkComplete(t, in, test.code, test.want, test.not)
	}
}

// TestOutsidePinned: the notebook's pins take precedence over other downloaded versions.
func TestOutsidePinned(t *testing.T) {
	pins := "module notebook\nrequire example.com/pots v0.2.0\n"
	in, _ := startOutside(t, func(string) (string, string, bool) { return "", pins, false })
	checkComplete(t, in, "import \"example.com/pots\"\npots.|", "Old:function", "Pot")
	checkComplete(t, in, "pots.|", "Old:function", "Pot")
	pins = "module notebook\nrequire example.com/pots v0.3.0\n"
	checkComplete(t, in, "import \"example.com/pots\"\npots.|", "Pot:class", "Old")
}

// TestOutsideEverywhere queries each position of an unfinished cell. A panic is an error.
func TestOutsideEverywhere(t *testing.T) {
	in, _ := startOutside(t, func(string) (string, string, bool) { return "", "", false })
	const code = "%get example.com/pots@v0.3.0 -u /\n%mod reload x\nimport (\n\tp \"example.com/pots\"\n\t. \"example.com/garden\"\n\t\"/@\"\n)\nx, err := New(\"ä\")\nvar q p.Pot = p.Pot{Plant: *x}\nq.Grow(1).Bed.Dig(cobra.New(), row.Each[int](Row[p.Pot]{}))"
	for i := range len([]rune(code)) + 1 {
		for _, src := range []string{code, string([]rune(code)[:i])} {
			if _, err := in.Complete(context.Background(), src, i); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			if _, _, err := in.Inspect(context.Background(), src, i, i%2); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		}
	}
}
