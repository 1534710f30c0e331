package ixengine

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"sort"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
)

// sourceLines holds the statements of a source, by line.
type sourceLines struct {
	list  []sourceLine
	fault string // reason why the source does not parse
}

// A sourceLine is the first statement that begins on a line.
type sourceLine struct {
	line, offset int    // offset orders the statements of a source
	fn           string // the declaration that contains it, named as in decl.names; "" for the cell's statements
}

// statementAt returns the statement at which a breakpoint on the given line stops: the first that begins on that line
// or below. The second result is false if there is no such statement.
func (l *sourceLines) statementAt(line int) (sourceLine, bool) {
	if line < 1 {
		return sourceLine{}, false
	}
	i := sort.Search(len(l.list), func(i int) bool { return l.list[i].line >= line })
	if i == len(l.list) {
		return sourceLine{}, false
	}
	return l.list[i], true
}

// linesOf returns the statements of source at which execution can stop. Magic commands are ignored.
func (s *Session) linesOf(source string) *sourceLines {
	fset := token.NewFileSet()
	tree, err := cellsyntax.Parse(fset, "cell", magic.Blank(source, nil))
	if err != nil {
		text := err.Error()
		if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
			text = list[0].Msg
		}
		return &sourceLines{fault: text}
	}
	first := map[int]sourceLine{}
	take := func(n ast.Node, fn string) {
		list := func(list []ast.Stmt) {
			for _, st := range list {
				for l, ok := st.(*ast.LabeledStmt); ok; l, ok = st.(*ast.LabeledStmt) {
					st = l.Stmt
				}
				if has, of := holdable(st); has {
					p := fset.Position(of.Pos())
					if old, ok := first[p.Line]; !ok || offsetOf(p) < old.offset {
						first[p.Line] = sourceLine{p.Line, offsetOf(p), fn}
					}
				}
			}
		}
		if st, ok := n.(ast.Stmt); ok {
			list([]ast.Stmt{st})
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				list(n.List)
			case *ast.CaseClause:
				list(n.Body)
			case *ast.CommClause:
				list(n.Body)
			case *ast.IfStmt:
				if e, ok := n.Else.(*ast.IfStmt); ok {
					list([]ast.Stmt{e})
				}
			}
			return true
		})
	}
	for _, st := range tree.Stmts {
		take(st, "")
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			take(f.Body, funcKey(f))
		}
	}
	out := &sourceLines{}
	for _, l := range first {
		out.list = append(out.list, l)
	}
	sort.Slice(out.list, func(i, j int) bool { return out.list[i].line < out.list[j].line })
	return out
}

// funcKey returns the name of a function or method as in decl.names: the function's name, or T.M for a method M of
// type T.
func funcKey(f *ast.FuncDecl) string {
	if f.Recv != nil && len(f.Recv.List) == 1 {
		return cellsyntax.ReceiverName(f.Recv.List[0].Type) + "." + f.Name.Name
	}
	return f.Name.Name
}

// offsetOf returns a number that orders positions in a source.
func offsetOf(p token.Position) int { return p.Line<<20 | p.Column }
