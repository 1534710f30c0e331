package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goplus/ixgo"

	"overcomplete/internal/spelling"
)

// A hint says how to fix a fault, on a line of its own below it. The type checker's messages are exact and are
// not changed; a hint adds what a reader who is new to Go, or to a package, would have to look up.

// A rule gives hints for the error messages that match its pattern. m is the list of submatches; path lists the syntax
// nodes at the fault, innermost first. The hint is "" if the rule has no advice.
type rule struct {
	match func() *regexp.Regexp
	hint  func(s *Session, c *checkedProgram, m []string, path []ast.Node) string
}

const noTry = "errors are values: x, err := f(); if err != nil { ... }"

const noArithmetic = "arithmetic works only on numbers; use gonum's floats and mat for slices and matrices"

func say(text string) func(*Session, *checkedProgram, []string, []ast.Node) string {
	return func(*Session, *checkedProgram, []string, []ast.Node) string { return text }
}

// lazily returns a function that compiles a pattern when it is first called. A session needs the patterns of hints only
// after an error, and together they take as long to compile as a cell takes to run.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

func on(pattern string, hint func(s *Session, c *checkedProgram, m []string, path []ast.Node) string) rule {
	return rule{lazily(pattern), hint}
}

var rules []rule

func init() { // not in the declaration, because the hints refer to rules
	rules = []rule{
		on(`^undefined: (\w+)\.(\w+)`, hintMember),
		on(`^name (\w+) not exported by package (\w+)`, func(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
			return hintMember(s, c, []string{"", m[2], m[1]}, path)
		}),
		on(`^undefined: (\w+)$`, hintName),
		on(`undefined \(type (.*) has no field or method (\w+)`, hintSelector),
		on(`^(?s)(?:not enough|too many) arguments in call`, hintSignature),
		on(`^(?s)(?:not enough|too many) return values`, hintResults),
		on(`^missing return`, hintResults),
		on(`^assignment mismatch: (\d+) variables? but .* returns (\d+) values?`, hintMismatch),
		on(`^assignment mismatch`, say("one value for each name: a, b := 1, 2")),
		on(`^multiple-value .* in `, hintMultiple),
		on(`\(no value\) used as value`, say("the function returns nothing: call it on a separate line")),
		on(`^cannot use .*: .*does not implement .*method (\w+) has pointer receiver`, say("the methods belong to the pointer: pass &x, not x")),
		on(`^cannot use .* as (error) value in`, hintConversion),
		on(`: (?:untyped )?string does not implement io\.Reader`, say("the text is taken for the data: f, err := os.Open(path) opens a file, strings.NewReader(text) reads a text, and frame.ReadCSV(path, nil) reads a file into a data frame")),
		on(`dataframe\.DataFrame.* does not implement .*mat\.Matrix`, say("frame.Matrix(df, names...) makes a matrix of columns")),
		on(`^cannot use .*does not implement .*missing method (\w+)`, func(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
			return "write the method " + m[1] + " for the type"
		}),
		on(`^cannot use .* as .* value in argument to`, hintArgument),
		on(`^cannot use (?:.*) as (.*) value in`, hintConversion),
		on(`\(mismatched types (.*) and (.*)\)`, hintTypes),
		on(`^non-boolean condition in (\w+) statement`, say("a condition is true or false: write the comparison, for example n != 0, s != \"\" or err != nil")),
		on(`^invalid operation: operator ! not defined`, say("! is for bool; compare instead, for example n == 0")),
		on(`\((slice|map|func) can only be compared to nil\)`, func(_ *Session, _ *checkedProgram, m []string, _ []ast.Node) string {
			return map[string]string{"slice": "slices.Equal(a, b) compares the elements of slices", "map": "maps.Equal(a, b) compares the elements of maps"}[m[1]]
		}),
		on(`^invalid array length`, say("the length of an array is a constant; make([]T, n) makes a slice of any length")),
		on(`cannot take address of`, say("new(x) returns a pointer to a new variable with the value x")),
		on(`operator \^ not defined on|cannot indirect|invalid operation: \*`, say("math.Pow(x, y) computes powers (^ is exclusive or of integers, and there is no **)")),
		on(`operator % not defined on .* float`, say("math.Mod(x, y) is the remainder of floats")),
		on(`operator \+ not defined on`, say("+ does not add slices or maps; append(a, b...) joins slices, and gonum's floats and mat do arithmetic")),
		on(`operator [-*/] not defined on`, say(noArithmetic)),
		on(`truncated to (?:int64|time\.Duration)$|as time\.Duration value in .*\(truncated\)`, hintDuration),
		on(`^(?:too many arguments|missing argument) in conversion to (\S+)`, hintComposite),
		on(`^cannot convert .* to type (\w+)$`, hintComposite),
		on(`^cannot assign to .*\(neither addressable nor a map index expression\)`, hintAssign),
		on(`^cannot assign to struct field`, say("a field of a map's value cannot be changed by itself: v := m[k]; v.Field = x; m[k] = v")),
		on(`index .* must not be negative`, say("Go does not count from the end: xs[len(xs)-1] is the last element")),
		on(`^invalid argument: index .* out of bounds`, say("indices go from 0 to len-1")),
		on(`^no new variables on left side of :=`, say("= assigns to an existing variable; := declares a new one")),
		on(`^cannot range over`, say("range works on slices, arrays, maps, strings, channels, integers and iterator functions")),
		on(`^(?:invalid operation: )?cannot index (\w+) .*dataframe\.DataFrame`, func(_ *Session, _ *checkedProgram, m []string, _ []ast.Node) string {
			return fmt.Sprintf("%s.Col(name) is a column, %[1]s.Select(names) some columns, %[1]s.Subset(rows) some rows", m[1])
		}),
		on(`^(?:invalid operation: )?cannot index`, say("only slices, arrays, strings and maps have elements")),
		on(`^invalid operation: cannot call (?:non-function )?(\w+) \(`, hintHidden),
		on(`^invalid operation: cannot call `, say("only functions can be called; * multiplies, [ ] takes an element")),
		on(`^invalid operation: .* is not an interface`, say("x.(T) works only on interfaces; T(x) converts x")),
		on(`\(type\) is not an expression`, say("T{...} creates a value of type T, T(x) converts x to T, and var x T declares a zero value")),
		on(`^(\w+)(?: \(.*\))? is not a type$`, hintHidden),
		on(`no longer compiles: .*: (\w+)(?: \(.*\))? is not a type; declare it again$`, hintHidden),
		on(`is not a type$`, say("a type is needed here, such as int, []float64 or *mat.Dense")),
		on(`is not used$`, say("a cell shows its last expression; fmt.Println shows other values, and _ = x discards a value")),
		on(`^(?:cannot use|use of) .*\(untyped nil|use of untyped nil`, say("nil has no type of its own: var x *T, or x = []int(nil)")),
		on(`truncated`, say("an int cannot hold a fraction: make the variable a float64, or round the number")),
		on(`-\d+ .*(?:uint\w*|byte)\b.*overflows`, say("an unsigned type has no negative numbers: use int")),
		on(`overflows`, say("the number is too large for the type; use int64, uint64 or math/big, or float64 for an approximation")),
		on(`^invalid operation: division by zero`, say("")),
		on(`^cannot convert .* to type string|^cannot convert .*string.* to type (?:int|float64)`, say("strconv.Atoi and strconv.ParseFloat parse numbers; strconv.Itoa and fmt.Sprint format them")),
		on(`^unknown field (\w+) in struct literal of type (\S+)`, hintField),
		on(`redeclared in this block`, say("a name can be declared only once in a block; = assigns to it")),
		on(`^duplicate case`, say("each case can appear only once")),
		on(`^label (?:try|except|finally|catch) declared and not used`, say(noTry+"; to catch a panic, use defer func() { if r := recover(); r != nil { ... } }()")),
		on(`^label \w+ declared and not used`, say("a name with a colon is a label, which break, continue and goto use; blocks are written in braces")),
		on(`^(break|continue) `, say("it stands in the body of a loop")),
		on(`^(?:invalid argument|cannot use).* \(.*\) for built-in (\w+)|for built-in (\w+)`, hintBuiltin),
		on(`^too (?:few|many) values in struct literal`, say("name the fields: T{Field: value}; the other fields are zero")),
		on(`^mixture of field:value`, say("name all the fields or none")),
		on(`^impossible type assertion`, say("the type does not have the interface's methods")),
		on(`^invalid recursive type`, func(_ *Session, _ *checkedProgram, _ []string, path []ast.Node) string {
			if spec, ok := parent(path).(*ast.TypeSpec); ok && spec.Assign.IsValid() {
				return ""
			}
			return "a type cannot contain itself; in a struct, use a pointer *T"
		}),
		on(`^cannot infer`, say("write the types in brackets: F[int](x)")),
		on(`does not satisfy`, say("use a type argument that the constraint allows")),
		on(`^package (\S*) is not built into this kernel(.*)`, hintImport),
	}
}

