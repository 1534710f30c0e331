package goprogram

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/module"
)

// An emitter writes a notebook's parts as a Go file.
type emitter struct {
	*names
	cells []*cell
	opt   Options
	// importsOurs is set if the program imports packages of this project.
	importsOurs bool
	intro       []string // the text before all code, which becomes the package comment

	// sketch is set for the first version of a program, in which only the types of the variables matter. In it, all
	// variables are declared at package level, so that their order does not matter, and no values are printed.
	sketch bool
	// forms holds the way to print the value of each part.
	forms map[*part]form
	// unused holds the unused variables of each part.
	unused map[*part]map[string]bool

	used    map[*entity]bool // imported packages
	decls   strings.Builder
	body    strings.Builder
	helpers map[string]string // helper functions, used by commands
	clock   string            // the variable that holds the start time of %time
	spans   []span
	source  string
}

// A span is the position of a part in the source of the program.
type span struct {
	part       *part
	from, to   int
	expression int // start of the expression, for an expression statement
	inBody     bool
}

// emit returns the source of the program, and records where each part is in it.
func (e *emitter) emit() string {
	e.used, e.helpers, e.spans, e.clock = map[*entity]bool{}, map[string]string{}, nil, ""
	e.decls.Reset()
	e.body.Reset()
	for _, c := range e.cells {
		e.cell(c)
	}
	hoisted := e.hoisted()
	products := ""
	if e.importsOurs {
		products = e.pkg(gemmPath) + ".Use() // products of matrices as in the notebook\n"
	}
	figures := e.figures()
	var out strings.Builder
	out.WriteString(e.opt.title())
	for _, t := range e.intro {
		out.WriteString("//\n" + comment(t, 100))
	}
	out.WriteString("package " + e.opt.packageName() + "\n\n" + e.importList() + "\n" + hoisted)
	declsAt := out.Len()
	out.WriteString(e.decls.String())
	out.WriteString("\n" + e.head() + " {\n" + products + figures)
	bodyAt := out.Len()
	out.WriteString(e.body.String())
	out.WriteString("}\n")
	for _, name := range slices.Sorted(maps.Keys(e.helpers)) {
		out.WriteString("\n" + e.helpers[name] + "\n")
	}
	for i := range e.spans {
		at := declsAt
		if e.spans[i].inBody {
			at = bodyAt
		}
		e.spans[i].from += at
		e.spans[i].to += at
		e.spans[i].expression += at
	}
	e.source = out.String()
	return e.source
}

// head returns the first line of the function that contains the statements, main or Run.
func (e *emitter) head() string {
	if e.opt.Package == "" {
		return "func main()"
	}
	var params []string
	for _, c := range e.cells {
		for _, p := range c.parts {
			if e.parameter(p) {
				v := p.declares[0]
				params = append(params, v.canonical().out+" "+v.typed.String())
			}
		}
	}
	return "// Run runs the notebook's cells.\nfunc Run(" + strings.Join(params, ", ") + ")"
}

// figures returns the statements that define the flag -figures. It returns "" if the program never uses package
// display, or if a package is written instead of a program.
func (e *emitter) figures() string {
	if e.opt.Package != "" || !slices.ContainsFunc(e.imports, func(i *entity) bool { return i.path == displayPath && e.used[i] }) {
		return ""
	}
	code := fmt.Sprintf("%s.Func(\"figures\", \"a folder to write pictures to\", %s.SaveFigures)\n", e.pkg("flag"), e.pkg(displayPath))
	if !slices.ContainsFunc(e.cells, func(c *cell) bool { return slices.ContainsFunc(c.parts, e.parameter) }) {
		code += e.pkg("flag") + ".Parse()\n" // else the flags are parsed where the parameters are
	}
	return code
}

// parameter reports whether a part declares exactly one parameter, of a type that package flag supports.
func (e *emitter) parameter(p *part) bool {
	return p.cell.params && p.kind == stmtPart && len(p.declares) == 1 && p.declares[0].vari && p.declares[0].before == nil && flagOf(p.declares[0].typed) != ""
}

