package lineage

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// A Cell describes how the text of a cell uses names.
type Cell struct {
	Imports []Import
	Decls   []Decl
	// Variables are the variables that top-level statements declare, in order, without duplicates.
	Variables []Name
	// Statements is the use of names in top-level statements and in functions called init.
	Statements Use
	// Shows is set if the cell has statements or commands, and may therefore have outputs.
	Shows bool
}

// A Name is a declared name and the line that declares it first.
type Name struct {
	Name string
	Line int // 1-based, in the cell
}

// A Decl is a function, a method, a type or a group of constants.
type Decl struct {
	Kind  token.Token // FUNC, TYPE or CONST
	Names []string    // T.M for a method
	Type  string      // the receiver's type, for a method
	Line  int
	// Text is the declaration, formatted without comments. Two declarations with the same text have the same
	// meaning if the names that they use have the same meaning.
	Text string
	Use
}

// A Use holds the names that a piece of code reads and assigns. It leaves out names that are local to the code, and
// includes predeclared names, such as int and len. The names may be declared in the same cell or in other cells. The
// maps Reads and Assigns give the 1-based line of the first use of each name.
type Use struct {
	Reads   map[string]int
	Assigns map[string]int
	// Whole holds the names in Assigns that are assigned as a whole at least once, not only in part as in x.f =
	// e and x[i] = e.
	Whole map[string]bool
}

func newUse() Use {
	return Use{Reads: map[string]int{}, Assigns: map[string]int{}, Whole: map[string]bool{}}
}

// Read finds the names that a cell declares and uses. source is the text of the cell. If it is invalid, the error is a
// scanner.ErrorList or a *magic.Error.
func Read(source string) (*Cell, error) { return ReadText(magic.Read(source)) }

// ReadText is like Read for a cell that has already been scanned.
func ReadText(scanned *magic.Text) (*Cell, error) {
	pieces, fault := scanned.Pieces(nil)
	if fault != nil {
		return nil, fault
	}
	c := &Cell{Statements: newUse()}
	if magic.Formats(scanned.Source) {
		c.Shows = true
		return c, nil // the cell has no code that runs
	}
	top := newReader(token.NewFileSet(), &c.Statements)
	top.done = map[string]bool{}
	for _, p := range pieces {
		if p.Command != nil {
			c.Shows = true
			c.command(p.Command)
		}
		if strings.TrimSpace(p.Go) == "" {
			continue
		}
		text := scanned
		if p.Go != scanned.Source {
			text = magic.Read(p.Go)
		}
		tree, err := cellsyntax.ParseText(top.fset, "cell", text)
		if err != nil {
			return nil, err
		}
		name := ""
		if p.Command != nil {
			name = strings.TrimLeft(p.Command.Name, "%")
		}
		switch name {
		case "native":
			c.addNative(tree, top.fset)
		case "timeit": // its declarations are its own
			once := &Cell{Statements: c.Statements}
			own := *top
			own.done = map[string]bool{}
			for name := range top.done {
				own.done[name] = true
			}
			once.tree(tree, &own)
		default:
			c.tree(tree, top)
		}
	}
	return c, nil
}

// tree adds to c the names that a piece of the cell declares and uses. For the statements at the top level, it uses the
// reader passed as top.
func (c *Cell) tree(tree *cellsyntax.Tree, top *reader) {
	for _, spec := range tree.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has rejected this import
		}
		i := Import{Path: path, Line: top.line(spec)}
		if spec.Name != nil {
			i.Name = spec.Name.Name
		}
		c.Imports = append(c.Imports, i)
		for _, name := range i.Names() {
			top.done[name] = true
		}
	}
	for _, d := range tree.Decls {
		c.declare(d, top)
	}
	if tree.RunsMain() {
		c.Shows = true
		c.Statements.Reads["main"] = 1
	}
	c.Shows = c.Shows || len(tree.Stmts) > 0
	for _, st := range tree.Stmts {
		top.stmt(st)
	}
	for _, id := range cellsyntax.Variables(tree.Stmts) {
		if !c.declaresVariable(id.Name) {
			c.Variables = append(c.Variables, Name{id.Name, top.line(id)})
		}
	}
	for _, d := range tree.Decls {
		if isInit(d) {
			c.init(d.(*ast.FuncDecl), top)
		}
	}
}

// init adds the code of a function called init to c's statements. The function runs when the cell's variables have been
// declared.
func (c *Cell) init(f *ast.FuncDecl, top *reader) {
	c.Shows = true
	own := newUse()
	r := newReader(top.fset, &own)
	r.done = maps.Clone(top.done)
	r.function(f.Recv, f.Type, f.Body)
	add := func(to, from map[string]int) {
		for name, line := range from {
			if _, known := to[name]; !known && !c.declaresVariable(name) {
				to[name] = line
			}
		}
	}
	add(c.Statements.Reads, own.Reads)
	add(c.Statements.Assigns, own.Assigns)
	for name := range own.Whole {
		if !c.declaresVariable(name) {
			c.Statements.Whole[name] = true
		}
	}
}