// hint returns advice about the fault f, from the first rule that has any, or "".
func (s *Session) hint(c *checkedProgram, f types.Error) string {
	if c == nil {
		c = &checkedProgram{info: &types.Info{}}
	}
	for _, r := range rules {
		if m := r.match().FindStringSubmatch(f.Msg); m != nil {
			if hint := r.hint(s, c, m, c.path(f.Pos)); hint != "" {
				return hint
			}
		}
	}
	return ""
}

// path returns the syntax nodes that enclose pos, innermost first.
func (c *checkedProgram) path(pos token.Pos) []ast.Node {
	if c.file == nil {
		return nil
	}
	var path, best []ast.Node
	ast.Inspect(c.file, func(n ast.Node) bool {
		if isPlace(n) {
			return false
		}
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if n.Pos().IsValid() && within(pos, n) && len(path) >= len(best) {
			best = slices.Clone(path)
		}
		return true
	})
	slices.Reverse(best)
	return best
}

// callAt returns the innermost call on a path.
func callAt(path []ast.Node) *ast.CallExpr {
	for _, n := range path {
		if call, ok := n.(*ast.CallExpr); ok {
			return call
		}
	}
	return nil
}

// known returns the names that c and the session declare or import, and the predeclared names of Go.
func (s *Session) known(c *checkedProgram) []string {
	names := types.Universe.Names()
	for id, o := range c.info.Defs {
		if v, ok := o.(*types.Var); ok && v.IsField() {
			continue
		}
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			continue
		}
		names = append(names, id.Name)
	}
	for name, d := range s.env.decls {
		if !d.isMethod() {
			names = append(names, name)
		}
	}
	for name := range s.env.vars {
		names = append(names, name)
	}
	for name := range s.env.imports {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// foreign maps words of other languages to Go.
var foreign = map[string]string{
	"None": "nil", "null": "nil", "NULL": "nil", "nullptr": "nil", "True": "true", "False": "false",
	"str": "strconv.Itoa(n) for whole numbers, fmt.Sprint(x) for anything", "float": "float64", "double": "float64", "char": "rune or byte", "boolean": "bool", "integer": "int",
	"object": "any", "list": "a slice, []T", "dict": "a map, map[K]V", "self": "the receiver's name", "this": "the receiver's name",
	"println": "fmt.Println", "printf": "fmt.Printf", "sum": "a loop, or floats.Sum", "abs": "math.Abs", "pow": "math.Pow", "round": "math.Round",
	"sorted": "slices.Sorted or slices.Sort", "input": "fmt.Scan", "open": "os.Open", "raise": "panic, or return an error", "throw": "panic, or return an error",
	"assert": "if !ok { panic(\"...\") }", "pass": "nothing; a block { } may be empty", "del": "delete(m, k)",
	"np": "gonum's mat, stat and floats", "numpy": "gonum's mat, stat and floats", "plt": "gonum's plot and plotter", "pd": "gota's dataframe",
}

// common lists the packages that are searched for an unqualified name.
var common = []string{"fmt", "math", "strings", "strconv", "errors", "os", "sort", "time", "gonum.org/v1/gonum/mat", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/floats"}

func hintName(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	name := m[1]
	if name == "help" && callAt(path) != nil {
		return documentation
	}
	if definedBy(path) {
		return fmt.Sprintf("a function literal cannot yet mention the variable that it is the value of: write var %s func(...) ... first, then %[1]s = func...", name)
	}
	if names := parametersWithoutType(path); names != "" && !isReceiver(c.file, path[0]) {
		return "write the type after the names: func f(" + names + " int)"
	}
	if name == "ls" || name == "pwd" {
		if not, ok := parent(path).(*ast.UnaryExpr); ok && not.Op == token.NOT {
			return "exec.Command(\"" + name + "\").Output() returns the output of a command; a line that begins with ! or $ shows it"
		}
	}
	if sel := selectorOf(path); sel != nil && exportedBy(name, sel.Sel.Name) != "" { // before the cell that has hidden the package
		return s.importHint(name)
	}
	if hint := s.failedHint(c, name, path); hint != "" {
		return hint
	}
	if one, ok := strings.CutSuffix(name, "s"); ok && selectorOf(path) == nil { // []bytes
		if _, isType := types.Universe.Lookup(one).(*types.TypeName); isType {
			return spelling.DidYouMean([]string{one})
		}
	}
	if hint := s.importHint(name); hint != "" {
		return hint
	}
	if hint := s.suggestion(name, path); hint != "" {
		return hint
	}
	near := nearest(name, s.known(c))
	// For printf, suggest fmt.Printf rather than the builtin print.
	if word := foreign[name]; word != "" && len(near) > 0 && types.Universe.Lookup(near[0]) != nil {
		return "in Go: " + word
	}
	// For Println, suggest fmt.Println rather than the builtin; for Count, the notebook's variable count.
	own := len(near) > 0 && strings.EqualFold(near[0], name) && types.Universe.Lookup(near[0]) == nil
	if hint := s.inCommon(name); hint != "" && ast.IsExported(name) && !own {
		return hint
	}
	// For Math, suggest package math, whether or not it is imported.
	if sel := selectorOf(path); sel != nil && strings.ToLower(name) != name && (!own || s.env.imports[strings.ToLower(name)] != "") {
		lower := strings.ToLower(name)
		if hint := s.importHint(lower); hint != "" {
			hint = "did you mean " + lower + "." + sel.Sel.Name + "?"
			if s.env.imports[lower] == "" {
				hint += " (" + strings.TrimPrefix(s.importHint(lower), "add ") + ")"
			}
			return hint
		}
	}
	if len(near) > 0 {
		return spelling.DidYouMean(near)
	}
	if word := foreign[name]; word != "" {
		return "in Go: " + word
	}
	if sel := selectorOf(path); sel != nil {
		return s.noPackageHint(name, sel.Sel.Name)
	}
	if hint := s.inCommon(name); hint != "" {
		return hint
	}
	if assignedTo(path) {
		return "declare a new variable with :=, as in " + name + " := ..."
	}
	return ""
}

// parent returns the node that contains path[0], or nil.
func parent(path []ast.Node) ast.Node {
	if len(path) < 2 {
		return nil
	}
	return path[1]
}

// parametersWithoutType returns the parameters of a function, as in "a, b", if path[0] is one of them and none of them
// has a type. Go then takes the names for types.
func parametersWithoutType(path []ast.Node) string {
	if len(path) < 4 {
		return ""
	}
	of, ok := path[3].(*ast.FuncType)
	if !ok || of.Params != path[2] {
		return ""
	}
	var names []string
	for _, f := range of.Params.List {
		id, ok := f.Type.(*ast.Ident)
		if !ok || len(f.Names) > 0 || types.Universe.Lookup(id.Name) != nil {
			return ""
		}
		names = append(names, id.Name)
	}
	return strings.Join(names, ", ")
}

// isReceiver reports whether n stands in the receiver of a method. Its path may be that of the method's hook, which has
// the receiver as a parameter without a name.
func isReceiver(file *ast.File, n ast.Node) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv != nil && f.Recv.Pos() <= n.Pos() && n.End() <= f.Recv.End()
	})
}