// importList returns the import declaration, with the standard library first, then other modules, then this project's
// packages.
func (e *emitter) importList() string {
	var groups [3][]string
	for _, i := range e.imports {
		if !e.used[i] && i.out != "." && i.out != "_" {
			continue
		}
		line := strconv.Quote(i.path)
		if i.out != e.packages(i.path) {
			line = i.out + " " + line
		}
		group := 0
		if module.Has(i.path) {
			group = 2
		} else if dotted(i.path) {
			group = 1
		}
		groups[group] = append(groups[group], line)
	}
	var out strings.Builder
	for _, g := range groups {
		if len(g) > 0 {
			out.WriteString("\n" + strings.Join(g, "\n") + "\n")
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return "import (" + out.String() + ")\n"
}

// pkg adds a package to the imports if necessary, and returns the name by which the program uses it.
func (e *emitter) pkg(path string) string {
	i := e.use(path)
	e.used[i] = true
	return i.out
}

// cell writes a cell.
func (e *emitter) cell(c *cell) {
	c.statement = slices.ContainsFunc(c.parts, func(p *part) bool {
		return p.kind == stmtPart && !p.early || p.kind == commandPart && !silent[p.command.Name]
	})
	if c.statement && !c.headed && !e.sketch {
		e.gap()
		fmt.Fprintf(&e.body, "// Cell %d.\n", c.number)
	}
	guarded := c.guarded() && c.statement && !e.sketch
	if guarded {
		e.clock = ""
		e.open(c)
	}
	for _, p := range c.parts {
		if p.kind == declPart || p.early {
			if !p.dropped {
				e.decl(p)
			}
			continue
		}
		if p.first && !e.sketch {
			e.begin()
		}
		switch p.kind {
		case textPart, notePart:
			if !e.sketch {
				e.gap()
				e.body.WriteString(comment(p.text, 90))
			}
		case commandPart:
			if !e.sketch {
				e.command(p)
			}
		case stmtPart:
			e.stmt(p)
		}
		if p.last && !e.sketch {
			e.end()
		}
	}
	if guarded {
		e.close(c)
	}
	if c.params && !e.sketch && e.opt.Package == "" {
		e.flags(c)
	}
}

// gap writes an empty line, except at the beginning.
func (e *emitter) gap() {
	if e.body.Len() > 0 {
		e.body.WriteByte('\n')
	}
}

// open writes what comes before the statements of a cell that need braces or a function of their own (see guarded).
func (e *emitter) open(c *cell) {
	switch v := e.solutions(); {
	case c.raises:
		fmt.Fprintf(&e.body, "func() { // the notebook expects this code to fail\ndefer func() { %s.Println(\"panic:\", recover()) }()\n", e.pkg("fmt"))
	case c.solution && v != nil:
		fmt.Fprintf(&e.body, "if %s {\n", v.canonical().out)
	case c.solution:
		e.body.WriteString("{ // a solution\n")
	}
	if c.defers && !c.raises {
		e.body.WriteString("func() { // the cell's deferred calls run at its end\n")
	}
}

func (e *emitter) close(c *cell) {
	if c.raises || c.defers {
		e.body.WriteString("}()\n")
	}
	if c.solution && !c.raises {
		e.body.WriteString("}\n")
	}
	e.clock = "" // the clock's scope ended with the braces
}

// solutions returns the notebook's parameter named solutions, which enables the solution cells, or nil if the notebook
// has no such parameter.
func (e *emitter) solutions() *entity {
	for _, v := range e.all {
		if v.name == "solutions" && v.vari && v.param {
			return v
		}
	}
	return nil
}

// decl writes a declaration.
func (e *emitter) decl(p *part) {
	from := e.decls.Len()
	e.decls.WriteString("\n" + strings.TrimSpace(e.renamed(p, 0, len(p.text))) + "\n")
	e.spans = append(e.spans, span{part: p, from: from, to: e.decls.Len()})
}

// renamed returns p.text[from:to], with the program's names instead of the notebook's.
func (e *emitter) renamed(p *part, from, to int) string {
	var out strings.Builder
	at := from
	for _, r := range p.refs {
		if r.off < at || r.off >= to {
			continue
		}
		out.WriteString(p.text[at:r.off])
		out.WriteString(r.ent.canonical().out)
		at = r.off + len(r.name)
		if r.ent.path != "" {
			e.used[r.ent] = true
		}
	}
	out.WriteString(p.text[at:to])
	return out.String()
}

// stmt writes a statement.
func (e *emitter) stmt(p *part) {
	b := &e.body
	if p.stmt == nil {
		if !e.sketch {
			b.WriteString(p.text + "\n")
		}
		return
	}
	if e.sketch && len(p.declares) > 0 {
		b = &e.decls
	}
	if e.opt.Package != "" && !e.sketch && e.parameter(p) {
		return // the variable is a parameter of Run
	}
	lead := leadIn(p.text[:p.from])
	tail := strings.TrimRight(strings.TrimPrefix(strings.TrimLeft(p.text[p.to:], " \t"), ";"), " \t\n")
	s := span{part: p, from: b.Len(), inBody: b == &e.body}
	if !e.sketch {
		b.WriteString(lead)
	}
	code := e.renamed(p, p.from, p.to)
	s.expression = b.Len()
	switch x := p.stmt.(type) {
	case *ast.AssignStmt:
		if x.Tok == token.DEFINE {
			at := p.offset(x.TokPos)
			left, right := e.renamed(p, p.from, at), e.renamed(p, at+len(":="), p.to)
			switch {
			case e.sketch && len(p.declares) > 0:
				code = "var " + left + "=" + right
			case !slices.ContainsFunc(p.declares, func(v *entity) bool { return v.same == nil && !v.canonical().hoist }):
				code = left + "=" + right
			}
		}
	case *ast.DeclStmt:
		if !e.sketch && slices.ContainsFunc(p.declares, func(v *entity) bool { return v.canonical().hoist || v.same != nil }) {
			code = e.asAssignments(p, x.Decl.(*ast.GenDecl))
		}
	case *ast.ExprStmt:
		if !e.sketch {
			code = e.expression(p, x.X, code)
		}
	}
	if p.first && e.sketch {
		tail = ""
	}
	b.WriteString(code)
	if tail != "" && !e.sketch {
		if strings.HasPrefix(tail, "\n") {
			b.WriteString("\n" + tail)
		} else {
			b.WriteString(" " + tail)
		}
	}
	b.WriteString("\n")
	s.to = b.Len()
	e.spans = append(e.spans, s)
	for _, name := range slices.Sorted(maps.Keys(e.unused[p])) {
		fmt.Fprintf(b, "_ = %s\n", name)
	}
}

// leadIn returns the text to write before a statement of the program. The parameter s is the text before the
// statement in its cell. leadIn returns the comments in s, with at most one empty line before and after them.
func leadIn(s string) string {
	text := strings.Trim(s, " \t\r\n;")
	before := ""
	if i := strings.Index(s, text); strings.Count(s[:i], "\n") > 1 {
		before = "\n"
	}
	if text == "" {
		return before
	}
	return before + text + "\n" + strings.Repeat("\n", max(0, min(2, strings.Count(s[strings.Index(s, text)+len(text):], "\n"))-1))
}

// asAssignments returns a variable declaration as assignments, because the program declares the variables elsewhere.
func (e *emitter) asAssignments(p *part, g *ast.GenDecl) string {
	var lines []string
	text := func(from, to token.Pos) string { return e.renamed(p, p.offset(from), p.offset(to)) }
	for _, spec := range g.Specs {
		s := spec.(*ast.ValueSpec)
		left := text(s.Names[0].Pos(), s.Names[len(s.Names)-1].End())
		switch {
		case len(s.Values) > 0:
			lines = append(lines, left+" = "+text(s.Values[0].Pos(), s.Values[len(s.Values)-1].End()))
		default:
			for _, id := range s.Names {
				i := slices.IndexFunc(p.declares, func(v *entity) bool { return v.name == id.Name })
				if i >= 0 && p.declares[i].same != nil {
					lines = append(lines, p.declares[i].canonical().out+" = "+zero(p.declares[i].typed, text(s.Type.Pos(), s.Type.End())))
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

// zero returns the zero value of the type t as Go source. text is the type as written in the program.
func zero(t types.Type, text string) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return "nil"
	case *types.Struct, *types.Array:
		return text + "{}"
	}
	return "*new(" + text + ")"
}

// hoisted returns the declarations of the package variables.
func (e *emitter) hoisted() string {
	if e.sketch {
		return ""
	}
	var lines []string
	for _, v := range e.all {
		if v.vari && v.same == nil && v.hoist && v.typed != nil && !v.part.early {
			lines = append(lines, v.out+" "+e.typeText(v.typed))
		}
	}
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return "\n// Shared by functions, or by parts of " + e.opt.function() + ".\nvar " + lines[0] + "\n"
	}
	return "\n// Shared by functions, or by parts of " + e.opt.function() + ".\nvar (\n" + strings.Join(lines, "\n") + "\n)\n"
}
