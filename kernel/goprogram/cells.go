package goprogram

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/notebook"
)

// The tags that have an effect on a cell.
const (
	tagParameters = "parameters"
	tagSolution   = "solution"
	tagSkip       = "skip-execution"
	tagRaises     = "raises-exception"
)

// A kind is the kind of a part.
type kind int

const (
	textPart    kind = iota // a Markdown cell
	commandPart             // a command without Go code
	importPart
	declPart // types, constants, functions, methods
	stmtPart // one statement
	notePart // a stand-alone comment
)

// A part is a piece of a notebook's cell: a text, a command, a declaration, a statement or a comment.
type part struct {
	kind kind
	cell *cell
	// text is the source with its comments; text[from:to] is the Go code.
	text     string
	from, to int
	command  *magic.Command
	// The fields first and last mark the first and the last part that a %time command measures.
	first, last bool

	decl ast.Decl // set in a declPart or importPart
	stmt ast.Stmt // set in a stmtPart
	base int      // text[pos-base] is the byte at pos in decl or stmt
	refs []ref    // references to names, in the order of text
	// shown marks the expression whose value the cell shows.
	shown bool
	test  bool // of a %%test cell
	// early marks a declaration of variables that stays at package level, so that the variables are set before main.
	early bool
	// dropped marks a declaration that the program leaves out: it repeats an earlier one, or it is a method that is
	// declared again later.
	dropped bool

	declares []*entity // variables, types and so on
}

// A cell is a cell of the notebook, split into parts.
type cell struct {
	number    int // counted from 1, among all cells
	nb        *notebook.Cell
	params    bool
	solution  bool
	raises    bool
	defers    bool // contains calls that are deferred to the end of the cell
	headed    bool // has a comment above it that marks where the cell begins
	parts     []*part
	fault     error // why the cell became a comment
	statement bool  // has statements or commands
}

// guarded reports whether the cell's statements need to be enclosed in braces or a function of their own.
func (c *cell) guarded() bool { return c.solution || c.raises || c.defers }

// read splits the notebook into cells and parts. errs is a map with the errors of the cells that become comments, by
// the cells' numbers.
func read(nb *notebook.Notebook, errs map[int]error) (cells []*cell) {
	text, provided := false, false
	for i, n := range nb.Cells {
		c := &cell{number: i + 1, nb: n, headed: text}
		text = false
		switch {
		case strings.TrimSpace(n.Source) == "":
			continue
		case n.Type == notebook.Code && n.Tagged(tagSkip):
			c.parts = []*part{{kind: notePart, text: "Left out, because the notebook does not run it:\n\n" + n.Source}}
		case n.Type == notebook.Code && magic.Formats(n.Source):
			c.parts = []*part{{kind: notePart, text: "Left out, because " + magic.Fmt + " formats the cell instead of running it:\n\n" + n.Source}}
		case n.Type == notebook.Code && errs[c.number] != nil:
			c.leave(n.Source, errs[c.number])
		case n.Type == notebook.Code:
			c.params = n.Tagged(tagParameters)
			c.solution, c.raises = n.Tagged(tagSolution), n.Tagged(tagRaises)
			if used, declared := magic.Read(n.Source).Mentions("Display"); (used || declared) && !provided {
				provided = true
				if !declared {
					c.code(displayFunction)
				}
			}
			c.code(n.Source)
			c.defers = !c.params && slices.ContainsFunc(c.parts, (*part).defers)
		case n.Type == notebook.Markdown:
			c.parts = []*part{{kind: textPart, text: n.Source}}
			text = true
		default:
			continue
		}
		for _, p := range c.parts {
			p.cell = c
		}
		cells = append(cells, c)
	}
	return cells
}

// displayFunction declares a function that the kernel provides for gophernotes notebooks. The declaration is
// put where a cell first uses the function.
const displayFunction = "func Display(v any) error { return display.Display(v) }"

