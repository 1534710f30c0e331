package goprogram

import (
	"errors"
	"fmt"
	"go/format"
	"go/scanner"
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"

	"overcomplete/internal/module"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/notebook"
)

// Options are the options of Write.
type Options struct {
	// Name is the name of the program and of its module. Comments in the program also call the notebook by this name.
	// Name must not be empty.
	Name string
	// Package, if not empty, is the name of a package to write instead of a program. The package has a function Run,
	// which runs the cells and has the notebook's parameters as its parameters. Its module file names the module after
	// the package.
	Package string
	// GoMod and GoSum are the files of this project's module, which give the versions of modules. Source is the
	// project's folder, as written in a go.mod. If Source is empty, a program that imports the project's
	// packages cannot be built until somebody adds the folder to the program's go.mod.
	GoMod, GoSum []byte
	Source       string
	// Root is the absolute path of the project's folder. It is needed if the notebook imports other modules: the go
	// command loads their packages in this folder, and the program gets the project's versions and checksums.
	Root string
	// Modules allows the go command to download the notebook's modules, and to read the folders in the
	// notebook's replace directives, which the author of the notebook chooses.
	Modules bool

	resolved []byte // go.mod as completed by the go command
}

func (o Options) packageName() string {
	if o.Package != "" {
		return o.Package
	}
	return "main"
}

func (o Options) function() string {
	if o.Package != "" {
		return "Run"
	}
	return "main"
}

// title returns the first line of the package comment.
func (o Options) title() string {
	if o.Package != "" {
		return "// Package " + o.Package + " is the notebook " + o.Name + ", written by 'overcomplete export --go'.\n"
	}
	first, size := utf8.DecodeRuneInString(o.Name)
	return "// " + strings.ToUpper(string(first)) + o.Name[size:] + " is the notebook of that name, written by 'overcomplete export --go'.\n"
}

// A Program is the result of Write.
type Program struct {
	// Files has the contents of the program's files, by name.
	Files map[string][]byte
	// Remarks are notes for the reader, one per line, about code that was left out or will not compile.
	Remarks []string
	// Faulty is set if parts of the program will not compile; Remarks say which.
	Faulty bool
}

// Write writes a notebook as a program. Writing the same notebook again gives the same bytes. Write fails if the go
// command cannot load a package that the notebook imports.
func Write(nb *notebook.Notebook, opt Options) (*Program, error) {
	left := map[int]error{} // cells that are meant to fail, and already fail to type-check
	for {
		p, more, err := write(nb, opt, left)
		if err != nil || !more {
			return p, err
		}
	}
}

