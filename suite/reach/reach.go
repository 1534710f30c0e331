package reach

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A Part is a reached declaration, assembler file or embedded file.
type Part struct {
	File string `json:"file"` // slash, relative to the module's root
	Decl string `json:"decl"` // "Lab.Table2", "table2", "init"
	Hash string `json:"hash"` // 16 hexadecimal digits
}

// The values of Part.Decl for parts that are not declarations.
const (
	assembler = "assembler" // a whole .s or .h file
	embed     = "embedded"  // a whole file that //go:embed includes
	blank     = "import _"  // a file's blank imports of packages outside the module
)

// Result is the code that a set of roots reaches.
type Result struct {
	Parts   []Part   // sorted by File and Decl
	Modules []string // sorted: "gonum.org/v1/gonum v0.17.0 h1:..." for the modules that the files import
}

// Files returns the files of the parts, sorted.
func (r *Result) Files() []string {
	files := make([]string, len(r.Parts))
	for i, p := range r.Parts {
		files[i] = p.File
	}
	return slices.Compact(files)
}

// Reach returns all code of the module that the roots reach. A root is the import path of a package and a
// name in it, "overcomplete/kernel-helpers/pca.Fit" or "overcomplete/paper/bradley2008.Lab.Table2", or only
// the import path of a package, which stands for all its exported names. If a root does not exist, the error
// suggests similar names. Code that does not parse, imports C, or mentions undeclared names of the module is
// an error too, since its reach cannot be determined.
func (c *Code) Reach(roots ...string) (*Result, error) {
	if len(roots) == 0 {
		return nil, errors.New("reach: no roots")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &search{code: c, reached: make(map[*declaration]bool, 4096), selected: map[string][]*folder{}, promised: map[string]bool{},
		waiting: map[string][]*declaration{}, running: map[*folder]bool{}, assembled: map[*folder]bool{}}
	for _, root := range roots {
		ds, err := c.root(root)
		if err != nil {
			return nil, err
		}
		s.reach(ds...)
	}
	for len(s.queue) > 0 {
		d := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		if err := s.follow(d); err != nil {
			return nil, err
		}
	}
	return s.result()
}

// A search is one run of Reach. To follow a declaration is to reach everything that it mentions. queue holds
// the declarations that are reached but not followed yet. When queue is empty, reached is complete.
type search struct {
	code      *Code
	reached   map[*declaration]bool
	queue     []*declaration
	selected  map[string][]*folder      // by name of unknown meaning: packages with x.name in a followed declaration
	promised  map[string]bool           // names of the methods of interfaces in followed declarations
	waiting   map[string][]*declaration // methods of Labs that are not reached yet, by name
	running   map[*folder]bool          // packages whose init functions and blank variables are reached
	assembled map[*folder]bool          // packages whose assembler files are reached
}

func (s *search) reach(ds ...*declaration) {
	for _, d := range ds {
		if !s.reached[d] {
			s.reached[d] = true
			s.queue = append(s.queue, d)
		}
	}
}

func (s *search) follow(d *declaration) error {
	fo := d.file.folder
	s.initialise(fo)
	m, err := s.code.read(d.piece)
	if err != nil {
		return err
	}
	s.reach(m.declarations...)
	for _, name := range m.promised {
		s.promised[name] = true
		s.reach(s.waiting[name]...)
	}
	for _, name := range m.selected {
		s.selected[name] = append(s.selected[name], fo)
		for _, lab := range s.waiting[name] {
			if fo.above[lab.file.folder] {
				s.reach(lab)
			}
		}
	}
	if _, ok := d.node.(*ast.TypeSpec); ok {
		s.methods(fo, d.name)
	}
	if m.bodyless {
		if err := s.assemble(fo); err != nil {
			return err
		}
	}
	return s.followLinknames(d)
}

// methods reaches the methods of the type with the given name, because an interface may hold a value of the type. But
// most methods of a paper's Lab first wait until one of three things happens: a declaration mentions the method, an
// interface has a method of this name, or a package that imports the Lab's package has x.Method with an x of unknown
// type. Only the methods that the standard library may call do not wait; they are listed in the variable "called".
func (s *search) methods(fo *folder, name string) {
	for _, m := range fo.methods[name] {
		_, method, _ := strings.Cut(m.name, ".")
		method = types.Id(fo.types, method)
		if !s.code.isLab(fo, name) || s.promised[method] || called[method] ||
			slices.ContainsFunc(s.selected[method], func(by *folder) bool { return by.above[fo] }) {
			s.reach(m)
		} else {
			s.waiting[method] = append(s.waiting[method], m)
		}
	}
}

// called lists methods that the standard library calls through its own interfaces (fmt, errors, encoding, io, sort,
// heap, sync, flag, log/slog). These interfaces are outside the module, so no reached interface has their methods;
// therefore the list is needed. A Lab is assumed to implement no other interface of another module.
var called = set(`Error Unwrap Is As String GoString Format Scan
	MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary GobEncode GobDecode
	Read Write Close Seek ReadFrom WriteTo Len Less Swap Push Pop Lock Unlock Set Get LogValue`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// initialise reaches the code that runs when a package is imported: its init functions and blank
// variables, and those of the packages that it imports.
func (s *search) initialise(fo *folder) {
	if s.running[fo] {
		return
	}
	for other := range fo.above {
		s.running[other] = true
		s.reach(other.initial...)
	}
}

// assemble reaches the assembler files of a package and the Go declarations that they mention.
func (s *search) assemble(fo *folder) error {
	if s.assembled[fo] {
		return nil
	}
	s.assembled[fo] = true
	if fo.assembled == nil {
		all := []*declaration{}
		for _, a := range fo.assembler {
			for w := range a.words() {
				ds, err := s.code.symbol(qualifiedName{cmp.Or(w.path, fo.path), w.name})
				if err != nil {
					return err
				}
				all = append(all, ds...)
			}
		}
		fo.assembled = all
	}
	s.reach(fo.assembled...)
	return nil
}

// followLinknames follows //go:linkname in both directions: a local name stands for another
// package's symbol, or gives that symbol its body.
func (s *search) followLinknames(d *declaration) error {
	fo := d.file.folder
	for _, other := range slices.Concat(fo.links[d.name], s.code.linked[qualifiedName{fo.path, d.name}]) {
		ds, err := s.code.symbol(other)
		if err != nil {
			return err
		}
		s.reach(ds...)
	}
	return nil
}

// symbol returns the declarations of a name and, for a method, those of its type. It returns nil if the
// package is not in the module.
func (c *Code) symbol(q qualifiedName) ([]*declaration, error) {
	if c.folders[q.path] == nil || !c.isFollowed(q.path) {
		return nil, nil
	}
	fo, err := c.open(q.path)
	if err != nil {
		return nil, err
	}
	ds := fo.scope[q.name]
	if typ, _, ok := strings.Cut(q.name, "."); ok {
		ds = slices.Concat(ds, fo.scope[typ])
	}
	return ds, nil
}

func (s *search) result() (*Result, error) {
	parts := make([]Part, 0, len(s.reached)+100)
	files := map[*file]bool{}
	embeds := map[string]bool{}
	for d := range s.reached {
		parts = append(parts, Part{d.file.name, d.name, d.hash()})
		files[d.file] = true
		names, err := embeddedFiles(s.code.tree, d.file.folder.dir, d.directives)
		if err != nil {
			return nil, fmt.Errorf("reach: %s embeds: %w", d.file.name, err)
		}
		for _, name := range names {
			if embeds[name] {
				continue
			}
			embeds[name] = true
			src, err := fs.ReadFile(s.code.tree, name)
			if err != nil {
				return nil, fmt.Errorf("reach: %s embeds: %w", d.file.name, err)
			}
			parts = append(parts, Part{name, embed, digest(string(src))})
		}
	}
	for fo := range s.assembled {
		for _, a := range fo.assembler {
			parts = append(parts, Part{a.name, assembler, a.hash()})
		}
	}
	for fo := range s.running {
		for _, f := range fo.files {
			var paths []string
			for _, im := range f.imports {
				if im.name == "_" && !s.code.isInside(im.path) {
					paths = append(paths, im.path)
				}
			}
			if paths != nil {
				slices.Sort(paths)
				parts = append(parts, Part{f.name, blank, digest(paths...)})
				files[f] = true
			}
		}
	}
	slices.SortFunc(parts, func(a, b Part) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return cmp.Or(strings.Compare(a.Decl, b.Decl), strings.Compare(a.Hash, b.Hash))
	})
	r := &Result{Parts: parts[:0]}
	for _, p := range parts {
		if n := len(r.Parts) - 1; n >= 0 && r.Parts[n].File == p.File && r.Parts[n].Decl == p.Decl {
			r.Parts[n].Hash = digest(r.Parts[n].Hash, p.Hash) // several init functions in one file form one part
		} else {
			r.Parts = append(r.Parts, p)
		}
	}
	modules := map[string]bool{}
	for f := range files {
		for _, im := range f.imports {
			if !s.code.isInside(im.path) {
				modules[s.code.moduleLine(im.path)] = true
			}
		}
	}
	delete(modules, "") // the standard library
	r.Modules = slices.Sorted(maps.Keys(modules))
	return r, nil
}