// definedBy reports whether path[0], a name, stands in a function literal that is the value of a new variable of that
// name.
func definedBy(path []ast.Node) bool {
	id, ok := path[0].(*ast.Ident)
	if !ok {
		return false
	}
	inside := false
	for _, n := range path {
		var names []*ast.Ident
		switch n := n.(type) {
		case *ast.FuncLit:
			inside = true
		case *ast.ValueSpec:
			names = n.Names
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if x, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					names = append(names, x)
				}
			}
		}
		if inside && slices.ContainsFunc(names, func(x *ast.Ident) bool { return x.Name == id.Name }) {
			return true
		}
	}
	return false
}

// exportedBy returns the path of a package with the given name that exports the given member, or "".
func exportedBy(name, member string) string {
	for _, path := range boundPaths(name) {
		if p, ok := ixgo.LookupPackage(path); ok && exports(p, member) {
			return path
		}
	}
	return ""
}

// inCommon returns a hint if one of the packages in the list called common exports the given name, written with a
// capital letter. Otherwise it returns "".
func (s *Session) inCommon(name string) string {
	if len(name) < 3 {
		return ""
	}
	name = strings.ToUpper(name[:1]) + name[1:]
	for _, path := range common {
		if p, ok := ixgo.LookupPackage(path); ok && exports(p, name) {
			return spelling.DidYouMean([]string{p.Name + "." + name}) + s.orImport(p)
		}
	}
	return ""
}

