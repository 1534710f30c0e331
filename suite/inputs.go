package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"overcomplete/internal/module"
	"overcomplete/internal/tablefile"
	"overcomplete/kernel-helpers/vmath"
	"overcomplete/paper/record"
	"overcomplete/suite/reach"
)

// Inputs holds every dependency of an experiment's result that is known before the experiment runs. The data
// sets and files that it uses are known only afterwards.
type Inputs struct {
	Source     string            `json:"source"`     // source of the cell
	Parameters map[string]string `json:"parameters"` // size and seed
	Code       []reach.Part      `json:"code"`
	Modules    []string          `json:"modules"`
	Platform   []string          `json:"platform"`
	// Kernel is the kernel that ran the cells; nil for an experiment that was run without
	// a notebook.
	Kernel *Kernel `json:"kernel,omitempty"`
}

// A Kernel identifies the code that runs the cells of a notebook: the kernel and its interpreter.
type Kernel struct {
	Files   []reach.Part `json:"files"`
	Modules []string     `json:"modules"`
}

// Results depend on these packages in addition to the experiments' own code. Except in import declarations, the suite
// contains no other paths of the kernel.
var (
	// rendering is the package that produces the displayed form of each result.
	rendering = module.Package("kernel/internal/render")
	// running is the package that runs the cells of a notebook. From its exported names, reach finds the
	// interpreter and the modules that the interpreter uses.
	running = module.Package("kernel")
)

// bindings are the folders with the tables of importable packages.
var bindings = []string{"kernel/internal/bindings", "cmd/overcomplete/bindings"}

// kernel returns the identity of the kernel. It includes the tables of the given packages: the generated code that
// makes a package importable in cells. Each file counts as one part; the kernel's declarations are not listed
// individually.
func (s *Suite) kernel(packages map[string]bool) (*Kernel, error) {
	k, err := s.engine()
	if err != nil {
		return nil, err
	}
	k = &Kernel{Files: slices.Clone(k.Files), Modules: k.Modules}
	table, err := s.tables()
	if err != nil {
		return nil, err
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		k.Files = append(k.Files, table[pkg]...)
	}
	return k, nil
}

// scanTables reads the tables of importable packages, the generated code that makes them importable in cells. It
// returns the tables by import path. A package may have one table for each version of Go.
func scanTables(root string) (map[string][]reach.Part, error) {
	tables := map[string][]reach.Part{}
	for _, folder := range bindings {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*_bind.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("suite: %w", err)
			}
			list, err := tablefile.Split(b)
			if err != nil {
				return nil, fmt.Errorf("suite: %s: %w", path, err)
			}
			for _, table := range list {
				pkg := tablefile.Path(table)
				tables[pkg] = append(tables[pkg], reach.Part{File: folder + "/" + filepath.Base(path), Decl: "the table of " + pkg, Hash: sum(table)[:16]})
			}
		}
	}
	return tables, nil
}

// scanKernel identifies the kernel: it returns a checksum of the code in each of the kernel's files, and the modules
// that the kernel uses.
func scanKernel(code *reach.Code) (*Kernel, error) {
	r, err := code.Reach(running)
	if err != nil {
		return nil, err
	}
	k := &Kernel{Modules: r.Modules}
	for i := 0; i < len(r.Parts); {
		j := i
		for j < len(r.Parts) && r.Parts[j].File == r.Parts[i].File {
			j++
		}
		k.Files = append(k.Files, reach.Part{File: r.Parts[i].File, Decl: "the kernel", Hash: hash(r.Parts[i:j])[:16]})
		i = j
	}
	return k, nil
}

// platform describes the properties of the platform that may affect numbers.
func platform() []string {
	m := record.Program()
	list := []string{m.Go, m.Arch, m.Processor, fmt.Sprintf("%d processors", m.CPUs)}
	// These variables choose among variants of the code, some of which add numbers in a different order.
	for _, name := range []string{vmath.Variable, "OVERCOMPLETE_GEMM", "GODEBUG"} {
		if v := os.Getenv(name); v != "" {
			list = append(list, name+"="+v)
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return list
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "-tags", "-race", "-gcflags", "-asmflags", "CGO_ENABLED", "GOAMD64", "GOARM64", "GOEXPERIMENT", "DefaultGODEBUG":
			list = append(list, s.Key+"="+s.Value)
		}
	}
	return list
}

// tagInjected is the tag of the cell with the parameters of an earlier run (see package headless).
const tagInjected = "injected-parameters"

// hash returns a checksum of values such as inputs, or the data and files used.
func hash(v ...any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("suite: " + err.Error()) // cannot happen: the values are strings and maps of strings
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:10])
}

// changes lists the differences between the inputs of an entry and the present inputs, or returns nil if they are
// equal. It compares the kernels only if both inputs have one.
func changes(old, now Inputs) []string {
	var why []string
	if !maps.Equal(old.Parameters, now.Parameters) {
		why = append(why, "the parameters changed")
	}
	if old.Source != now.Source {
		why = append(why, "the cell changed")
	}
	why = append(why, reach.Diff(old.Code, now.Code)...)
	why = append(why, reach.DiffModules(old.Modules, now.Modules)...)
	if old.Kernel != nil && now.Kernel != nil {
		why = append(why, reach.Diff(old.Kernel.Files, now.Kernel.Files)...)
		why = append(why, reach.DiffModules(old.Kernel.Modules, now.Kernel.Modules)...)
	}
	return append(why, platforms(old.Platform, now.Platform)...)
}

// platforms describes how the present properties of a platform differ from the earlier ones. It lists the properties
// that are new. If there are none, it lists those that no longer hold.
func platforms(old, now []string) (why []string) {
	for _, x := range now {
		if !slices.Contains(old, x) {
			why = append(why, "platform changed: "+x)
		}
	}
	if len(why) > 0 {
		return why
	}
	for _, x := range old {
		if !slices.Contains(now, x) {
			why = append(why, "platform changed: no longer "+x)
		}
	}
	return why
}

// usedChanges says which of the used data sets and files have changed since their state was recorded, and how:
// changed, gone, arrived, or unreadable.
func usedChanges(root string, used []record.Dependency) (why []string) {
	for _, u := range used {
		now, err := u.Now(root)
		if err == nil && now == u.State {
			continue
		}
		name := u.Name
		switch {
		case err != nil:
			why = append(why, fmt.Sprintf("cannot read %s: %s: %v", u.Kind, name, err))
		case now == absent:
			why = append(why, fmt.Sprintf("%s gone: %s", u.Kind, name))
		case u.State == absent:
			why = append(why, fmt.Sprintf("%s arrived: %s", u.Kind, name))
		default:
			why = append(why, fmt.Sprintf("%s changed: %s", u.Kind, name))
		}
	}
	slices.Sort(why)
	return slices.Compact(why)
}
