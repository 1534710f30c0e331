package suite

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"path"
	"strconv"
	"strings"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
)

// A view is a cell that does no more than call a declared experiment, with the arguments that are
// declared, of a lab that was opened as usual, and show what it returns or a part of it. What it
// shows is its own; its rows and figures are those of the experiment that runs without a notebook.
type view struct {
	paper      lab.Paper
	experiment lab.Experiment
	size, seed string
	plain      bool // it shows what the experiment returns, and nothing else
}

// view returns nil if cell i is none. set are parameters.
func (s *Suite) view(cells []*cell, i int, set map[string]string) *view {
	c := cells[i]
	if !c.experiment() || len(c.methods) != 1 || c.outside != "" {
		return nil
	}
	open := cells[c.lab.at]
	if c.lab.given != "size, uint64(seed)" || open.outside != "" || open.acts || open.changes[c.lab.variable] {
		return nil
	}
	values := map[string]string{}
	for _, j := range needs(cells, i) {
		if j != c.lab.at && !cells[j].literal {
			return nil
		}
		for name, v := range cells[j].values {
			values[name] = v
		}
	}
	for name, v := range set {
		values[name] = strings.TrimPrefix(v, "=")
	}
	v := &view{size: values["size"], seed: values["seed"]}
	if text, err := strconv.Unquote(v.size); err == nil {
		v.size = text
	}
	if _, err := strconv.ParseUint(v.seed, 10, 64); err != nil || v.size == "" {
		return nil
	}
	call, plain := calls(c)
	v.plain = plain
	for _, p := range s.papers {
		if p.Package() != c.lab.pkg {
			continue
		}
		for _, e := range p.Experiments {
			if e.Call() == call {
				v.paper, v.experiment = p, e
				return v
			}
		}
	}
	return nil
}

// calls is the call of its lab's method in an experiment's cell, "lab.LetterSearch(1000)", and whether
// the cell shows what that returns and nothing else.
func calls(c *cell) (call string, plain bool) {
	var found ast.Expr
	ast.Inspect(&ast.BlockStmt{List: c.tree.Stmts}, func(n ast.Node) bool {
		x, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := x.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == c.methods[0] {
			if id, ok := f.X.(*ast.Ident); ok && id.Name == c.lab.variable {
				found, call = x, "lab."+f.Sel.Name+"("+listed(x.Args)+")"
			}
		}
		return true
	})
	shown := c.tree.Stmts[len(c.tree.Stmts)-1]
	s, ok := shown.(*ast.ExprStmt)
	if !ok {
		return call, false
	}
	if len(c.tree.Stmts) == 1 {
		return call, s.X == found
	}
	a, ok := c.tree.Stmts[0].(*ast.AssignStmt) // table2 := lab.Table2(); table2
	if !ok || len(c.tree.Stmts) != 2 || len(a.Lhs) != 1 || a.Rhs[0] != found {
		return call, false
	}
	left, ok := a.Lhs[0].(*ast.Ident)
	right, ok2 := s.X.(*ast.Ident)
	return call, ok && ok2 && left.Name == right.Name
}

// listed writes expressions with commas between them.
func listed(list []ast.Expr) string {
	texts := make([]string, len(list))
	for i, e := range list {
		var b bytes.Buffer
		printer.Fprint(&b, token.NewFileSet(), e) // what was parsed can be printed
		texts[i] = b.String()
	}
	return strings.Join(texts, ", ")
}

// declared is what a declared experiment depends on.
func (s *Suite) declared(p lab.Paper, e lab.Experiment, size, seed string) (Inputs, error) {
	in := Inputs{Source: e.Call(), Parameters: map[string]string{"size": size, "seed": seed}, Platform: platform()}
	code, err := s.code()
	if err != nil {
		return in, err
	}
	r, err := code.Reach(p.Package()+".Lab."+e.Func(), p.Package()+".New", rendering)
	if err != nil {
		return in, err
	}
	in.Code, in.Modules = r.Parts, r.Modules
	in.Kernel, err = s.kernel(map[string]bool{p.Package(): true})
	return in, err
}

// placeOf is where the results of a declared experiment are kept, whoever has measured them.
func (s *Suite) placeOf(p lab.Paper, e lab.Experiment, in Inputs) string {
	return s.store.place(path.Base(p.Package()), e.Name, in.Parameters)
}

// Views returns the names of the declared experiments whose results cells of the notebook share.
func (s *Suite) Views(path string) ([]string, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return nil, err
	}
	var names []string
	cells := read(nb)
	for i := range cells {
		if v := s.view(cells, i, nil); v != nil {
			names = append(names, v.paper.Target(v.experiment))
		}
	}
	return names, nil
}