// defers reports whether a part is a statement that defers a call to the end of the cell, or that ends the
// cell.
func (p *part) defers() (found bool) {
	if p.stmt == nil {
		return false
	}
	ast.Inspect(p.stmt, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false // statements in a function literal end with the function
		case *ast.DeferStmt, *ast.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}

// code splits a code cell into parts. A cell that does not parse becomes a comment.
func (c *cell) code(src string) {
	pieces, fault := magic.Parse(src, nil)
	if fault != nil {
		c.leave(src, fault)
		return
	}
	for i, p := range pieces {
		var parts []*part
		if p.Command != nil {
			command := &part{kind: commandPart, command: p.Command, text: strings.TrimSpace(src[p.Command.Start:p.Command.End])}
			if p.Command.Name == "%params" && p.Command.Args == "" {
				c.params = true
				continue
			}
			info, _ := magic.Find(p.Command.Name)
			if !info.Code || strings.HasSuffix(p.Command.Name, "timeit") {
				c.parts = append(c.parts, command)
				continue
			}
			command.text = p.Command.Name
			parts = append(parts, command)
		}
		list, err := goParts(p.Go, i == len(pieces)-1)
		if err != nil {
			c.leave(src, err)
			return
		}
		for _, part := range list {
			part.test = p.Command != nil && p.Command.Name == "%%test"
		}
		parts = append(parts, list...)
		if p.Command != nil && (p.Command.Name == "%time" || p.Command.Name == "%%time") {
			parts[0].first = true
			parts[len(parts)-1].last = true
		}
		c.parts = append(c.parts, parts...)
	}
}

// leave makes the cell a comment that contains src and the error.
func (c *cell) leave(src string, err error) {
	c.fault = err
	c.parts = []*part{{kind: notePart, cell: c, text: "Left out (" + err.Error() + "):\n\n" + src}}
}

// goParts splits Go code into parts. If last is true and the code ends with an expression, the cell shows the value of
// this expression.
func goParts(src string, last bool) (parts []*part, err error) {
	tree, err := cellsyntax.Parse(token.NewFileSet(), "cell", src)
	if err != nil {
		return nil, err
	}
	segments := cellsyntax.Segments(src)
	if len(segments) == 0 {
		if s := strings.TrimSpace(src); s != "" {
			parts = append(parts, &part{kind: stmtPart, text: s, from: len(s), to: len(s)})
		}
		return parts, nil
	}
	for i, s := range segments {
		p := &part{text: src[s.From:s.To], from: s.Start - s.From, to: s.End - s.From}
		code := p.text[p.from:p.to]
		fset := token.NewFileSet()
		head := "package p;"
		if s.Kind == cellsyntax.Stmt {
			head = "package p;func _(){"
			code += "\n}"
		}
		if s.Kind == cellsyntax.Package {
			continue
		}
		f, err := parser.ParseFile(fset, "", head+code, 0)
		if err != nil {
			return nil, err
		}
		p.base = fset.File(f.Pos()).Base() + len(head) - p.from
		switch s.Kind {
		case cellsyntax.Import:
			p.kind, p.decl = importPart, f.Decls[0]
		case cellsyntax.Decl:
			p.kind, p.decl = declPart, f.Decls[0]
			if fn, ok := p.decl.(*ast.FuncDecl); ok && fn.Body == nil {
				continue // a function without a body only documents a package, and cannot be called
			}
		default:
			body := f.Decls[0].(*ast.FuncDecl).Body.List
			if len(body) != 1 {
				continue // a lone semicolon
			}
			p.kind, p.stmt = stmtPart, body[0]
		}
		for _, id := range f.Unresolved {
			p.refs = append(p.refs, ref{off: int(id.Pos()) - p.base, name: id.Name})
		}
		p.refs = append(p.refs, keys(f, p.base)...)
		_, expression := p.stmt.(*ast.ExprStmt)
		p.shown = expression && last && i == len(segments)-1 && !tree.Silent
		parts = append(parts, p)
	}
	if tree.RunsMain() {
		call, err := goParts("main()", false) // as the kernel does for a cell that is a whole program
		return append(parts, call...), err
	}
	return parts, nil
}

// keys returns the identifiers that are keys in literals of maps, arrays and slices. The parser leaves these
// unresolved, because in other literals such an identifier may be the name of a struct's field.
func keys(f *ast.File, base int) (list []ref) {
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		switch lit.Type.(type) {
		case *ast.MapType, *ast.ArrayType:
		default:
			return true
		}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && id.Obj == nil {
					list = append(list, ref{off: int(id.Pos()) - base, name: id.Name})
				}
			}
		}
		return true
	})
	return list
}

// offset returns the offset of pos in the part's text.
func (p *part) offset(pos token.Pos) int { return int(pos) - p.base }

// sortRefs sorts the references by position.
func (p *part) sortRefs() {
	slices.SortFunc(p.refs, func(a, b ref) int { return a.off - b.off })
}

// imports returns the paths of the packages that a part imports.
func (p *part) imports() (paths []string) {
	g, ok := p.decl.(*ast.GenDecl)
	if p.kind != importPart || !ok {
		return nil
	}
	for _, spec := range g.Specs {
		if path, err := strconv.Unquote(spec.(*ast.ImportSpec).Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