// write does what Write does, but turns some cells into comments: those whose numbers are keys of the given map. If
// write finds further cells that must become comments, it adds them to the map, and more is true. Then p is nil, and
// write must be called again.
func write(nb *notebook.Notebook, opt Options, left map[int]error) (p *Program, more bool, err error) {
	cells := read(nb, left)
	out := &Program{Files: map[string][]byte{}}
	var gets []string
	for _, c := range cells {
		if c.fault != nil {
			out.Remarks = append(out.Remarks, fmt.Sprintf("cell %d: left out: %v", c.number, c.fault))
		}
		for _, p := range c.parts {
			if p.kind == commandPart && p.command.Name == "%get" {
				gets = append(gets, strings.Fields(p.command.Args)...)
			}
		}
	}
	var paths []string
	for _, c := range cells {
		for _, p := range c.parts {
			paths = append(paths, p.imports()...)
		}
	}
	// In notebooks, the kernel makes gonum compute products of matrices with this project's code. A program
	// that imports a package of this project does so too, to get the same results.
	importsOurs := slices.ContainsFunc(paths, module.Has)
	if importsOurs {
		paths = append(paths, gemmPath)
	}
	var mod Module
	from, packageNames := types.Importer(builtIn), map[string]string{}
	if !isBuiltIn(paths) {
		there := opt
		there.Source = opt.Root
		if mod, err = moduleOf(paths, gets, nb, there); err != nil {
			return nil, false, err
		}
		if from, packageNames, mod, err = loaded(paths, mod, opt.Modules); err != nil {
			return nil, false, err
		}
		opt.resolved, opt.GoSum = mod.Mod, mod.Sum
	}
	name := func(path string) string {
		if n := packageNames[path]; n != "" {
			return n
		}
		if p, ok := apidoc.Lookup(path); ok {
			return p.Name
		}
		return baseName(path)
	}
	e := &emitter{names: newNames(cells, name), cells: cells, opt: opt, forms: map[*part]form{}, unused: map[*part]map[string]bool{}, sketch: true, importsOurs: importsOurs}
	e.intro = introduction(cells)
	c, err := check(e.emit(), from)
	if err != nil {
		return nil, false, e.broken(err)
	}
	e.settle(c)
	e.declareEarly(cells)
	e.sketch = false
	for again := true; again; { // repeat for variables that are used only by another unused variable
		if c, err = check(e.emit(), from); err != nil {
			return nil, false, e.broken(err)
		}
		again = e.useAll(c)
	}
	source, faults := c.useLocals(e.source)
	for _, f := range faults {
		where := ""
		if p := e.partAt(c.offset(f.Pos)); p != nil {
			if p.cell.raises && left[p.cell.number] == nil {
				left[p.cell.number], more = errors.New(f.Msg), true
			}
			where = fmt.Sprintf("cell %d: ", p.cell.number)
		}
		out.Remarks = append(out.Remarks, where+"does not compile: "+f.Msg)
		out.Faulty = true
	}
	if more {
		return nil, true, nil
	}
	text, err := format.Source([]byte(source))
	if err != nil {
		return nil, false, e.broken(err)
	}
	out.Remarks = append(out.Remarks, e.remarks...)
	file := "main.go"
	if opt.Package != "" {
		file = opt.Package + ".go"
	}
	var tests []byte
	if text, tests, err = e.splitTests(text, cells, opt.title(), name); err != nil {
		return nil, false, e.broken(err)
	}
	out.Files[file] = text
	if tests != nil {
		out.Files[strings.TrimSuffix(file, ".go")+"_test.go"] = tests
	}
	if opt.Package != "" {
		opt.Name = opt.Package // the module's name, if the package does not become part of another module
	}
	used := []string{}
	for i := range e.used {
		used = append(used, i.path)
	}
	slices.Sort(used)
	if slices.Contains(used, gpuPath) {
		out.Files[driverFile] = []byte(opt.title() + "\npackage " + opt.packageName() + "\n\n// The driver of devices. With it the program needs glibc on Linux.\nimport _ \"" + gpuPath + "/opencl\"\n")
	}
	if mod, err = moduleOf(used, gets, nb, opt); err != nil {
		return nil, false, err
	}
	out.Files["go.mod"] = mod.Mod
	if len(mod.Sum) > 0 {
		out.Files["go.sum"] = mod.Sum
	}
	return out, false, nil
}

// broken returns the error for a program that does not parse. The error shows the offending line. Such a
// program is a bug in package goprogram.
func (e *emitter) broken(err error) error {
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		lines := strings.Split(e.source, "\n")
		if n := list[0].Pos.Line; n > 0 && n <= len(lines) {
			return fmt.Errorf("the exported program would not be valid Go: %v in %q", list[0], lines[n-1])
		}
	}
	return fmt.Errorf("the exported program would not be valid Go: %w", err)
}

// introduction returns the text cells before all code, which become the package comment, and removes their parts from
// the cells.
func introduction(cells []*cell) (texts []string) {
	for _, c := range cells {
		if c.nb.Type != notebook.Markdown {
			break
		}
		texts = append(texts, c.nb.Source)
		c.parts = nil
	}
	return texts
}
