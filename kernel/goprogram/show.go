package goprogram

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"overcomplete/kernel/cellsyntax"
)

// A form is a way to print the value of an expression.
type form int

const (
	bare      form = iota // a call without a value, or with a value that does not matter
	discarded             // not a call: Go requires the value to be used
	printed               // fmt.Println
	detailed              // fmt.Printf with field names
	tabulated             // a table with a line for each struct of a slice
	matrix                // mat.Formatted
	framed                // a data frame of gota, as a table
	displayed             // display.Display
	failing               // returns an error, nil on success
	plotted               // a plot of gonum; its title is printed
	several               // several values, some of them for display.Display
	fallible              // several values for fmt.Println, the last of them an error
	typed                 // a function, of which the type is printed
)

const (
	// matrices is the import path of gonum's matrices, which package mat can format as text.
	matrices = "gonum.org/v1/gonum/mat"
	// frames is the import path of gota's data frames, whose own text has six decimals.
	frames = "github.com/go-gota/gota/dataframe"
)

// richMethods are the methods by which a value determines its display in a front end; see package display.
var richMethods = []string{"Render", "SimpleRender", "HTML", "JavaScript", "JPEG", "JSON", "Latex", "Markdown", "PDF", "PNG", "SVG"}

// form decides how the value of an expression statement is printed.
func (e *emitter) form(c *checkResult, p *part, x ast.Expr) form {
	t := c.info.Types[x].Type
	_, isCall := ast.Unparen(x).(*ast.CallExpr)
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		isCall = true
	}
	if isCall && isBuiltin(c, x) {
		isCall = false
	}
	tuple, isTuple := t.(*types.Tuple)
	switch {
	case t == nil || isTuple && tuple.Len() == 0 || c.info.Types[x].IsVoid():
		return bare
	case !p.shown || cellsyntax.Prints(c.info, x):
		if isCall {
			return bare
		}
		return discarded
	case isTuple:
		for v := range tuple.Variables() {
			if single(v.Type()) != printed {
				return several
			}
		}
		if isError(tuple.At(tuple.Len() - 1).Type()) {
			return fallible
		}
		return printed
	case isCall && isError(t):
		return failing
	}
	return single(t)
}

// single returns the form in which one value of type t is printed.
func single(t types.Type) form {
	switch {
	case isPlot(t):
		return plotted
	case isNamed(t, frames, "DataFrame"):
		return framed
	case isRich(t):
		return displayed
	case has(t, "Dims") && has(t, "At") && has(t, "T"):
		return matrix
	case has(t, "String") || has(t, "Error") || has(t, "Format"):
		return printed
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return printed
	case *types.Signature:
		return typed
	case *types.Interface:
		if isError(t) {
			return printed
		}
		return displayed
	case *types.Slice:
		if _, ok := u.Elem().Underlying().(*types.Basic); ok {
			return printed
		}
		if hasFields(u.Elem()) {
			return tabulated
		}
	case *types.Array:
		if hasFields(u.Elem()) {
			return tabulated
		}
	case *types.Map:
		if _, ok := u.Elem().Underlying().(*types.Basic); ok {
			return printed
		}
	}
	return detailed
}

// has reports whether t has a method.
func has(t types.Type, method string) bool {
	o, _, _ := types.LookupFieldOrMethod(t, false, nil, method)
	_, ok := o.(*types.Func)
	return ok
}

// isRich reports whether package display shows a value of type t in a form other than fmt's text.
func isRich(t types.Type) bool {
	return isNamed(t, displayPath, "Data") || slices.ContainsFunc(richMethods, func(m string) bool { return has(t, m) }) || has(t, "ColorModel") && has(t, "Bounds")
}

