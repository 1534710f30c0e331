package reach

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A Part is a declaration, an assembler file or an embedded file that is
// reached.
type Part struct {
	File string `json:"file"` // slash, relative to the module's root
	Decl string `json:"decl"` // "Lab.Table2", "table2", "init"
	Hash string `json:"hash"` // 16 hexadecimal digits
}

// Names in Part.Decl for parts that are not declarations.
const (
	assembler = "assembler" // a whole .s or .h file
	embed     = "embedded"  // a whole file that //go:embed includes
	blank     = "import _"  // a file's blank imports from outside the module
)

// Reached is the code that some roots reach.
type Reached struct {
	Parts   []Part   // sorted by File and Decl
	Modules []string // sorted: "gonum.org/v1/gonum v0.17.0 h1:..." for the modules that the files import
}

// Files returns the files of the parts, sorted.
func (r *Reached) Files() []string {
	files := make([]string, len(r.Parts))
	for i, p := range r.Parts {
		files[i] = p.File
	}
	return slices.Compact(files)
}

// Reach returns all code of the module that the roots reach. A root is the import path of a package
// and a name in it, "overcomplete/kernel-helpers/pca.Fit" or
// "overcomplete/paper/bradley2008.Lab.Table2", or a package alone, which stands for all its
// exported names. If a root does not exist, the error suggests names that do. Code that does not
// parse, imports C, or mentions undeclared names of the module is an error too, since its reach
// cannot be determined.
func (c *Code) Reach(roots ...string) (*Reached, error) {
	if len(roots) == 0 {
		return nil, errors.New("reach: no roots")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &search{code: c, reached: map[*declaration]bool{}, selected: map[selection]bool{}, promised: map[string]bool{},
		waiting: map[selection][]*declaration{}, running: map[*folder]bool{}, assembled: map[*folder]bool{}, above: map[*folder]map[*folder]bool{}}
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

// A search is one run of Reach. queue holds what is reached and not yet followed, so reached is
// closed when queue is empty.
type search struct {
	code      *Code
	reached   map[*declaration]bool
	queue     []*declaration
	selected  map[selection]bool           // names after a dot in followed code, by the package that contains them
	promised  map[string]bool              // names of methods of interfaces in followed code
	waiting   map[selection][]*declaration // methods that nothing selects yet, by the Lab's package and name
	running   map[*folder]bool             // packages with init functions that run
	assembled map[*folder]bool             // packages with reached assembler
	above     map[*folder]map[*folder]bool // packages that a package imports, directly or not, and itself
}

type selection struct {
	folder *folder
	name   string
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
	if err := s.initialise(fo); err != nil {
		return err
	}
	m, err := s.code.read(d.piece)
	if err != nil {
		return err
	}
	s.reach(m.declarations...)
	for name := range m.selected {
		s.selected[selection{fo, name}] = true
	}
	for name := range m.promised {
		s.promised[name] = true
	}
	for lab, ms := range s.waiting {
		if m.promised[lab.name] || m.selected[lab.name] && s.imports(fo, lab.folder) {
			s.reach(ms...)
			delete(s.waiting, lab)
		}
	}
	if d.isType() != nil {
		s.methods(fo, d.name)
	}
	if m.bodyless {
		if err := s.assemble(fo); err != nil {
			return err
		}
	}
	return s.linked(d)
}

// methods reaches the methods of a type, because a value of it may be in any interface. The methods
// of a paper's Lab wait until something selects their names.
func (s *search) methods(fo *folder, name string) {
	for _, m := range fo.methods[name] {
		method := m.name[len(name)+1:]
		if s.code.isLab(fo, name) && !s.wanted(fo, method) {
			lab := selection{fo, method}
			s.waiting[lab] = append(s.waiting[lab], m)
			continue
		}
		s.reach(m)
	}
}

// wanted reports whether something followed so far may call a method of a Lab in a
// package: through an interface that has such a method, or with x.Method in a package
// which can know the Lab because it imports it.
func (s *search) wanted(lab *folder, method string) bool {
	if s.promised[method] || called[method] {
		return true
	}
	for by := range s.selected {
		if by.name == method && s.imports(by.folder, lab) {
			return true
		}
	}
	return false
}

// imports reports whether a package equals another or imports it, directly or not.
func (s *search) imports(fo, other *folder) bool {
	all, ok := s.above[fo]
	if !ok {
		all = map[*folder]bool{}
		s.above[fo] = all
		s.climb(fo, all)
	}
	return all[other]
}

func (s *search) climb(fo *folder, all map[*folder]bool) {
	if fo == nil || all[fo] {
		return
	}
	all[fo] = true
	for _, f := range fo.files {
		for _, im := range f.imports {
			s.climb(s.code.folders[im.path], all)
		}
	}
}

// called lists methods that other modules and the standard library call through interfaces of their
// own. A Lab is assumed to implement no other interface of theirs.
var called = set(`Error Unwrap Is As String GoString Format Scan
	MarshalJSON UnmarshalJSON MarshalText UnmarshalText AppendText
	MarshalBinary UnmarshalBinary AppendBinary GobEncode GobDecode MarshalXML UnmarshalXML
	Read ReadAt ReadByte ReadFrom ReadRune UnreadByte UnreadRune Seek Close
	Write WriteAt WriteByte WriteString WriteTo
	Len Less Swap Push Pop Lock Unlock Set Get
	Deadline Done Err Value LogValue
	Open ReadDir ReadFile Stat Name Size Mode ModTime IsDir Sys Info Type
	ServeHTTP RoundTrip Header WriteHeader
	ColorModel Bounds At RGBA Convert Uint64 Seed Int63
	Dims T AtVec SymmetricDim Plot DataRange GlyphBoxes Thumbnail Ticks Normalize XY XYZ Init Record`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// initialise reaches the code that runs when a package is imported: its init functions and blank
// variables, and those of the packages that it imports.
func (s *search) initialise(fo *folder) error {
	if s.running[fo] {
		return nil
	}
	s.running[fo] = true
	s.reach(fo.initial...)
	for _, f := range fo.files {
		for _, im := range f.imports {
			if s.code.followed(im.path) {
				other, err := s.code.open(im.path)
				if err != nil {
					return fmt.Errorf("%w (imported by %s)", err, f.name)
				}
				if err := s.initialise(other); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// assemble reaches the assembler of a package, and the Go names in it.
func (s *search) assemble(fo *folder) error {
	if s.assembled[fo] {
		return nil
	}
	s.assembled[fo] = true
	for _, a := range fo.assembler {
		for _, w := range a.words() {
			other := fo
			if w.path != "" && w.path != fo.path {
				if !s.code.followed(w.path) || s.code.folders[w.path] == nil {
					continue
				}
				var err error
				if other, err = s.code.open(w.path); err != nil {
					return err
				}
			}
			s.reach(other.scope[w.name]...)
		}
	}
	return nil
}

// linked follows //go:linkname in both directions: a local name stands for another
// package's symbol, or gives that symbol its body.
func (s *search) linked(d *declaration) error {
	for _, l := range s.code.links {
		local := l.file.folder == d.file.folder && l.local == d.name
		target := l.path == d.file.folder.path && l.target == d.name
		if local && s.code.followed(l.path) && s.code.folders[l.path] != nil {
			fo, err := s.code.open(l.path)
			if err != nil {
				return err
			}
			name, _, method := strings.Cut(l.target, ".")
			s.reach(fo.scope[name]...)
			if method {
				s.reach(fo.method(l.target)...)
			}
		}
		if target {
			fo, err := s.code.open(l.file.folder.path)
			if err != nil {
				return err
			}
			s.reach(fo.scope[l.local]...)
		}
	}
	return nil
}

// method returns the declarations of "Type.method".
func (fo *folder) method(name string) []*declaration {
	var ds []*declaration
	receiver, _, _ := strings.Cut(name, ".")
	for _, m := range fo.methods[receiver] {
		if m.name == name {
			ds = append(ds, m)
		}
	}
	return ds
}

func (s *search) result() (*Reached, error) {
	type key struct{ file, decl string }
	texts := map[key][]string{}
	files := map[*file]bool{}
	for d := range s.reached {
		k := key{d.file.name, d.name}
		texts[k] = append(texts[k], d.hash(s.code.links))
		files[d.file] = true
		names, err := embedded(s.code.tree, d.file.folder.dir, d.directives)
		if err != nil {
			return nil, fmt.Errorf("reach: %s embeds: %w", d.file.name, err)
		}
		for _, name := range names {
			src, err := fs.ReadFile(s.code.tree, name)
			if err != nil {
				return nil, fmt.Errorf("reach: %s embeds: %w", d.file.name, err)
			}
			texts[key{name, embed}] = []string{digest(string(src))}
		}
	}
	for fo := range s.assembled {
		for _, a := range fo.assembler {
			texts[key{a.name, assembler}] = []string{a.hash()}
		}
	}
	for fo := range s.running {
		for _, f := range fo.files {
			for _, im := range f.imports {
				if im.name == "_" && !s.code.inside(im.path) {
					k := key{f.name, blank}
					texts[k] = append(texts[k], im.path)
					files[f] = true
				}
			}
		}
	}
	r := &Reached{}
	for k, t := range texts {
		hash := t[0]
		if len(t) > 1 || k.decl == blank { // several init functions in a file are one part
			slices.Sort(t)
			hash = digest(t...)
		}
		r.Parts = append(r.Parts, Part{k.file, k.decl, hash})
	}
	slices.SortFunc(r.Parts, compareParts)
	modules := map[string]bool{}
	for f := range files {
		for _, im := range f.imports {
			if !s.code.inside(im.path) {
				if line := s.code.mod.line(im.path); line != "" {
					modules[line] = true
				}
			}
		}
	}
	r.Modules = slices.Sorted(maps.Keys(modules))
	return r, nil
}

func compareParts(a, b Part) int {
	if n := strings.Compare(a.File, b.File); n != 0 {
		return n
	}
	return strings.Compare(a.Decl, b.Decl)
}
