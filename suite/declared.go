package suite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcomplete/kernel/notebook"
	"overcomplete/paper/lab"
)

// A declaredExperiment is an experiment that a paper's package declares, together with the call by which a cell runs
// it.
type declaredExperiment struct {
	pkg, fun string // "overcomplete/paper/bradley2008", "LetterSearch"
	call     string // "lab.LetterSearch(1000)"
	notebook string
	name     string // "letter-search"
	target   string // "bradley-letter-search"
	slow     bool
}

// declaredExperiments returns the experiments that the papers declare.
func declaredExperiments(papers []lab.Paper) []declaredExperiment {
	var all []declaredExperiment
	for _, p := range papers {
		for _, e := range p.Experiments {
			all = append(all, declaredExperiment{pkg: p.Package(), fun: e.Func(), call: e.Call(), notebook: p.Notebook, name: e.Name, target: p.Target(e), slow: e.Slow})
		}
	}
	return all
}

// A view is a cell that only shows the result of a declared experiment, or a part of the result. The cell calls the
// experiment with the declared arguments, on a lab opened by New(size, uint64(seed)). Each such cell has its own kept
// outputs. The rows and figures are kept with the experiment, which may also have run without a notebook.
type view struct {
	*declaredExperiment
	size, seed string
	plain      bool // the cell shows the whole result, and nothing else
	// more says that the cell only shows more of the result of an earlier experiment. In that case, source holds the
	// code of both cells.
	more   bool
	source string
}

// A notKeptError explains why the result of a cell cannot be kept.
type notKeptError struct{ why string }

// Error returns the reason.
func (n *notKeptError) Error() string { return n.why }

// view returns the declared experiment that cell i shows. The argument called overrides holds values that are used
// instead of those in the notebook's parameter cell. If the cell shows no declared experiment, or if earlier cells may
// have changed the result, view returns a *notKeptError.
func (s *Suite) view(cells []*cell, i int, overrides map[string]string) (*view, error) {
	c := cells[i]
	if len(c.methods) == 0 {
		return s.viewMore(cells, i, overrides)
	}
	call, plain := calls(c)
	v := &view{plain: plain, source: c.source}
	for k := range s.experiments {
		if d := &s.experiments[k]; d.pkg == c.lab.pkg && d.call == call && len(c.methods) == 1 {
			v.declaredExperiment = d
		}
	}
	if v.declaredExperiment == nil {
		return nil, &notKeptError{"only results of declared experiments are kept, and " + s.declarationHint(c)}
	}
	open := cells[c.lab.at]
	if c.lab.given != "size, uint64(seed)" || !c.lab.plain {
		return nil, &notKeptError{fmt.Sprintf("the cell %s must only open the lab, with New(size, uint64(seed))", open.ID)}
	}
	values := map[string]string{}
	for _, b := range cells[:i] {
		switch {
		case b != open && b.selected[c.lab.pkg]["New"]: // the results would belong to the run of another lab
			return nil, &notKeptError{fmt.Sprintf("the cell %s opens another lab of %s", b.ID, path.Base(c.lab.pkg))}
		case b == open || s.isHarmless(b, c.lab):
		case b.opaque:
			return nil, &notKeptError{"it is unknown what the earlier cell " + b.ID + " does"}
		case b.literal:
			maps.Copy(values, b.values)
		case b.acts:
			return nil, &notKeptError{"the earlier cell " + b.ID + " may set a package's variable"}
		case b.mentions[c.lab.variable] || b.declares[c.lab.variable]:
			return nil, &notKeptError{fmt.Sprintf("the earlier cell %s uses %s for something other than experiments and data", b.ID, c.lab.variable)}
		case b.place < open.place && (b.mentions["size"] || b.mentions["seed"] || b.declares["size"] || b.declares["seed"]):
			return nil, &notKeptError{"the cell " + b.ID + " may change the size or the seed"}
		}
	}
	for name, text := range overrides {
		values[name] = strings.TrimPrefix(text, "=")
	}
	v.size, v.seed = values["size"], values["seed"]
	if text, err := strconv.Unquote(v.size); err == nil {
		v.size = text
	}
	if _, err := strconv.ParseUint(v.seed, 10, 64); err != nil || v.size == "" {
		return nil, &notKeptError{"the size or the seed is not a literal value"}
	}
	return v, nil
}