// hasFields reports whether t is a struct with fields, or a pointer to one, that does not format itself. The kernel shows
// a slice of such values as a table.
func hasFields(t types.Type) bool {
	if has(t, "String") || has(t, "Error") {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	u, ok := t.Underlying().(*types.Struct)
	return ok && u.NumFields() > 0 && !has(t, "String") && !has(t, "Error")
}

// isPlot reports whether t is a plot of gonum, or a pointer to one. fmt would print all fields of a plot.
func isPlot(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return isNamed(t, "gonum.org/v1/plot", "Plot")
}

// isNamed reports whether t is the type with the given name in the package with the given import path.
func isNamed(t types.Type, path, name string) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// isBuiltin reports whether x is a conversion, or a call to a predeclared function whose result must be used, such as
// len.
func isBuiltin(c *checkResult, x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	if f := c.info.Types[call.Fun]; f.IsType() {
		return true
	} else if !f.IsBuiltin() {
		return false
	}
	id, _ := ast.Unparen(call.Fun).(*ast.Ident)
	return id == nil || !slices.Contains([]string{"copy", "recover"}, id.Name)
}

// expression returns the code of an expression statement, followed by code that prints its value.
func (e *emitter) expression(p *part, x ast.Expr, code string) string {
	switch e.forms[p] {
	case discarded:
		return "_ = " + code
	case failing:
		return fmt.Sprintf("if err := %s; err != nil {\n%s.Println(err)\n}", code, e.pkg("fmt"))
	case several:
		return fmt.Sprintf("%s(%s)", e.showAll(), code)
	case fallible:
		return fmt.Sprintf("%s(%s)", e.printAll(), code)
	case bare:
		return code
	}
	return e.printCode(e.forms[p], code)
}

// printCode returns code that prints one value in the form f.
func (e *emitter) printCode(f form, code string) string {
	switch f {
	case printed:
		return fmt.Sprintf("%s.Println(%s)", e.pkg("fmt"), code)
	case tabulated:
		return fmt.Sprintf("%s(%s)", e.printTable(), code)
	case matrix:
		return fmt.Sprintf("%s.Printf(\"%%.6g\\n\", %s.Formatted(%s, %s.Squeeze()))", e.pkg("fmt"), e.pkg(matrices), code, e.pkg(matrices))
	case framed:
		return fmt.Sprintf("%s(%s)", e.printFrame(), code)
	case plotted:
		return fmt.Sprintf("%s.Println(\"plot:\", %s.Title.Text)", e.pkg("fmt"), code)
	case displayed:
		return fmt.Sprintf("%s.Display(%s)", e.pkg(displayPath), code)
	case typed:
		return fmt.Sprintf("%s.Printf(\"%%T\\n\", %s)", e.pkg("fmt"), code)
	}
	return fmt.Sprintf("%s.Printf(\"%%+v\\n\", %s)", e.pkg("fmt"), code)
}

// showAll adds a helper function to the program, and returns the helper's name. The helper displays those of its
// arguments that are not nil.
func (e *emitter) showAll() string {
	name := e.fresh("showAll")
	e.helpers[name] = fmt.Sprintf("// %s shows what a call returns, but for an error that is nil.\nfunc %s(values ...any) {\nfor _, v := range values {\nif v != nil {\n%s.Display(v)\n}\n}\n}", name, name, e.pkg(displayPath))
	return name
}

// printAll adds a helper function to the program, and returns the helper's name. The helper prints its arguments on one
// line, except the last one if it is nil.
func (e *emitter) printAll() string {
	name := e.fresh("printAll")
	e.helpers[name] = fmt.Sprintf("// %s prints what a call returns, but for an error that is nil.\nfunc %s(values ...any) {\nif last := len(values) - 1; values[last] == nil {\nvalues = values[:last]\n}\n%s.Println(values...)\n}", name, name, e.pkg("fmt"))
	return name
}

// printFrame adds to the program a helper function that prints a data frame, and returns the function's name.
func (e *emitter) printFrame() string {
	name := e.fresh("printFrame")
	e.helpers[name] = fmt.Sprintf(`// %[1]s prints a data frame: names and types of the columns, at most 20 rows, and the size.
func %[1]s(df %[2]s.DataFrame) {
	if df.Err != nil {
		%[3]s.Println(df.Err)
		return
	}
	w := %[4]s.NewWriter(%[5]s.Stdout, 0, 0, 2, ' ', 0)
	%[3]s.Fprintln(w, "\t"+%[6]s.Join(df.Names(), "\t"))
	for _, t := range df.Types() {
		%[3]s.Fprint(w, "\t", t)
	}
	%[3]s.Fprintln(w)
	for i := range min(df.Nrow(), 20) {
		%[3]s.Fprint(w, i)
		for j := range df.Ncol() {
			if x := df.Elem(i, j); x.Type() == %[7]s.Float && !x.IsNA() {
				%[3]s.Fprintf(w, "\t%%.6g", x.Float())
			} else {
				%[3]s.Fprintf(w, "\t%%v", x)
			}
		}
		%[3]s.Fprintln(w)
	}
	w.Flush()
	%[3]s.Printf("%%d rows, %%d columns\n", df.Nrow(), df.Ncol())
}`, name, e.pkg(frames), e.pkg("fmt"), e.pkg("text/tabwriter"), e.pkg("os"), e.pkg("strings"), e.pkg("github.com/go-gota/gota/series"))
	return name
}

// printTable adds to the program a helper function that prints a slice of structs as a table, and returns the
// function's name.
func (e *emitter) printTable() string {
	name := e.fresh("printTable")
	e.helpers[name] = fmt.Sprintf(`// %[1]s prints a slice of structs, or of pointers to structs, with a line for each.
func %[1]s(rows any) {
	v := %[2]s.ValueOf(rows)
	if v.Len() == 0 {
		%[3]s.Println(rows)
		return
	}
	t := v.Type().Elem()
	if t.Kind() == %[2]s.Pointer {
		t = t.Elem()
	}
	here := %[2]s.TypeFor[struct{ x int }]().Field(0).PkgPath // the path of this package, which may read all its fields
	var fields []int
	var names []string
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() || f.PkgPath == here {
			fields, names = append(fields, i), append(names, f.Name)
		}
	}
	w := %[4]s.NewWriter(%[5]s.Stdout, 0, 0, 2, ' ', 0)
	%[3]s.Fprintln(w, %[6]s.Join(names, "\t"))
	for i := range v.Len() {
		row := %[2]s.Indirect(v.Index(i))
		if !row.IsValid() {
			%[3]s.Fprintln(w, "<nil>")
			continue
		}
		var cells []string
		for _, j := range fields {
			x := row.Field(j)
			if x.Kind() == %[2]s.Pointer && !x.IsNil() && x.Type().NumMethod() == 0 {
				x = x.Elem()
			}
			if x.CanFloat() && x.Type().NumMethod() == 0 && x.Float() != %[7]s.Trunc(x.Float()) {
				cells = append(cells, %[3]s.Sprintf("%%.6g", x.Float()))
			} else {
				cells = append(cells, %[3]s.Sprint(x))
			}
		}
		%[3]s.Fprintln(w, %[6]s.Join(cells, "\t"))
	}
	w.Flush()
}`, name, e.pkg("reflect"), e.pkg("fmt"), e.pkg("text/tabwriter"), e.pkg("os"), e.pkg("strings"), e.pkg("math"))
	return name
}
