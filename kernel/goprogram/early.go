package goprogram

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"overcomplete/kernel/internal/apidoc"
)

// A session sets the variables of a notebook while its cells run, and the program does so in main. But tests run without
// main, and a Go programmer expects errors and tables at package level. So two kinds of variables are set early, before
// main: those that only the functions of %%test cells use, such as a table of cases; and those that only functions use,
// if their value is the same at any time, such as an error. In both cases the value must not need other variables, and
// the variables must be declared only once.

// declareEarly marks the declarations of the variables that are set early.
func (n *names) declareEarly(cells []*cell) {
	users := map[*entity][]*part{}
	again := map[*entity]bool{} // variables that are declared more than once
	anyTime := map[*part]bool{}
	var list []*part
	for _, c := range cells {
		for _, p := range c.parts {
			for _, r := range p.refs {
				if !slices.Contains(p.declares, r.ent) {
					users[r.ent] = append(users[r.ent], p)
				}
			}
			for _, v := range p.declares {
				if v.before != nil {
					again[v], again[v.before] = true, true
				}
			}
			if p.kind == stmtPart && declaresVars(p) && !c.params && !c.guarded() && !p.first && len(p.declares) > 0 {
				p.early, anyTime[p] = true, timeless(p)
				list = append(list, p)
			}
		}
	}
	fits := func(p *part) bool {
		used := false
		for _, v := range p.declares {
			if again[v] || slices.ContainsFunc(users[v], func(u *part) bool { return !u.early && !u.isTest() && (u.kind != declPart || !anyTime[p]) }) {
				return false
			}
			used = used || len(users[v]) > 0
		}
		return used && len(n.needed(p)) == 0
	}
	for changed := true; changed; {
		changed = false
		for _, p := range list {
			if p.early && !fits(p) {
				p.early, changed = false, true
			}
		}
	}
}

// isTest reports whether p is a function of a %%test cell.
func (p *part) isTest() bool {
	fn, ok := p.decl.(*ast.FuncDecl)
	return ok && p.test && fn.Recv == nil
}

// needed returns the names of the variables that p needs and that main sets: in its own code, in functions that it may
// call, and in methods of types that it mentions.
func (n *names) needed(p *part) (list []string) {
	seen := map[*part]bool{}
	var visit func(p *part)
	visit = func(p *part) {
		if p == nil || seen[p] {
			return
		}
		seen[p] = true
		for _, r := range p.refs {
			switch v := r.ent.canonical(); {
			case slices.Contains(p.declares, r.ent):
			case v.vari && !v.part.early:
				if !slices.Contains(list, v.out) {
					list = append(list, v.out)
				}
			case v.typ:
				for key, method := range n.methods {
					if strings.HasPrefix(key, v.out+".") {
						visit(method)
					}
				}
				fallthrough
			default:
				visit(v.part)
			}
		}
	}
	visit(p)
	slices.Sort(list)
	return list
}

// timeless reports whether the values of a declaration of variables are the same whenever they are computed: literals,
// and calls to a few functions that depend on nothing else.
func timeless(p *part) bool {
	ok := true
	entityOf := func(id *ast.Ident) *entity {
		at := p.offset(id.Pos())
		if i := slices.IndexFunc(p.refs, func(r ref) bool { return r.off == at }); i >= 0 {
			return p.refs[i].ent
		}
		return nil
	}
	// packageOf returns the import path of the package if s selects a member of a package, or "".
	packageOf := func(s *ast.SelectorExpr) string {
		if x, ok := s.X.(*ast.Ident); ok {
			if e := entityOf(x); e != nil {
				return e.path
			}
		}
		return ""
	}
	isTimeless := func(fun ast.Expr) bool {
		switch f := ast.Unparen(fun).(type) {
		case *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.InterfaceType:
			return true // conversions
		case *ast.Ident:
			if e := entityOf(f); e != nil {
				return e.typ
			}
			_, isType := types.Universe.Lookup(f.Name).(*types.TypeName)
			return isType || slices.Contains([]string{"make", "new", "len", "cap", "complex", "real", "imag", "min", "max", "append"}, f.Name)
		case *ast.SelectorExpr:
			path := packageOf(f)
			_, isType := objectOf(path, f.Sel.Name).(*types.TypeName)
			return isType || slices.Contains(timelessFuncs, path+"."+f.Sel.Name)
		}
		return false
	}
	for _, spec := range p.stmt.(*ast.DeclStmt).Decl.(*ast.GenDecl).Specs {
		for _, v := range spec.(*ast.ValueSpec).Values {
			ast.Inspect(v, func(x ast.Node) bool {
				switch x := x.(type) {
				case *ast.FuncLit:
					return false // its body runs later
				case *ast.CallExpr:
					ok = ok && isTimeless(x.Fun)
				case *ast.UnaryExpr:
					ok = ok && x.Op != token.ARROW
				case *ast.SelectorExpr:
					if path := packageOf(x); path != "" { // a package's variable may change
						switch objectOf(path, x.Sel.Name).(type) {
						case *types.Const, *types.Func, *types.TypeName:
						default:
							ok = false
						}
					}
				case *ast.Ident:
					e := entityOf(x)
					ok = ok && (e == nil || !e.vari || slices.Contains(p.declares, e))
				}
				return ok
			})
		}
	}
	return ok
}

// objectOf returns a declaration of a package that comes with the kernel, or nil.
func objectOf(path, name string) types.Object {
	if pkg := apidoc.Types(path); pkg != nil {
		return pkg.Scope().Lookup(name)
	}
	return nil
}

// timelessFuncs lists functions whose results depend on their arguments alone.
var timelessFuncs = []string{
	"errors.New", "fmt.Errorf", "fmt.Sprintf", "math/big.NewFloat", "math/big.NewInt", "math/big.NewRat", "regexp.MustCompile",
	"strings.NewReplacer", "strings.Repeat", "strings.Split", "time.Date", "gonum.org/v1/gonum/mat.NewDense", "gonum.org/v1/gonum/mat.NewVecDense",
}