// viewMore is like view for a cell that only shows more of the result of an earlier experiment.
func (s *Suite) viewMore(cells []*cell, i int, set map[string]string) (*view, error) {
	c := cells[i]
	for j := i - 1; j >= 0; j-- {
		b := cells[j]
		if !intersect(b.declares, c.mentions) && !intersect(b.mentions, c.mentions) {
			continue
		}
		if b.isExperiment() && len(b.methods) > 0 && intersect(b.declares, c.mentions) {
			v, err := s.view(cells, j, set)
			if err != nil {
				return nil, err
			}
			for name := range c.mentions {
				if !b.declares[name] && name != "display" {
					return nil, &notKeptError{"it uses " + name + " too"}
				}
			}
			v.more, v.plain, v.source = true, false, b.source+c.source
			return v, nil
		}
		if !b.isExperiment() {
			return nil, &notKeptError{"the earlier cell " + b.ID + " may change what this cell shows"}
		}
	}
	return nil, &notKeptError{"it is unknown which experiment the cell shows"}
}

// isHarmless reports whether a cell uses a lab only to call declared experiments and to copy the lab's data.
func (s *Suite) isHarmless(c *cell, lab *opening) bool {
	if c.opaque || c.acts || c.declares[lab.variable] || !c.mentions[lab.variable] {
		return false
	}
	allowed := func(method string) bool {
		return slices.Contains(s.data[lab.pkg], method) || slices.ContainsFunc(s.experiments, func(d declaredExperiment) bool { return d.pkg == lab.pkg && d.fun == method })
	}
	calls := 0
	for _, n := range c.nodes() {
		ast.Inspect(n, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && allowed(f.Sel.Name) {
					if id, ok := f.X.(*ast.Ident); ok && id.Name == lab.variable {
						calls++
					}
				}
			}
			return true
		})
	}
	return calls == c.occurrences(lab.variable)
}

// declarationHint returns a message for a cell whose call differs from every declaration. The message quotes
// the declared call to the same method, or says that the method is not declared.
func (s *Suite) declarationHint(c *cell) string {
	for _, d := range s.experiments {
		if d.pkg == c.lab.pkg && slices.Contains(c.methods, d.fun) {
			return "the declaration is " + d.call
		}
	}
	return path.Base(c.lab.pkg) + " does not declare " + strings.Join(c.methods, ", ")
}

// calls extracts the call to a method in the experiment's cell c, such as "lab.LetterSearch(1000)". plain reports
// whether the cell does nothing but show the whole result of that call.
func calls(c *cell) (call string, plain bool) {
	var found ast.Expr
	ast.Inspect(&ast.BlockStmt{List: c.tree.Stmts}, func(n ast.Node) bool {
		x, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := x.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == c.methods[0] {
			if id, ok := f.X.(*ast.Ident); ok && id.Name == c.lab.variable {
				found, call = x, "lab."+f.Sel.Name+"("+joinExprs(x.Args)+")"
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

// joinExprs prints expressions as a list with commas.
func joinExprs(list []ast.Expr) string {
	texts := make([]string, len(list))
	for i, e := range list {
		var b bytes.Buffer
		printer.Fprint(&b, token.NewFileSet(), e) // printing a parsed expression cannot fail
		texts[i] = b.String()
	}
	return strings.Join(texts, ", ")
}

// inputs returns the inputs of a declared experiment.
func (s *Suite) inputs(d *declaredExperiment, size, seed string) (Inputs, error) {
	in := Inputs{Source: d.call, Parameters: map[string]string{"size": size, "seed": seed}, Platform: platform()}
	code, err := s.code()
	if err != nil {
		return in, err
	}
	r, err := code.Reach(d.pkg+".Lab."+d.fun, d.pkg+".New", rendering)
	if err != nil {
		return in, err
	}
	in.Code, in.Modules = r.Parts, r.Modules
	in.Kernel, err = s.kernel(map[string]bool{d.pkg: true})
	return in, err
}

// placeOf returns the folder in the store for a declared experiment's results. It is the same whether the experiment
// runs with or without a notebook.
func (s *Suite) placeOf(d *declaredExperiment, in Inputs) string {
	return s.store.place(path.Base(d.pkg), d.name, in.Parameters)
}

// Views returns the names of the declared experiments that share their results with cells of the notebook.
func (s *Suite) Views(path string) ([]string, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return nil, err
	}
	var names []string
	cells := read(nb)
	for i := range cells {
		if !cells[i].isExperiment() {
			continue
		}
		if v, err := s.view(cells, i, nil); err == nil && !v.more {
			names = append(names, v.target)
		}
	}
	return names, nil
}
