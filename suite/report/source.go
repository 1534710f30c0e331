package report

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/paper/record"
)

// sources holds the Go files for which the site has pages.
type sources struct {
	files   map[string]*source   // by path from the root, with slashes
	folders map[string][]*source // by folder, in the order of their names
}

// A source is a Go file.
type source struct {
	path      string
	text      []byte
	lines     int
	funcs     []function
	synopsis  string    // synopsis of the package
	mentioned []mention // experiments that use this file
}

// A function describes a function or a method in a Go file.
type function struct {
	Name        string // "New", "Lab.Table2"
	First, Last int    // lines
	Synopsis    string // the first sentence of its comment
}

// A mention is an experiment that the page of a source file lists, because the file computes some of the experiment's
// rows or figures.
type mention struct {
	Paper, Title, Href string
	Claims, Figures    int
}

var sourceFolder = regexp.MustCompile(`^(paper|kernel-helpers|data)(/[A-Za-z0-9_-]+)+$`)

// readSources reads the source files of the papers' packages, which are the subfolders of the folder "paper". Other
// packages are added with addFolder.
func readSources(r *os.Root) *sources {
	s := &sources{files: map[string]*source{}, folders: map[string][]*source{}}
	list, _ := fs.ReadDir(r.FS(), "paper") // without the folder, there are no packages of papers
	for _, e := range list {
		if e.IsDir() && e.Name() != "internal" {
			s.addFolder(r, "paper/"+e.Name())
		}
	}
	return s
}

// addFolder reads the Go files of a package except tests. It ignores a folder that has been read before, and any
// folder that is not below "paper", "kernel-helpers" or "data". It does not follow symbolic links out of the root.
func (s *sources) addFolder(r *os.Root, folder string) {
	if _, done := s.folders[folder]; done || !sourceFolder.MatchString(folder) {
		return
	}
	s.folders[folder] = nil
	list, err := fs.ReadDir(r.FS(), folder)
	if err != nil {
		return
	}
	for _, e := range list {
		name := e.Name()
		if !e.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") {
			continue
		}
		text, err := fs.ReadFile(r.FS(), path.Join(folder, name))
		if err != nil {
			continue
		}
		f := readSource(path.Join(folder, name), text)
		s.files[f.path] = f
		s.folders[folder] = append(s.folders[folder], f)
	}
}

// readSource lists the functions of a file. If the file does not parse, it lists the functions before the
// first syntax error.
func readSource(name string, text []byte) *source {
	s := &source{path: name, text: text, lines: bytes.Count(text, []byte("\n"))}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		s.lines++
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return s
	}
	line := func(p token.Pos) int { return fset.PositionFor(p, false).Line }
	if file.Doc != nil {
		s.synopsis = new(doc.Package).Synopsis(file.Doc.Text())
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		g := function{Name: f.Name.Name, First: line(f.Pos()), Last: line(f.End())}
		if f.Recv != nil && len(f.Recv.List) == 1 {
			g.Name = cellsyntax.ReceiverName(f.Recv.List[0].Type) + "." + g.Name
		}
		if f.Doc != nil {
			g.Synopsis = new(doc.Package).Synopsis(f.Doc.Text())
		}
		s.funcs = append(s.funcs, g)
	}
	return s
}

// find looks for the function called name, first in the given file, then in the other files of the same package. It
// returns nil if there is no such function.
func (s *sources) find(file, name string) (*source, *function) {
	list := s.folders[path.Dir(file)]
	if f := s.files[file]; f != nil {
		list = append([]*source{f}, list...)
	}
	for _, f := range list {
		if i := slices.IndexFunc(f.funcs, func(g function) bool { return g.Name == name }); i >= 0 {
			return f, &f.funcs[i]
		}
	}
	return nil, nil
}

// A place is a line of a source file; line 0 stands for the whole file.
type place struct {
	File string
	Line int
	Func string
}

// address returns the address of the place's page. up is the path from the linking page to the site's root.
func (p place) address(up string) string {
	if p.File == "" {
		return ""
	}
	a := up + "code/" + escapePath(p.File) + ".html"
	if p.Line > 0 {
		a += "#L" + strconv.Itoa(p.Line)
	}
	return a
}

// place returns the present location of an origin, or the zero place if that is unknown.
func (s *sources) place(o record.Origin) place {
	if o.File == "" {
		return place{}
	}
	f, g := s.find(o.File, o.Func)
	switch {
	case g == nil && s.files[o.File] == nil:
		return place{}
	case g == nil:
		return place{File: o.File, Func: o.Func}
	}
	p := place{f.path, g.First, g.Name}
	if f.path == o.File && g.First <= o.Line && o.Line <= g.Last {
		p.Line = o.Line
	}
	return p
}

// experiment returns the place where a method such as "paper/bradley2008.Lab.Table2" is declared.
func (s *sources) experiment(name string) place {
	pkg, method, ok := strings.Cut(name, ".")
	if !ok {
		return place{}
	}
	f, g := s.find(pkg+"/doc.go", method)
	if g == nil {
		return place{}
	}
	return place{f.path, g.First, g.Name}
}

// synopsis returns the first sentence of the comment of an experiment.
func (s *sources) synopsis(name string) string {
	pkg, method, _ := strings.Cut(name, ".")
	if _, g := s.find(pkg+"/doc.go", method); g != nil {
		return g.Synopsis
	}
	return ""
}

// The end of a caption names the function that made the figure. The expression madeIn matches the form that a paper's
// Lab writes, and madeBy matches the form that package figure writes.
var (
	madeIn = regexp.MustCompile(`Made by ([a-z][\w/-]*), ([\w.]+) in ([\w-]+\.go)\.\s*$`)
	madeBy = regexp.MustCompile(`Made by ([a-z][\w/-]*)\.([\w.()*]+?)\.?\s*$`)
)

// maker returns the origin named in a caption, or the zero Origin.
func maker(caption string) record.Origin {
	var o record.Origin
	if m := madeIn.FindStringSubmatch(caption); m != nil {
		o = record.Origin{File: m[1] + "/" + m[3], Func: m[2]}
	} else if m := madeBy.FindStringSubmatch(caption); m != nil {
		o = record.Origin{File: m[1] + "/doc.go", Func: strings.NewReplacer("(*", "", ")", "").Replace(m[2])}
	}
	if strings.HasPrefix(o.Func, "Lab.") {
		o.Experiment = path.Dir(o.File) + "." + o.Func
	}
	return o
}
