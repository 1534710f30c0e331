package goprogram

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/internal/apidoc"
)

// checkResult is the result of type-checking a program.
type checkResult struct {
	fset   *token.FileSet
	file   *ast.File
	pkg    *types.Package
	info   *types.Info
	faults []types.Error
}

// check type-checks a program. Type errors are in the result and not in the error, because only the caller knows which
// ones matter.
func check(source string, from types.Importer) (*checkResult, error) {
	c := &checkResult{fset: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	var err error
	if c.file, err = parser.ParseFile(c.fset, "main.go", source, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	conf := types.Config{Importer: from, Error: func(err error) {
		if f, ok := err.(types.Error); ok {
			c.faults = append(c.faults, f)
		}
	}}
	c.pkg, _ = conf.Check("main", c.fset, []*ast.File{c.file}, c.info)
	return c, nil
}

// offset returns the offset of a position in the source.
func (c *checkResult) offset(pos token.Pos) int { return c.fset.Position(pos).Offset }

// An importer is a function that implements types.Importer.
type importer func(path string) (*types.Package, error)

// Import imports a package.
func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// builtIn imports the packages that are compiled into this program.
var builtIn = importer(func(path string) (*types.Package, error) {
	if p := apidoc.Types(path); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not known", path)
})

// isBuiltIn reports whether this program contains the types of all packages with the given paths.
func isBuiltIn(paths []string) bool {
	return !slices.ContainsFunc(paths, func(p string) bool {
		_, ok := apidoc.Lookup(p)
		return !ok && p != "unsafe" && p != "C"
	})
}

// loaded loads packages with the go command, in the versions that m gives. It returns an importer of the packages'
// types, the packages' names by path, and m as completed by the go command. If fetch is false, the go command downloads
// nothing.
func loaded(paths []string, m Module, fetch bool) (from types.Importer, names map[string]string, resolved Module, err error) {
	dir, err := os.MkdirTemp("", "overcomplete-program")
	if err != nil {
		return nil, nil, m, err
	}
	defer os.RemoveAll(dir)
	if err := m.write(dir); err != nil {
		return nil, nil, m, err
	}
	var source strings.Builder
	source.WriteString("package main\n\nimport (\n")
	for _, p := range paths {
		fmt.Fprintf(&source, "_ %q\n", p)
	}
	source.WriteString(")\n\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source.String()), 0o600); err != nil {
		return nil, nil, m, err
	}
	// These are the flags with which make builds, so in a checkout all packages are already compiled.
	env := append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOWORK=off")
	if !fetch {
		env = append(env, "GOPROXY=off", "GONOPROXY=none", "GOVCS=*:off")
	}
	list, err := packages.Load(&packages.Config{
		Dir: dir, Env: env,
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps,
	}, append([]string{"."}, paths...)...)
	if err != nil {
		return nil, nil, m, err
	}
	found, names := map[string]*types.Package{}, map[string]string{}
	var faults []string
	packages.Visit(list, nil, func(p *packages.Package) {
		found[p.PkgPath], names[p.PkgPath] = p.Types, p.Name
		for _, f := range p.Errors {
			faults = append(faults, f.Error())
		}
	})
	if len(faults) > 0 {
		hint := ""
		if !fetch {
			hint = "; it was not let download anything, which --modules allows"
		}
		return nil, nil, m, fmt.Errorf("the go command cannot load what the notebook imports: %s%s", strings.Join(faults, "; "), hint)
	}
	if resolved.Mod, err = os.ReadFile(filepath.Join(dir, "go.mod")); err != nil {
		return nil, nil, m, err
	}
	if resolved.Sum, err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil {
		return nil, nil, m, err
	}
	return importer(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		if p := found[path]; p != nil {
			return p, nil
		}
		if p := apidoc.Types(path); p != nil { // a package added by goprogram: fmt, flag and so on
			return p, nil
		}
		return nil, fmt.Errorf("package %s is not known", path)
	}), names, resolved, nil
}

// settle takes the types of variables from the check of a sketch, finds the variables that are redeclared with the
// same type, and decides how values are printed.
func (e *emitter) settle(c *checkResult) {
	for _, v := range e.all {
		if !v.vari {
			continue
		}
		if o := c.pkg.Scope().Lookup(v.out); o != nil {
			v.typed = o.Type()
		}
	}
	for _, v := range e.all {
		old := v.before
		if old == nil || old.typed == nil || v.typed == nil || !types.Identical(old.typed, v.typed) || types.Identical(v.typed, types.Typ[types.Invalid]) {
			continue
		}
		if home := old.canonical().part.cell; home.guarded() && home != v.part.cell && !old.canonical().hoist {
			continue // the variable's scope ends with the cell
		}
		v.same = old.canonical()
		v.same.hoist = v.same.hoist || v.hoist
	}
	e.hoistTogether(e.cells)
	e.renumber()
	byPlace := map[int]*part{}
	for _, s := range e.spans {
		if s.inBody {
			byPlace[s.expression] = s.part
		}
	}
	ast.Inspect(c.file, func(n ast.Node) bool {
		if x, ok := n.(*ast.ExprStmt); ok {
			if p := byPlace[c.offset(x.Pos())]; p != nil {
				if _, ok := p.stmt.(*ast.ExprStmt); ok {
					e.forms[p] = e.form(c, p, x.X)
				}
			}
		}
		return true
	})
}

// partAt returns the part at an offset in the source, or nil if there is none.
func (e *emitter) partAt(offset int) *part {
	for _, s := range e.spans {
		if s.from <= offset && offset < s.to {
			return s.part
		}
	}
	return nil
}

// unusedVariable matches the type checker's message about an unused variable; the second form is for the variable of a
// type switch.
var unusedVariable = regexp.MustCompile(`^(?:declared and not used: (\S+)|(\S+) declared and not used)$`)

// unusedIn returns the name of the variable that f reports as unused, if any.
func unusedIn(f types.Error) (name string, ok bool) {
	m := unusedVariable.FindStringSubmatch(f.Msg)
	if m == nil {
		return "", false
	}
	return m[1] + m[2], true
}

// useAll records the variables that the type checker reports as unused, and reports whether it has found new ones. The
// program then gets assignments such as _ = x, because Go rejects unused variables.
func (e *emitter) useAll(c *checkResult) (more bool) {
	for _, f := range c.faults {
		name, ok := unusedIn(f)
		p := e.partAt(c.offset(f.Pos))
		if !ok || p == nil || e.unused[p][name] || !slices.ContainsFunc(p.declares, func(v *entity) bool { return v.canonical().out == name }) {
			continue
		}
		if e.unused[p] == nil {
			e.unused[p] = map[string]bool{}
		}
		e.unused[p][name] = true
		more = true
	}
	return more
}

// useLocals inserts an assignment such as _ = x for each variable that is declared inside a block and that the type
// checker reports as unused. It returns the new source and the faults that are left.
func (c *checkResult) useLocals(source string) (string, []types.Error) {
	type insertion struct {
		at   int
		text string
	}
	var uses []insertion
	var faults []types.Error
	for _, f := range c.faults {
		name, unused := unusedIn(f)
		if unused {
			path, _ := astutil.PathEnclosingInterval(c.file, f.Pos, f.Pos)
			if at, where := placeOfUse(path); at.IsValid() {
				u := insertion{c.offset(at), fmt.Sprintf(where, name)}
				if where == inNewClause && len(uses) > 0 && uses[len(uses)-1].at == u.at { // switch x, y := 1, 2; {}
					u.text = fmt.Sprintf(inBlock, name)
				}
				uses = append(uses, u)
				continue
			}
		}
		faults = append(faults, f)
	}
	slices.SortStableFunc(uses, func(a, b insertion) int { return a.at - b.at })
	var out strings.Builder
	at := 0
	for _, u := range uses {
		out.WriteString(source[at:u.at] + u.text)
		at = u.at
	}
	return out.String() + source[at:], faults
}

// The forms of statements that use a variable, by the place at which they are inserted.
const (
	afterStatement = "; _ = %s"
	inBlock        = " _ = %s;" // at the beginning of a list of statements
	inNewClause    = " default: _ = %s;"
)

// placeOfUse returns a position at which a statement can use the variable whose declaration is enclosed by the nodes in
// path, the innermost first, and the form of this statement. The position is invalid if there is none.
func placeOfUse(path []ast.Node) (pos token.Pos, form string) {
	inClause := func(b *ast.BlockStmt) (token.Pos, string) {
		if len(b.List) == 0 {
			return b.Lbrace + 1, inNewClause
		}
		return b.List[0].(*ast.CaseClause).Colon + 1, inBlock
	}
	for i, n := range path[:len(path)-1] {
		st, ok := n.(ast.Stmt)
		if !ok {
			continue
		}
		switch in := path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.LabeledStmt:
			if r, ok := st.(*ast.RangeStmt); ok {
				return r.Body.Lbrace + 1, inBlock
			}
			return st.End(), afterStatement
		case *ast.CommClause:
			if in.Comm == st {
				return in.Colon + 1, inBlock
			}
			return st.End(), afterStatement
		case *ast.IfStmt:
			return in.Body.Lbrace + 1, inBlock
		case *ast.ForStmt:
			return in.Body.Lbrace + 1, inBlock
		case *ast.SwitchStmt:
			return inClause(in.Body)
		case *ast.TypeSwitchStmt:
			return inClause(in.Body)
		}
	}
	return token.NoPos, ""
}

// typeText returns a type as written in the program.
func (e *emitter) typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		return e.pkg(p.Path())
	})
}
