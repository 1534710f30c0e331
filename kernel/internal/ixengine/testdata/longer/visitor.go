package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"sort"
	"strings"
)

// Trees with visitors: double dispatch, embedding and promotion, interfaces in interfaces, closures as visitors; go/ast.

type Visitor interface {
	VisitNum(*Num) any
	VisitBin(*Bin) any
	VisitLet(*Let) any
	VisitVar(*Var) any
}

type Node interface {
	Accept(Visitor) any
	fmt.Stringer
}

type pos struct{ line, col int }

func (p pos) Pos() string { return fmt.Sprintf("%d:%d", p.line, p.col) }
func (p *pos) move(n int) { p.col += n }

type Num struct {
	pos
	Val int
}
type Bin struct {
	pos
	Op   byte
	L, R Node
}
type Let struct {
	pos
	Name string
	X, B Node
}
type Var struct {
	*pos
	Name string
}

func (n *Num) Accept(v Visitor) any { return v.VisitNum(n) }
func (n *Bin) Accept(v Visitor) any { return v.VisitBin(n) }
func (n *Let) Accept(v Visitor) any { return v.VisitLet(n) }
func (n *Var) Accept(v Visitor) any { return v.VisitVar(n) }

func (n *Num) String() string { return fmt.Sprint(n.Val) }
func (n *Bin) String() string { return fmt.Sprintf("(%v %c %v)", n.L, n.Op, n.R) }
func (n *Let) String() string { return fmt.Sprintf("let %s=%v in %v", n.Name, n.X, n.B) }
func (n *Var) String() string { return n.Name }

type base struct{ depth, most int }

func (b *base) enter() func() {
	b.depth++
	b.most = max(b.most, b.depth)
	return func() { b.depth-- }
}

type evaluator struct {
	base
	env []map[string]int
}

func (e *evaluator) VisitNum(n *Num) any { return n.Val }
func (e *evaluator) VisitVar(n *Var) any {
	for i := len(e.env) - 1; i >= 0; i-- {
		if v, ok := e.env[i][n.Name]; ok {
			return v
		}
	}
	panic(fmt.Errorf("%s: %s is not bound", n.Pos(), n.Name))
}
func (e *evaluator) VisitBin(n *Bin) any {
	defer e.enter()()
	l, r := n.L.Accept(e).(int), n.R.Accept(e).(int)
	return map[byte]func() int{
		'+': func() int { return l + r }, '-': func() int { return l - r },
		'*': func() int { return l * r }, '/': func() int { return l / r },
	}[n.Op]()
}
func (e *evaluator) VisitLet(n *Let) any {
	defer e.enter()()
	e.env = append(e.env, map[string]int{n.Name: n.X.Accept(e).(int)})
	defer func() { e.env = e.env[:len(e.env)-1] }()
	return n.B.Accept(e)
}

type free struct {
	names map[string]bool
	bound []string
}

func (f *free) VisitNum(*Num) any { return nil }
func (f *free) VisitVar(n *Var) any {
	for _, b := range f.bound {
		if b == n.Name {
			return nil
		}
	}
	f.names[n.Name] = true
	return nil
}
func (f *free) VisitBin(n *Bin) any { n.L.Accept(f); n.R.Accept(f); return nil }
func (f *free) VisitLet(n *Let) any {
	n.X.Accept(f)
	g := &free{f.names, append(f.bound[:len(f.bound):len(f.bound)], n.Name)}
	return n.B.Accept(g)
}

type noop struct{}

func (noop) VisitNum(*Num) any { return 0 }
func (noop) VisitBin(*Bin) any { return 0 }
func (noop) VisitLet(*Let) any { return 0 }
func (noop) VisitVar(*Var) any { return 0 }

type counter struct {
	Visitor
	n map[string]int
}

func (c *counter) VisitNum(n *Num) any { c.n["num"]++; return c.Visitor.VisitNum(n) }
func (c *counter) VisitBin(n *Bin) any {
	c.n[string(n.Op)]++
	n.L.Accept(c)
	n.R.Accept(c)
	return nil
}

type hooks map[string]func(ast.Node)

func (h hooks) Visit(n ast.Node) ast.Visitor {
	if n == nil {
		return nil
	}
	if f := h[fmt.Sprintf("%T", n)]; f != nil {
		f(n)
	}
	return h
}

func eval(n Node) (v any, err error) {
	e := &evaluator{}
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
		v = fmt.Sprint(v, " depth ", e.most, " env ", len(e.env))
	}()
	return n.Accept(e), nil
}

func main() {
	v := func(s string) Node { return &Var{&pos{1, len(s)}, s} }
	tree := &Let{Name: "x", X: &Num{Val: 6}, B: &Bin{Op: '*', L: v("x"), R: &Let{pos{2, 3}, "y", &Bin{Op: '-', L: v("x"), R: &Num{Val: 1}}, &Bin{Op: '+', L: v("x"), R: v("y")}}}}
	fmt.Println(tree)
	fmt.Println(eval(tree))
	for _, n := range []Node{&Bin{Op: '/', L: &Num{Val: 1}, R: &Num{}}, &Bin{Op: '+', L: v("z"), R: tree}, &Bin{Op: '+', L: &Num{}, R: (*Num)(nil)}} {
		val, err := eval(n)
		fmt.Println(val, err)
	}
	f := &free{names: map[string]bool{}}
	(&Bin{Op: '+', L: tree, R: v("w")}).Accept(f)
	tree.B.Accept(f)
	var names []string
	for n := range f.names {
		names = append(names, n)
	}
	sort.Strings(names)
	fmt.Println(names, f.bound)
	c := &counter{noop{}, map[string]int{}}
	tree.B.Accept(c)
	fmt.Println(c.n)
	x := v("moved").(*Var)
	x.move(10)
	m := x.pos.move
	m(5)
	g := (*Var).Pos
	fmt.Println(x.Pos(), g(x), pos{3, 4}.Pos(), x.pos.line)

	src := "package p\nfunc f(a, b int) (c int) { for i := range a { if i > b { c += g(i)*2 } }; return }\nfunc g(x int) int { return x<<1 }\ntype T struct { A int; B *T }"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	var calls, funcs []string
	ops := map[token.Token]int{}
	ast.Walk(hooks{
		"*ast.CallExpr": func(n ast.Node) { calls = append(calls, n.(*ast.CallExpr).Fun.(*ast.Ident).Name) },
		"*ast.FuncDecl": func(n ast.Node) {
			d := n.(*ast.FuncDecl)
			funcs = append(funcs, fmt.Sprint(d.Name, fset.Position(d.Pos()).Line))
			d.Name.Name = strings.ToUpper(d.Name.Name)
		},
		"*ast.BinaryExpr": func(n ast.Node) { ops[n.(*ast.BinaryExpr).Op]++ },
	}, file)
	fmt.Println(err, calls, funcs, ops)
	var out strings.Builder
	fmt.Println(format.Node(&out, fset, file))
	fmt.Println(out.String())
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			fmt.Println(len(s.Fields.List))
		}
		_, isFunc := n.(*ast.FuncDecl)
		return !isFunc
	})
}
