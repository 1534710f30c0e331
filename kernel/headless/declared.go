package headless

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/notebook"
)

// check finds mistakes in assignments before anything runs: a name that the parameters cell does not declare,
// or text that cannot be converted to the declared type.
func check(cells []*notebook.Cell, set []Assignment) error {
	i := slices.IndexFunc(cells, isParameters)
	if i < 0 {
		return nil
	}
	params := parameters(cells[i].Source)
	if params == nil {
		return nil // the declared names are only known after the cell has run
	}
	for _, a := range set {
		j := slices.IndexFunc(params, func(p parameter) bool { return p.name == a.Name })
		if j < 0 {
			list := make([]Variable, len(params))
			for k, p := range params {
				list[k] = Variable{Name: p.name, Type: p.typeName()}
			}
			return fmt.Errorf("no parameter %s; %s", a.Name, offer(list))
		}
		if err := fits(params[j].typ, a.Text); err != nil {
			return fmt.Errorf("parameter %s (%s) cannot be %q: %w", a.Name, params[j].typeName(), a.Text, err)
		}
	}
	return nil
}

// isParameters reports whether c declares the notebook's parameters. Such a cell has the tag "parameters" or,
// above its code, a line %params, which serves the same purpose in Jupyter.
func isParameters(c *notebook.Cell) bool {
	if isSkipped(c) || c.Tagged(tagParameters) || !strings.Contains(c.Source, "%params") {
		return !isSkipped(c) && c.Tagged(tagParameters)
	}
	pieces, err := magic.Parse(c.Source, nil)
	return err == nil && len(declarations(c.Source)) > 0 && slices.ContainsFunc(pieces, func(p magic.Piece) bool {
		return p.Command != nil && p.Command.Name == "%params" && p.Command.Args == ""
	})
}

// ParametersCell returns the index of the first cell that declares the notebook's parameters, or -1 if there is
// none.
func ParametersCell(nb *notebook.Notebook) int { return slices.IndexFunc(nb.Cells, isParameters) }

// Parameters returns the names declared by a notebook's parameters cell.
func Parameters(nb *notebook.Notebook) []string {
	if i := ParametersCell(nb); i >= 0 {
		return declarations(nb.Cells[i].Source)
	}
	return nil
}

// A parameter is a variable declared by the parameters cell.
type parameter struct {
	name string
	typ  types.Type // nil if it cannot be determined from the cell alone
}

func (p parameter) typeName() string {
	if p.typ == nil {
		return ""
	}
	return types.TypeString(p.typ, func(p *types.Package) string {
		if p.Path() == own {
			return ""
		}
		return p.Name()
	})
}

// own is the package path under which a parameters cell is checked.
const own = "cell"

// parameters lists the variables that a cell declares at its top level, sorted by name. It returns nil if the cell
// cannot be parsed. parameters knows no package except time; for variables with types of other packages, typ is nil.
func parameters(source string) []parameter {
	file, fset, body := statements(source)
	if file == nil {
		return nil
	}
	info := types.Info{Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: onlyTime{}, Error: func(error) {}}
	conf.Check(own, fset, []*ast.File{file}, &info)
	list := []parameter{}
	for _, id := range cellsyntax.Variables(body.List) {
		p := parameter{name: id.Name}
		if v, ok := info.Defs[id].(*types.Var); ok && v.Type() != types.Typ[types.Invalid] && known(v.Type()) {
			p.typ = v.Type()
		}
		if !slices.ContainsFunc(list, func(q parameter) bool { return q.name == p.name }) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b parameter) int { return strings.Compare(a.name, b.name) })
	return list
}

// known reports whether type checking could determine all parts of a type.
func known(t types.Type) bool {
	return !strings.Contains(types.TypeString(t, nil), "invalid type")
}

// statements parses a cell as a Go file. The file contains the cell's imports and declarations, followed by a function
// whose body consists of the cell's statements. This body is also the last result. All results are nil if the cell
// does not parse.
func statements(source string) (*ast.File, *token.FileSet, *ast.BlockStmt) {
	var top, body strings.Builder
	top.WriteString("package cell\n")
	source = magic.Blank(source, nil)
	chunks := cellsyntax.Split(source)
	imported := false
	for _, c := range chunks {
		text := source[c.Start:c.End]
		switch c.Kind {
		case cellsyntax.Import:
			imported = imported || strings.Contains(text, `"time"`)
			top.WriteString(text + "\n")
		case cellsyntax.Stmt:
			body.WriteString(text + "\n")
		}
	}
	if !imported {
		top.WriteString("import \"time\"\n") // an earlier cell may have imported it
	}
	for _, c := range chunks {
		if c.Kind == cellsyntax.Decl {
			top.WriteString(source[c.Start:c.End] + "\n")
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", top.String()+"func _() {\n"+body.String()+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, nil
	}
	f, ok := file.Decls[len(file.Decls)-1].(*ast.FuncDecl)
	if !ok || f.Body == nil {
		return nil, nil, nil
	}
	return file, fset, f.Body
}

// declarations returns the names of the variables that a cell declares at its top level, or nil if the cell does not
// parse.
func declarations(source string) []string {
	_, _, body := statements(source)
	if body == nil {
		return nil
	}
	var names []string
	for _, id := range cellsyntax.Variables(body.List) {
		names = append(names, id.Name)
	}
	return names
}

// onlyTime is an importer that knows only one package, a package time with the constants for durations.
type onlyTime struct{}

func (onlyTime) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, errors.New("not needed here")
	}
	p := types.NewPackage("time", "time")
	name := types.NewTypeName(token.NoPos, p, "Duration", nil)
	d := types.NewNamed(name, types.Typ[types.Int64], nil)
	p.Scope().Insert(name)
	for unit, n := range map[string]time.Duration{"Nanosecond": 1, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
		p.Scope().Insert(types.NewConst(token.NoPos, p, unit, d, constant.MakeInt64(int64(n))))
	}
	p.MarkComplete()
	return p, nil
}

// fits returns an error if text cannot be converted to a value of type t, by the rules of engine.Session.Set.
func fits(t types.Type, text string) error {
	if t == nil {
		return nil
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration" {
		if _, err := time.ParseDuration(text); err != nil {
			return errors.New("write a duration as in 90s, 1.5m or 2h")
		}
		return nil
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return errors.New("only strings, numbers, booleans and durations can be set")
	}
	bits := map[types.BasicKind]int{types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32, types.Float32: 32}[b.Kind()]
	if bits == 0 {
		bits = 64
	}
	var err error
	switch info := b.Info(); {
	case info&types.IsString != 0:
	case info&types.IsBoolean != 0:
		if _, err = strconv.ParseBool(text); err != nil {
			return errors.New("it must be true or false")
		}
	case info&types.IsUnsigned != 0:
		_, err = strconv.ParseUint(text, 0, bits)
	case info&types.IsInteger != 0:
		_, err = strconv.ParseInt(text, 0, bits)
	case info&types.IsFloat != 0:
		_, err = strconv.ParseFloat(text, bits)
	default:
		return errors.New("only strings, numbers, booleans and durations can be set")
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("the number is out of range for %s", b.Name())
	case err != nil && b.Info()&types.IsInteger != 0:
		if _, ok := new(big.Float).SetString(text); ok {
			return errors.New("it must be an integer")
		}
		return errors.New("it must be a number")
	case err != nil:
		return errors.New("it must be a number")
	}
	return nil
}