func exports(p *ixgo.Package, name string) bool {
	_, isFunc := p.Funcs[name]
	_, isType := p.NamedTypes[name]
	_, isConst := p.UntypedConsts[name]
	return isFunc || isType || isConst
}

// importHint returns a hint to import a package with the given name. It returns "" if there is no such package, or if
// there are more than four.
func (s *Session) importHint(name string) string {
	paths := append(boundPaths(name), s.loadedNamed(name)...)
	if len(paths) == 0 || len(paths) > 4 {
		return ""
	}
	// Packages that users rarely mean come last.
	slices.SortStableFunc(paths, func(a, b string) int {
		rank := func(p string) int {
			return strings.Count("|crypto/|html/|runtime/|", "|"+strings.SplitAfter(p, "/")[0])
		}
		return rank(a) - rank(b)
	})
	for i, p := range paths {
		paths[i] = "import " + strconv.Quote(p)
	}
	return "add " + spelling.Or(paths)
}

func hintMember(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	var pkg *types.Package
	for id, o := range c.info.Uses {
		if p, ok := o.(*types.PkgName); ok && id.Name == m[1] {
			pkg = p.Imported()
		}
	}
	if pkg == nil {
		return ""
	}
	if hint := s.hintDrawing(pkg.Path(), m[2]); hint != "" {
		return hint
	}
	var names []string
	for _, n := range pkg.Scope().Names() {
		if ast.IsExported(n) {
			names = append(names, n)
		}
	}
	near := nearest(m[2], names)
	for i, n := range near {
		near[i] = m[1] + "." + n
	}
	hint := spelling.DidYouMean(near)
	if pkg.Path() == "syscall" { // see bindings/syscall.go
		hint = strings.TrimPrefix(hint+"; cells have what most systems share of syscall, %%native has all of it", "; ")
	}
	return hint
}

