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

	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/notebook"
)

// Options say what program to write.
type Options struct {
	// Name is the name of the program and of its module, and the notebook's in comments. It must not be empty.
	Name string
	// Package, if it is not empty, asks for a package of this name whose function Run runs the cells, instead of a
	// program; the notebook's parameters are those of Run. A package has no module file.
	Package string
	// GoMod and GoSum are those of the module of which this program is, which has the versions of what
	// it is built with, and Source is the folder in which it is, as a go.mod says it. If Source is empty,
	// a program that uses the module's packages cannot be built until somebody adds that.
	GoMod, GoSum []byte
	Source       string
	// Root is the same folder as an absolute path, which is needed when the notebook imports other modules: the
	// go command is then asked what is in them, and its versions and checksums become the program's.
	Root string
	// Modules lets the go command download modules then, and read the folders by which the notebook replaces some:
	// who wrote the notebook chooses them.
	Modules bool

	resolved []byte // the go.mod that the go command has completed
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

// title returns the first line of the package's comment.
func (o Options) title() string {
	if o.Package != "" {
		return "// Package " + o.Package + " is the notebook " + o.Name + ", written by 'overcomplete export --go'.\n"
	}
	first, size := utf8.DecodeRuneInString(o.Name)
	return "// " + strings.ToUpper(string(first)) + o.Name[size:] + " is the notebook of that name, written by 'overcomplete export --go'.\n"
}

// A Program is what a notebook has become.
type Program struct {
	// Files are the texts of its files, by name.
	Files map[string][]byte
	// Remarks say what a reader should know, one for each line: what was left out, what will not compile.
	Remarks []string
	// Faulty says that some of it will not compile, as Remarks tell.
	Faulty bool
}

// Write writes a notebook as a program. Writing the same notebook again gives the same bytes. The error says
// that a package which the notebook imports is not there, or is one of this package.
func Write(nb *notebook.Notebook, opt Options) (*Program, error) {
	left := map[int]error{} // cells that are to fail, and do so in the type checker already
	for {
		p, more, err := write(nb, opt, left)
		if err != nil || !more {
			return p, err
		}
	}
}

// write is Write with some cells as comments. It adds to them, and reports that it has.
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
	e := &emitter{names: newNames(cells, name), cells: cells, opt: opt, forms: map[*part]form{}, unused: map[*part]map[string]bool{}, sketch: true}
	e.intro = introduction(cells)
	c, err := check(e.emit(), from)
	if err != nil {
		return nil, false, e.broken(err)
	}
	e.settle(c)
	e.sketch = false
	for again := true; again; { // a variable that only another unused one needs
		if c, err = check(e.emit(), from); err != nil {
			return nil, false, e.broken(err)
		}
		again = e.useAll(c)
	}
	for _, f := range c.faults {
		where := ""
		if p := e.at(c.offset(f.Pos)); p != nil {
			if p.cell.raises && left[p.cell.number] == nil {
				left[p.cell.number], more = errors.New(f.Msg), true
			}
			where = fmt.Sprintf("cell %d: ", p.cell.number)
		}
		out.Remarks = append(out.Remarks, where+"will not compile: "+f.Msg)
		out.Faulty = true
	}
	if more {
		return nil, true, nil
	}
	text, err := format.Source([]byte(e.source))
	if err != nil {
		return nil, false, e.broken(err)
	}
	out.Remarks = append(out.Remarks, e.remarks...)
	file := "main.go"
	if opt.Package != "" {
		file = opt.Package + ".go"
	}
	out.Files[file] = text
	if opt.Package != "" {
		return out, false, nil
	}
	used := []string{}
	for i := range e.used {
		used = append(used, i.path)
	}
	slices.Sort(used)
	if mod, err = moduleOf(used, gets, nb, opt); err != nil {
		return nil, false, err
	}
	out.Files["go.mod"] = mod.Mod
	if len(mod.Sum) > 0 {
		out.Files["go.sum"] = mod.Sum
	}
	return out, false, nil
}

// broken returns the error of a program that does not even parse, which is a fault of this package, with
// the line in question.
func (e *emitter) broken(err error) error {
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		lines := strings.Split(e.source, "\n")
		if n := list[0].Pos.Line; n > 0 && n <= len(lines) {
			return fmt.Errorf("the program would not be Go: %v in %q", list[0], lines[n-1])
		}
	}
	return fmt.Errorf("the program would not be Go: %w", err)
}

// introduction returns the text above all code, which becomes the comment of the package.
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