// isInit reports whether d is a function called init.
func isInit(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Name.Name == "init" && f.Body != nil
}

func (c *Cell) declaresVariable(name string) bool {
	for _, v := range c.Variables {
		if v.Name == name {
			return true
		}
	}
	return false
}

// declare adds the declaration d to c. It leaves out functions without a body, which only document a function, and
// functions called init, which the method init adds.
func (c *Cell) declare(d ast.Decl, top *reader) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil || isInit(d) {
			return
		}
		one := Decl{Kind: token.FUNC, Names: cellsyntax.Declared(d), Line: top.line(d), Text: text(d), Use: newUse()}
		if d.Recv != nil && len(d.Recv.List) == 1 {
			one.Type = cellsyntax.ReceiverName(d.Recv.List[0].Type)
		}
		newReader(top.fset, &one.Use).function(d.Recv, d.Type, d.Body)
		c.Decls = append(c.Decls, one)
	case *ast.GenDecl:
		if d.Tok == token.CONST {
			c.specs(d, d.Specs, top)
			return
		}
		for _, spec := range d.Specs {
			c.specs(d, []ast.Spec{spec}, top)
		}
	}
}

// specs adds to c some of the specs of the declaration d: one type, or a whole group of constants.
func (c *Cell) specs(d *ast.GenDecl, specs []ast.Spec, top *reader) {
	alone := &ast.GenDecl{Tok: d.Tok, Specs: specs}
	if len(specs) > 1 {
		alone.Lparen = d.Pos()
	}
	one := Decl{Kind: d.Tok, Names: cellsyntax.Declared(alone), Line: top.line(d), Text: text(alone), Use: newUse()}
	r := newReader(top.fset, &one.Use)
	for _, spec := range specs {
		r.spec(spec)
	}
	c.Decls = append(c.Decls, one)
}

// text returns a declaration, printed without comments.
func text(d ast.Decl) string {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), d) // a parsed tree can always be printed
	return b.String()
}

// Declares returns the names that the cell declares. The names of imported packages may be guesses.
func (c *Cell) Declares() []string {
	var names []string
	for _, i := range c.Imports {
		names = append(names, i.Names()...)
	}
	for _, d := range c.Decls {
		names = append(names, d.Names...)
	}
	for _, v := range c.Variables {
		names = append(names, v.Name)
	}
	return names
}

// An Import is an import declared in a cell.
type Import struct {
	Name string // name given in the import, or ""; also "." and "_"
	Path string
	Line int // 1-based, in the cell
}

// Names returns the possible names of the package in the cell. If the import gives no name, only the package
// itself determines the name; for nearly all packages it is one of the returned names.
func (i Import) Names() []string {
	switch i.Name {
	case "":
	case "_", ".":
		return nil
	default:
		return []string{i.Name}
	}
	base, folder := path.Base(i.Path), path.Dir(i.Path)
	if isVersion(base) && folder != "." {
		base = path.Base(folder)
	}
	if at := strings.LastIndex(base, ".v"); at > 0 && isVersion(base[at+1:]) {
		base = base[:at]
	}
	names := []string{base}
	bare := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go"), ".go")
	for _, name := range []string{bare, strings.ReplaceAll(bare, "-", ""), strings.ReplaceAll(bare, "-", "_"), bare[strings.LastIndexByte(bare, '-')+1:]} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// isVersion reports whether a path element is v2, v3...
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && strings.Trim(s[1:], "0123456789") == ""
}

// command records that the command m assigns to the variables it names, if m is %params or %reset.
func (c *Cell) command(m *magic.Command) {
	switch m.Name {
	case "%params":
		for _, word := range strings.Fields(m.Args) {
			if name, _, ok := strings.Cut(word, "="); ok && token.IsIdentifier(name) {
				c.assign(name, m.Line)
			}
		}
	case "%reset":
		for _, name := range strings.Fields(strings.ReplaceAll(m.Args, ",", " ")) {
			c.assign(name, m.Line)
		}
	}
}

func (c *Cell) assign(name string, line int) {
	if _, ok := c.Statements.Assigns[name]; !ok {
		c.Statements.Assigns[name] = line
	}
	c.Statements.Whole[name] = true
}

// addNative adds the functions of a %%native cell. The cell is compiled separately and has no access to the session,
// so its functions use no names of other cells.
func (c *Cell) addNative(tree *cellsyntax.Tree, fset *token.FileSet) {
	whole := ""
	for _, d := range tree.Decls {
		whole += text(d) + "\n" // functions may call each other
	}
	for _, d := range tree.Decls {
		for _, name := range cellsyntax.Declared(d) {
			c.Decls = append(c.Decls, Decl{Kind: token.FUNC, Names: []string{name}, Line: fset.Position(d.Pos()).Line, Text: whole, Use: newUse()})
		}
	}
}
