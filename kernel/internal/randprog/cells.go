package randprog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// A Layout is a way to divide a program into cells.
type Layout int

const (
	// OneCell puts the whole program in one cell.
	OneCell Layout = iota
	// TwoCells puts the declarations in one cell and the call to Run in another.
	TwoCells
	// Statements puts each statement of Run in a separate cell, so that the variables of Run become session variables.
	Statements
)

// Layouts lists all layouts.
var Layouts = []Layout{OneCell, TwoCells, Statements}

func (l Layout) String() string { return []string{"one cell", "two cells", "statements"}[l] }

// Cells divides the program src into cells. If a cell fails, the caller must not run the cells after it, because the
// program would have stopped there too.
func Cells(src string, l Layout) []string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		panic("randprog: Cells of what is no program: " + err.Error())
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	all := src[at(f.Name.End()):]
	switch l {
	case OneCell:
		return []string{all + "\nRun()"}
	case TwoCells:
		return []string{all, "Run()"}
	}
	var decls strings.Builder
	var cells []string
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "Run" {
			cells = cellsOf(fn.Body.List, func(n ast.Node) string { return src[at(n.Pos()):at(n.End())] })
			continue
		}
		decls.WriteString(src[at(d.Pos()):at(d.End())] + "\n")
	}
	return append([]string{decls.String()}, cells...)
}

// cellsOf returns a cell for each statement. A statement such as _ = x, which only uses a variable, joins the
// previous cell.
func cellsOf(list []ast.Stmt, text func(ast.Node) string) []string {
	var cells []string
	for _, s := range list {
		t := text(s)
		if strings.HasPrefix(t, "_ = ") && len(cells) > 0 {
			cells[len(cells)-1] += "\n" + t
			continue
		}
		cells = append(cells, t)
	}
	return cells
}

// Again returns a program that makes n calls to the function Run in src. It also returns the same program as cells: a
// cell with the declarations, and a cell for each call. Tests use it for code that runs slowly at first and is compiled
// after several calls: the cells must print what the compiled program prints. If a call panics, the panic is printed
// and the next call begins. src must import fmt.
func Again(src string, n int) (program string, cells []string) {
	decls := strings.Replace(src, "func Run()", "func once()", 1) + `
func again() {
	defer func() {
		if e := recover(); e != nil {
			fmt.Println("panics:", e)
		}
	}()
	once()
}
`
	program = decls + "\nfunc Run() {\n" + strings.Repeat("\tagain()\n", n) + "}\n"
	cells = []string{Cells(decls, TwoCells)[0]}
	for range n {
		cells = append(cells, "again()")
	}
	return program, cells
}