// methodWords maps methods of other languages to Go, by the kind of the receiver.
var methodWords = map[string]map[string]string{
	"slice": {
		"append": "xs = append(xs, x)", "push": "xs = append(xs, x)", "add": "xs = append(xs, x)", "extend": "xs = append(xs, ys...)",
		"len": "len(xs)", "length": "len(xs)", "size": "len(xs)", "Len": "len(xs)", "sort": "slices.Sort(xs)", "reverse": "slices.Reverse(xs)",
		"contains": "slices.Contains(xs, x)", "index": "slices.Index(xs, x)", "pop": "xs[len(xs)-1], then xs = xs[:len(xs)-1]",
		"map": "a for loop", "filter": "a for loop, or slices.DeleteFunc", "mean": "stat.Mean(xs, nil)", "sum": "floats.Sum(xs)",
		"max": "slices.Max(xs)", "min": "slices.Min(xs)", "shape": "len(xs), or mat.NewDense for matrices",
	},
	"string": {
		"upper": "strings.ToUpper(s)", "lower": "strings.ToLower(s)", "split": "strings.Split(s, sep)", "strip": "strings.TrimSpace(s)", "trim": "strings.TrimSpace(s)",
		"length": "len(s)", "len": "len(s)", "size": "len(s)", "replace": "strings.ReplaceAll(s, old, new)", "contains": "strings.Contains(s, sub)", "format": "fmt.Sprintf",
		"startswith": "strings.HasPrefix(s, p)", "endswith": "strings.HasSuffix(s, p)", "join": "strings.Join(list, sep)", "find": "strings.Index(s, sub)",
	},
	"map": {
		"keys": "maps.Keys(m), or for k := range m", "values": "maps.Values(m), or for _, v := range m", "items": "for k, v := range m", "get": "v, ok := m[k]",
		"has": "_, ok := m[k]", "len": "len(m)", "size": "len(m)", "length": "len(m)", "delete": "delete(m, k)", "pop": "delete(m, k)", "put": "m[k] = v", "set": "m[k] = v",
	},
}

// typeWords maps methods and fields of numpy and pandas, in lower case, to Go, by the receiver's type.
var typeWords = map[string]map[string]string{
	"mat.Dense": {"shape": "r, c := M.Dims()", "size": "r, c := M.Dims()", "sum": "mat.Sum(M)", "max": "mat.Max(M)", "min": "mat.Min(M)", "dot": "C.Mul(A, B)", "reshape": "mat.NewDense(r, c, M.RawMatrix().Data)"},
	"dataframe.DataFrame": {
		"shape": "r, c := df.Dims()", "columns": "df.Names()", "dtypes": "df.Types()", "head": "df.Subset([]int{0, 1, 2}); a cell that ends with df shows its rows",
		"dropna": "frame.DropMissing(df, columns...)", "fillna": "frame.Fill(df, value, columns...)", "ffill": "frame.FillForward(df, columns...)", "isna": "frame.Describe(df), which counts what is missing",
		"mean": "frame.By(df).Agg(frame.Mean())", "median": "frame.By(df).Agg(frame.Median())", "std": "frame.By(df).Agg(frame.SD())", "agg": "frame.By(df, keys...).Agg(frame.Mean(columns...))",
		"groupby": "frame.By(df, keys...).Agg(frame.Mean(columns...))", "info": "frame.Describe(df)",
		"value_counts": "frame.ValueCounts(df, column)", "valuecounts": "frame.ValueCounts(df, column)", "merge": "frame.Join(df, other, keys, nil)", "join": "frame.Join(df, other, keys, nil)",
		"pivot": "frame.Pivot(df, rows, columns, frame.Mean(column))", "pivot_table": "frame.Pivot(df, rows, columns, frame.Mean(column))", "sort_values": "df.Arrange(dataframe.Sort(column))",
		"to_numpy": "frame.Matrix(df, columns...)", "values": "frame.Matrix(df, columns...)", "at": "frame.Matrix(df, columns...), or df.Elem(row, column)", "to_csv": "frame.WriteCSV(path, df)",
	},
	"series.Series": {
		"dropna": "x, missing, err := frame.Present(df, column)", "std": "frame.By(df).Agg(frame.SD(column)), which leaves missing values out", "value_counts": "frame.ValueCounts(df, column)", "valuecounts": "frame.ValueCounts(df, column)",
		"values": "x, missing, err := frame.Present(df, column)", "unique": "frame.ValueCounts(df, column)",
	},
}

func hintSelector(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	var sel *ast.SelectorExpr
	for _, n := range path {
		if x, ok := n.(*ast.SelectorExpr); ok {
			sel = x
			break
		}
	}
	if sel == nil {
		return ""
	}
	t := c.info.Types[sel.X].Type
	if t == nil {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		if of := exportedBy(x.Name, sel.Sel.Name); of != "" {
			since := ""
			if v := s.env.vars[x.Name]; v != nil {
				since = " since " + v.cell
			}
			return fmt.Sprintf("%s is a variable%s, and hides the package: import it under another name, as in import %s_ %q", x.Name, since, x.Name, of)
		}
	}
	if c.info.Types[sel.X].IsType() && t.String() == "error" {
		return spelling.DidYouMean([]string{"errors." + sel.Sel.Name})
	}
	if hint := s.hintDrawn(t, sel.Sel.Name); hint != "" {
		return hint
	}
	if word := typeWords[strings.TrimPrefix(shortType(t), "*")][strings.ToLower(sel.Sel.Name)]; word != "" {
		return "in Go: " + word
	}
	if near := nearest(sel.Sel.Name, members(t)); len(near) > 0 {
		return spelling.DidYouMean(near)
	}
	kind := ""
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		kind = "slice"
	case *types.Map:
		kind = "map"
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			kind = "string"
		}
	case *types.Pointer:
		if types.IsInterface(u.Elem()) {
			return "a pointer to an interface has no methods; use the interface itself"
		}
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); ok && u.NumMethods() == 0 {
			return "the constraint must have the method, as in [T interface{ M() }]"
		}
		if u.NumMethods() == 0 {
			return "any has no methods: x.(T) returns the value as a T"
		}
	}
	if word := methodWords[kind][sel.Sel.Name]; word != "" {
		return "in Go: " + word
	}
	if list := members(t); len(list) > 0 && len(list) <= 12 {
		return "it has " + strings.Join(list, ", ")
	}
	return ""
}

