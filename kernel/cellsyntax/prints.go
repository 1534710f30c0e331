package cellsyntax

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Prints reports whether e is a call made for its output, such as fmt.Println or a Write method, whose last result is
// an error. Its byte count and a nil error are not worth showing.
func Prints(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	results := f.Signature().Results()
	if n := results.Len(); n == 0 || results.At(n-1).Type() != types.Universe.Lookup("error").Type() {
		return false
	}
	if f.Signature().Recv() != nil {
		return slices.Contains([]string{"Write", "WriteString", "WriteByte", "WriteRune", "WriteTo", "ReadFrom"}, f.Name())
	}
	return f.Pkg().Path() == "io" && f.Name() == "WriteString" ||
		f.Pkg().Path() == "fmt" && (strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint"))
}
