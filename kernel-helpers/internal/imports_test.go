// Package internal_test checks imports: the library and the papers must not depend on the kernel, and the
// library's algorithms must not depend on plotting.
package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A graph holds the imports of each package, excluding test imports.
type graph map[string][]string

// A rule says which imports are forbidden, direct or indirect, for some packages.
type rule struct {
	name string
	// applies reports whether the rule applies to the package with the given path, relative to the module's path.
	applies func(path string) bool
	// forbidden lists the forbidden paths. Each path includes everything below it. Paths in this module start with a
	// dot.
	forbidden []string
}

var rules = []rule{
	{
		name:      "algorithms do not link plotting: figures go to a package beside, pca/pcaplot",
		applies:   func(path string) bool { return !draws(path) && !measures(path) && !above(path) },
		forbidden: []string{"gonum.org/v1/plot", "golang.org/x/image/font", "github.com/golang/freetype", "codeberg.org/go-fonts", "codeberg.org/go-latex", "git.sr.ht/~sbinet"},
	},
	{
		name:      "the library does not need the kernel",
		applies:   func(path string) bool { return !generates(path) && !measures(path) && !above(path) },
		forbidden: []string{"github.com/goplus", "github.com/go-zeromq", "github.com/mmcloughlin/avo", "./kernel", "./cmd", "./paper", "./suite"},
	},
	{
		name:      "assembly is generated with avo, which nothing else needs",
		applies:   generates,
		forbidden: []string{"github.com/goplus", "github.com/go-zeromq", "./kernel", "./cmd", "./paper", "./suite"},
	},
	{
		name:      "a program with purego is not static on Linux: only the driver of devices and its program link it",
		applies:   func(path string) bool { return path != driver && path != "cmd/overcomplete-gpu" },
		forbidden: []string{"github.com/ebitengine/purego", "./" + driver},
	},
	{
		name:      "the papers do not need the kernel",
		applies:   measures,
		forbidden: []string{"github.com/goplus", "github.com/go-zeromq", "./kernel", "./cmd", "./suite"},
	},
}

// driver is the package that opens OpenCL.
const driver = "kernel-helpers/gpu/opencl"

// measures reports whether a package belongs to the papers.
func measures(path string) bool { return strings.HasPrefix(path, "paper/") }

// above reports whether a package belongs to the kernel or to a floor above it.
func above(path string) bool {
	room, _, _ := strings.Cut(path, "/")
	return room == "kernel" || room == "suite" || room == "cmd"
}

// draws reports whether a package is for drawing and not an algorithm.
func draws(path string) bool {
	switch path {
	case "kernel-helpers/figure", "kernel-helpers/gallery", "kernel-helpers/internal/signs", "internal/fittedsvg":
		return true
	}
	return strings.HasSuffix(path, "plot")
}

// generates reports whether a package is part of a program that writes assembly.
func generates(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "gen") || strings.HasPrefix(path, "kernel-helpers/internal/avogen") || path == "kernel-helpers/internal/neongen"
}

func TestImports(t *testing.T) {
	g, module := imports(t)
	checked := make([]int, len(rules))
	for _, path := range slices.Sorted(maps.Keys(g)) {
		below, ours := strings.CutPrefix(path, module+"/")
		if !ours {
			continue
		}
		for i, r := range rules {
			if !r.applies(below) {
				continue
			}
			checked[i]++
			if c := g.chain(path, func(p string) bool { return r.matches(module, p) }); c != nil {
				t.Errorf("%s. But %s", r.name, strings.Join(c, "\n\timports "))
			}
		}
	}
	for i, r := range rules {
		if checked[i] < 3 {
			t.Errorf("%s: only %d packages were looked at", r.name, checked[i])
		}
	}
}

// TestRulesBite checks that the rules can detect violations: pcaplot imports plotting, gemm/gen imports avo, and the
// driver imports purego.
func TestRulesBite(t *testing.T) {
	g, module := imports(t)
	c := g.chain(module+"/kernel-helpers/pca/pcaplot", func(p string) bool { return rules[0].matches(module, p) })
	if len(c) < 2 || !strings.HasPrefix(c[len(c)-1], "gonum.org/v1/plot") && !strings.HasPrefix(c[len(c)-1], "golang.org/x/image/font") {
		t.Errorf("pcaplot reaches plotting by %v", c)
	}
	if c := g.chain(module+"/kernel-helpers/gemm/gen", func(p string) bool { return rules[1].matches(module, p) }); len(c) < 2 {
		t.Errorf("gemm/gen reaches avo by %v", c)
	}
	if c := g.chain(module+"/"+driver, func(p string) bool { return p == "github.com/ebitengine/purego" }); len(c) < 2 {
		t.Errorf("the driver reaches purego by %v", c)
	}
}

func TestChain(t *testing.T) {
	g := graph{"a": {"b", "c"}, "b": {"a", "d"}, "c": {"e"}, "d": {"x/y"}, "e": {"d"}}
	for _, c := range []struct{ from, to, want string }{
		{"a", "x/y", "[a b d x/y]"}, {"c", "x/y", "[c e d x/y]"}, {"x/y", "a", "[]"}, {"a", "a", "[a]"},
	} {
		if got := fmt.Sprint(g.chain(c.from, func(p string) bool { return p == c.to })); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	r := rule{forbidden: []string{"x/y", "./kernel"}}
	for path, want := range map[string]bool{"x/y": true, "x/y/z": true, "x/yz": false, "m/kernel": true, "m/kernel/a": true, "m/kernel-helpers": false} {
		if got := r.matches("m", path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// matches reports whether the rule forbids a package.
func (r *rule) matches(module, path string) bool {
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(root string) bool {
			if below, ours := strings.CutPrefix(root, "./"); ours {
				root = module + "/" + below
			}
			return path == root || strings.HasPrefix(path, root+"/")
		})
	}
	return in(r.forbidden)
}

// chain returns a shortest chain of imports from the package from to a package for which found returns true. It returns
// nil if there is no such chain.
func (g graph) chain(from string, found func(path string) bool) []string {
	by := map[string]string{from: ""} // maps each package to the package that imports it
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		if p := queue[0]; found(p) {
			var c []string
			for ; p != ""; p = by[p] {
				c = append(c, p)
			}
			slices.Reverse(c)
			return c
		}
		for _, next := range g[queue[0]] {
			if _, seen := by[next]; !seen {
				by[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// imports returns the import graph, which it gets from the go command, and the path of this module.
func imports(t *testing.T) (g graph, module string) {
	t.Helper()
	root := filepath.Join("..", "..")
	// The go command caches test results without knowing which files go list reads. So this test reads the folders
	// itself. The go command then runs the test again when a file has changed.
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "figures" || d.Name() == "notebooks") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Module", "./internal/...", "./ui/...", "./data/...", "./kernel-helpers/...", "./paper/...", "./cmd/...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Skip("the go command cannot be started here, under an emulator for instance: ", err)
	} else if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	g = graph{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Module     *struct {
				Path string
				Main bool
			}
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		g[p.ImportPath] = p.Imports
		if p.Module != nil && p.Module.Main {
			module = p.Module.Path
		}
	}
	if module == "" {
		t.Fatal("go list names no main module")
	}
	return g, module
}