// members returns the fields and methods of t that a cell can use.
func members(t types.Type) (names []string) {
	take := func(o types.Object) {
		if (o.Exported() || isMain(o)) && !slices.Contains(names, o.Name()) {
			names = append(names, o.Name())
		}
	}
	base := t
	if p, ok := t.Underlying().(*types.Pointer); ok {
		base = p.Elem()
	}
	if st, ok := base.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			take(f)
		}
	}
	set := types.NewMethodSet(t)
	if !types.IsInterface(base) {
		set = types.NewMethodSet(types.NewPointer(base))
	}
	for m := range set.Methods() {
		take(m.Obj())
	}
	slices.Sort(names)
	return names
}

func hintField(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	for _, n := range path {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || c.info.Types[lit].Type == nil {
			continue
		}
		st, ok := c.info.Types[lit].Type.Underlying().(*types.Struct)
		if !ok {
			return ""
		}
		var names []string
		for f := range st.Fields() {
			if f.Exported() || isMain(f) {
				names = append(names, f.Name())
			}
		}
		if near := nearest(m[1], names); len(near) > 0 {
			return spelling.DidYouMean(near)
		}
		return "its fields are " + strings.Join(names, ", ")
	}
	return ""
}

// signature returns a string with the signature of the function that is called, such as "f is func(x int) error", and
// the signature itself. It returns "" and nil if it does not know the signature, or if the call is a conversion.
func signature(c *checkedProgram, call *ast.CallExpr) (string, *types.Signature) {
	if call == nil {
		return "", nil
	}
	sig, ok := c.info.Types[call.Fun].Type.(*types.Signature)
	if !ok {
		return "", nil
	}
	return types.ExprString(call.Fun) + " is " + shortType(sig), sig
}

func hintSignature(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	text, _ := signature(c, callAt(path))
	return text
}

// hintResults returns a hint about the results of the enclosing function.
func hintResults(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	for _, n := range path {
		var typ *ast.FuncType
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == cellFunc {
				return "a cell is not a function: it shows the value of its last expression, without return"
			}
			typ = n.Type
		case *ast.FuncLit:
			typ = n.Type
		default:
			continue
		}
		if typ.Results == nil || len(typ.Results.List) == 0 {
			return "the function is declared without results: write the result types after the parameters"
		}
		var list []string
		for _, f := range typ.Results.List {
			for range max(1, len(f.Names)) {
				list = append(list, types.ExprString(f.Type))
			}
		}
		if strings.HasPrefix(m[0], "missing") {
			return "every path through the function must end with return " + strings.Join(list, ", ") + ", or with panic"
		}
		return "the function returns " + strings.Join(list, ", ")
	}
	return ""
}

func hintMismatch(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	call := callAt(path)
	// In a chain such as a.B(x).C(y), all calls begin at the same place; the last one has the results.
	for _, n := range path {
		if outer, ok := n.(*ast.CallExpr); ok && outer.Pos() == call.Pos() {
			if _, sig := signature(c, outer); sig != nil {
				call = outer
			}
		}
	}
	text, sig := signature(c, call)
	if sig == nil {
		return ""
	}
	return fmt.Sprintf("%s; write %s := %s(...)", text, resultNames(sig), types.ExprString(call.Fun))
}

// resultNames returns names to which a caller can assign the results of a function, such as "a, err".
func resultNames(sig *types.Signature) string {
	letters := []string{"a", "b", "c", "d", "e"}
	var list []string
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		switch {
		case i == sig.Results().Len()-1 && t.String() == "error":
			list = append(list, "err")
		case i == sig.Results().Len()-1 && i > 0 && t == types.Typ[types.Bool]:
			list = append(list, "ok")
		case i < len(letters):
			list = append(list, letters[i])
		default:
			list = append(list, "_")
		}
	}
	return strings.Join(list, ", ")
}

func hintMultiple(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	if text := hintMismatch(s, c, m, path); text != "" {
		return text
	}
	return "assign each value to a variable first: a, err := f()"
}

func hintArgument(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	// The fault is at the argument, which may itself be a call.
	for i, n := range path {
		call, ok := n.(*ast.CallExpr)
		if !ok || i == 0 {
			continue
		}
		k := slices.IndexFunc(call.Args, func(arg ast.Expr) bool { return arg == path[i-1] })
		text, sig := signature(c, call)
		if k < 0 || sig == nil {
			continue
		}
		arg := call.Args[k]
		from := c.info.Types[arg].Type
		if inner, ok := ast.Unparen(arg).(*ast.CallExpr); ok {
			if _, several := from.(*types.Tuple); several {
				return hintMismatch(s, c, m, []ast.Node{inner})
			}
		}
		if how := convert(arg, from, param(sig, k)); how != "" {
			return text + "; " + how
		}
		return text
	}
	return ""
}

// param returns the type of the parameter that receives argument k, counted from 0, or nil if there is none. For a
// variadic parameter it is the type of an element.
func param(sig *types.Signature, k int) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && k >= n-1 {
		return sig.Params().At(n - 1).Type().(*types.Slice).Elem()
	}
	if k >= n {
		return nil
	}
	return sig.Params().At(k).Type()
}

func hintConversion(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	if len(path) == 0 {
		return ""
	}
	e, ok := path[0].(ast.Expr)
	if !ok {
		return ""
	}
	for _, n := range path[1:] { // the whole operand, not a part of it
		if x, ok := n.(ast.Expr); ok && x.Pos() == e.Pos() {
			e = x
			continue
		}
		break
	}
	return convertTo(e, c.info.Types[e].Type, m[1])
}

// convert returns a hint that shows how to convert the expression e from its type to another type, or "" if there is
// none.
func convert(e ast.Expr, from, to types.Type) string {
	if to == nil {
		return ""
	}
	if sl, ok := from.(*types.Slice); ok && types.Identical(sl.Elem(), to) {
		return "ys... passes all elements of a slice ys"
	}
	return convertTo(e, from, shortType(to))
}

// numeric lists the types to which a number can be converted by the type's name.
var numeric = map[string]bool{"int": true, "int64": true, "int32": true, "float64": true, "float32": true, "uint": true, "uint8": true, "byte": true, "rune": true, "uint64": true, "uint32": true, "time.Duration": true}

func convertTo(e ast.Expr, from types.Type, to string) string {
	if from == nil {
		return ""
	}
	expr := types.ExprString(e)
	b, ok := from.Underlying().(*types.Basic)
	if !ok {
		if p, isPtr := from.(*types.Pointer); isPtr && shortType(p.Elem()) == to {
			return "*" + expr + " is what it points to"
		}
		if "*"+shortType(from) == to {
			return "&" + expr + " is its address"
		}
		return ""
	}
	isNumber, isString, isConst := b.Info()&types.IsNumeric != 0, b.Info()&types.IsString != 0, b.Info()&types.IsUntyped != 0
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING && numeric[to] {
		if text, err := strconv.Unquote(lit.Value); err == nil {
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				return "write " + text + ", without the quotes"
			}
			return ""
		}
	}
	switch {
	case isNumber && isConst && b.Kind() != types.UntypedRune && to == "string":
		return "write it with quotes: " + strconv.Quote(expr)
	case b.Kind() == types.UntypedRune && to == "string":
		return "write a string with double quotes: \"a\""
	case b.Kind() == types.Int32 && to == "string":
		return "string(" + expr + ") is the string of one character"
	case isNumber && to == duration && b.Info()&types.IsFloat != 0:
		return "time.Duration(" + expr + " * float64(time.Second)) is that many seconds"
	case isNumber && to == duration:
		return "time.Duration(" + expr + ") * time.Second is that many seconds"
	case isNumber && numeric[to] && isConst:
		return ""
	case isNumber && numeric[to]:
		return to + "(" + expr + ") converts it"
	case isNumber && to == "string":
		return "fmt.Sprint(" + expr + ") makes a string of it"
	case isString && (to == "int" || to == "int64"):
		return "strconv.Atoi(" + expr + ") reads a number"
	case isString && to == "float64":
		return "strconv.ParseFloat(" + expr + ", 64) reads a number"
	case isString && to == "error":
		return "errors.New(" + expr + ") makes an error of it"
	case isString && (to == "rune" || to == "byte"):
		return "write one character with single quotes: 'a'"
	}
	return ""
}

func hintTypes(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	var bin *ast.BinaryExpr
	var x, y types.Type
	for _, n := range path { // all of the operations in 2 * time.Second * n begin at the 2
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			continue
		}
		if x, y = c.info.Types[b.X].Type, c.info.Types[b.Y].Type; x != nil && y != nil && !types.Identical(x, y) {
			bin = b
			break
		}
	}
	if bin == nil {
		return ""
	}
	kind := func(t types.Type) types.BasicInfo {
		if b, ok := t.Underlying().(*types.Basic); ok {
			return b.Info()
		}
		return 0
	}
	numberAndString := func(a, b types.Type) bool { return kind(a)&types.IsNumeric != 0 && kind(b)&types.IsString != 0 }
	switch {
	case bin.Op == token.MUL && (numberAndString(x, y) || numberAndString(y, x)):
		return "strings.Repeat(s, n) repeats a string"
	case numberAndString(x, y):
		return "fmt.Sprint(" + types.ExprString(bin.X) + ") makes a string of the number"
	case numberAndString(y, x):
		return "fmt.Sprint(" + types.ExprString(bin.Y) + ") makes a string of the number"
	case kind(x)&types.IsNumeric != 0 && kind(y)&types.IsNumeric != 0 && (shortType(x) == duration) != (shortType(y) == duration):
		return durations(bin, kind(x)&types.IsFloat != 0 || kind(y)&types.IsFloat != 0, shortType(x) == duration)
	case kind(x)&types.IsNumeric != 0 && kind(y)&types.IsNumeric != 0:
		// Convert the operand with the smaller type.
		if kind(y)&types.IsFloat != 0 && kind(x)&types.IsFloat == 0 {
			return fmt.Sprintf("%s(%s) converts it", shortType(y), types.ExprString(bin.X))
		}
		return fmt.Sprintf("%s(%s) converts it", shortType(x), types.ExprString(bin.Y))
	}
	for _, t := range []types.Type{x, y} {
		if _, ok := t.Underlying().(*types.Slice); ok {
			return noArithmetic
		}
	}
	return ""
}

const duration = "time.Duration"

// durations returns a hint for bin, an operation on a duration and a number. float says whether the number is a float,
// and first says whether the duration is the first operand.
func durations(bin *ast.BinaryExpr, float, first bool) string {
	d, n := bin.Y, bin.X
	if first {
		d, n = n, d
	}
	convert := func(to string, e ast.Expr) string {
		return to + "(" + types.ExprString(ast.Unparen(e)) + ")"
	}
	if bin.Op != token.MUL && bin.Op != token.QUO {
		if float {
			return "a duration needs a unit: time.Duration(" + types.ExprString(n) + " * float64(time.Second)) is that many seconds"
		}
		return "a duration needs a unit: " + convert(duration, n) + " * time.Second is that many seconds"
	}
	x, y := convert(duration, n), types.ExprString(d)
	if float {
		x, y = types.ExprString(n), convert("float64", d)
	}
	if first {
		x, y = y, x
	}
	text := x + " " + bin.Op.String() + " " + y
	if float {
		text = duration + "(" + text + ")"
	}
	return "write " + text
}

// hintDuration returns the hint for a fractional duration such as 1.5 * time.Second.
func hintDuration(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	for i, n := range path {
		if bin, ok := n.(*ast.BinaryExpr); ok && i > 0 {
			x, y := c.info.Types[bin.X].Type, c.info.Types[bin.Y].Type
			first := x != nil && shortType(x) == duration && path[i-1] != ast.Node(bin.X)
			second := y != nil && shortType(y) == duration && path[i-1] != ast.Node(bin.Y)
			if first != second {
				return durations(bin, true, first)
			}
		}
	}
	if len(path) > 0 && strings.Contains(m[0], duration) {
		if e, ok := path[0].(ast.Expr); ok {
			return "write " + duration + "(" + types.ExprString(e) + " * float64(time.Second)): a number alone would be nanoseconds"
		}
	}
	return ""
}

// hintComposite returns the hint for Point(1, 2), which other languages use for Go's Point{1, 2}.
func hintComposite(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	call := callAt(path)
	if call == nil || !c.info.Types[call.Fun].IsType() {
		return ""
	}
	t := c.info.Types[call.Fun].Type
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	var fields []string
	for f := range st.Fields() {
		if f.Exported() || isMain(f) {
			fields = append(fields, f.Name()+": ...")
		}
	}
	return "create a struct value with braces: " + shortType(t) + "{" + strings.Join(fields, ", ") + "}"
}

func hintAssign(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	for _, n := range path {
		if id, ok := n.(*ast.Ident); ok {
			if _, isConst := c.info.Uses[id].(*types.Const); isConst {
				return "a const cannot change: declare " + id.Name + " with var, or " + id.Name + " := ..."
			}
		}
		if ix, ok := n.(*ast.IndexExpr); ok && c.info.Types[ix.X].Type != nil {
			if b, ok := c.info.Types[ix.X].Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				return "strings cannot be changed in place: b := []byte(s); b[0] = 'x'; s = string(b)"
			}
		}
	}
	return ""
}

func hintBuiltin(s *Session, c *checkedProgram, m []string, path []ast.Node) string {
	switch m[1] + m[2] {
	case "len", "cap":
		return "len works on strings, slices, arrays, maps and channels"
	case "append":
		return "append(xs, x) adds x to the slice xs; append(xs, ys...) adds all elements of ys"
	case "delete":
		return "delete(m, k) works only on maps; slices.Delete removes elements from a slice"
	}
	return ""
}

// elsewhere maps libraries of other languages to the Go packages that replace them.
var elsewhere = map[string]string{
	"numpy": "gonum.org/v1/gonum/mat", "scipy": "gonum.org/v1/gonum/optimize", "pandas": "github.com/go-gota/gota/dataframe",
	"matplotlib": "gonum.org/v1/plot", "pyplot": "gonum.org/v1/plot", "random": "math/rand/v2", "re": "regexp", "sys": "os", "json": "encoding/json",
}

// nearest is like spelling.Near, but skips the session's internal names.
func nearest(name string, names []string) []string {
	return spelling.Near(name, slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == "_" || strings.Contains(n, "__")
	}))
}
