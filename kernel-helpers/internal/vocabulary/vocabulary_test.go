package vocabulary

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms lists the folders whose packages use the vocabulary.
var rooms = []string{"../..", "../../../data"}

// instead maps names that the vocabulary does not use to the names to use instead. It is for exported fields of
// exported structs, and for parameters of exported functions.
var instead = map[string]string{
	"Tol": "Tolerance", "Tols": "Tolerance", "Precision": "Tolerance",
	"MaxIter": "MaxIterations", "MaxIters": "MaxIterations", "MaxSteps": "MaxIterations",
	"MaxSweeps": "MaxIterations", "Sweeps": "MaxIterations in options, Iterations in results",
	"Iters": "Iterations", "Iter": "Iterations",
	"Threads": "Workers", "Procs": "Workers", "Jobs": "Workers", "Parallel": "Workers", "Goroutines": "Workers",
	"Context": "a first parameter ctx", "Ctx": "a first parameter ctx",
	"Settings":  "Options",
	"Converged": "Status",
}

// config lists the structs that describe a model's architecture. A model keeps such a struct, so it is not an option of
// a call.
var config = []string{"attention.Config", "attention.RecurrentConfig", "attention.Seq2SeqConfig"}

// strays returns the names in a file that do not follow the vocabulary.
func strays(fset *token.FileSet, file *ast.File) []string {
	var list []string
	say := func(n ast.Node, format string, a ...any) {
		p := fset.Position(n.Pos())
		list = append(list, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(p.Filename), p.Line, fmt.Sprintf(format, a...)))
	}
	pkg := file.Name.Name
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				parameters(d.Name.Name, d.Type, say)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				name := t.Name.Name
				switch {
				case strings.HasSuffix(strings.ToLower(name), "settings"), strings.HasSuffix(strings.ToLower(name), "config") && !slices.Contains(config, pkg+"."+name):
					say(t, "type %s: Options, or a name that ends so", name)
				case strings.HasSuffix(name, "Status") && pkg != "ended":
					say(t, "type %s: ended.Status", name)
				}
				if !t.Name.IsExported() {
					continue
				}
				switch u := t.Type.(type) {
				case *ast.StructType:
					fields(name, u, say)
				case *ast.InterfaceType:
					for _, m := range u.Methods.List {
						if f, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
							parameters(name+"."+m.Names[0].Name, f, say)
						}
					}
				case *ast.FuncType:
					parameters(name, u, say)
				}
			}
		}
	}
	return list
}

// has reports whether s has a field of the given name. Beside Recall, Precision is no tolerance.
func has(s *ast.StructType, name string) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == name })
	})
}

func fields(of string, s *ast.StructType, say func(ast.Node, string, ...any)) {
	for _, f := range s.Fields.List {
		for _, id := range f.Names {
			name := id.Name
			if w := instead[name]; w != "" && !(name == "Precision" && has(s, "Recall")) {
				say(id, "field %s.%s: %s", of, name, w)
			}
			if name == "Iterations" && strings.HasSuffix(of, "Options") {
				say(id, "field %s.Iterations: MaxIterations for the most, Steps, Epochs or Passes if all are made", of)
			}
			if name == "Status" && strings.TrimPrefix(text(f.Type), "[]") != "ended.Status" {
				say(id, "field %s.Status is of type %s: ended.Status", of, text(f.Type))
			}
		}
		if text(f.Type) == "context.Context" && len(f.Names) > 0 && f.Names[0].IsExported() {
			say(f, "field %s.%s holds a context: a first parameter ctx", of, f.Names[0].Name)
		}
	}
}

func parameters(of string, f *ast.FuncType, say func(ast.Node, string, ...any)) {
	at := 0
	for _, p := range f.Params.List {
		for _, id := range p.Names {
			name := strings.ToUpper(id.Name[:1]) + id.Name[1:]
			if w := instead[name]; w != "" && name != "Ctx" {
				say(id, "parameter %s of %s: %s", id.Name, of, w)
			}
		}
		if text(p.Type) == "context.Context" {
			if at > 0 {
				say(p, "%s: its context is not the first parameter", of)
			} else if len(p.Names) > 0 && p.Names[0].Name != "ctx" && p.Names[0].Name != "_" {
				say(p, "%s: its context is called %s: ctx", of, p.Names[0].Name)
			}
		}
		at += max(1, len(p.Names))
	}
}

// text returns the type as written if it is a name or a slice of a named type. For other types it returns "?".
func text(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return text(t.X) + "." + t.Sel.Name
	case *ast.ArrayType:
		return "[]" + text(t.Elt)
	}
	return "?"
}

func TestOneVocabulary(t *testing.T) {
	fset := token.NewFileSet()
	files := 0
	for _, room := range rooms {
		err := filepath.WalkDir(room, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if name := file.Name.Name; name == "main" || name == "peer" { // programs; Python, which has threads
				return nil
			}
			files++
			for _, s := range strays(fset, file) {
				t.Error(s)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 200 {
		t.Errorf("only %d files were looked at", files)
	}
}

func TestStrays(t *testing.T) {
	const source = `package stray

type FitSettings struct {
	Tol     float64
	MaxIter int
	Threads int
	Context context.Context
	Good    context.Context
	Workers int
}

type Config struct{}

type FitOptions struct{ Iterations, MaxIterations int }

type Status int

type Result struct {
	Status     Status
	Statuses   []ended.Status
	Iterations int
	Sweeps     int
	Precision  float64
}

type Curve struct{ Precision, Recall []float64 }

type Coder interface {
	Code(x []float64, ctx context.Context) error
}

func Fit(x []float64, ctx context.Context, tol float64) {}
func Ask(c context.Context) {}
func Good(ctx context.Context, tolerance float64) {}
func (r *Result) Fit(_ context.Context) {}
func helper(x []float64, ctx context.Context) {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "stray.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stray.go:3: type FitSettings: Options, or a name that ends so",
		"stray.go:4: field FitSettings.Tol: Tolerance",
		"stray.go:5: field FitSettings.MaxIter: MaxIterations",
		"stray.go:6: field FitSettings.Threads: Workers",
		"stray.go:7: field FitSettings.Context: a first parameter ctx",
		"stray.go:7: field FitSettings.Context holds a context: a first parameter ctx",
		"stray.go:8: field FitSettings.Good holds a context: a first parameter ctx",
		"stray.go:12: type Config: Options, or a name that ends so",
		"stray.go:14: field FitOptions.Iterations: MaxIterations for the most, Steps, Epochs or Passes if all are made",
		"stray.go:16: type Status: ended.Status",
		"stray.go:19: field Result.Status is of type Status: ended.Status",
		"stray.go:22: field Result.Sweeps: MaxIterations in options, Iterations in results",
		"stray.go:23: field Result.Precision: Tolerance",
		"stray.go:29: Coder.Code: its context is not the first parameter",
		"stray.go:32: Fit: its context is not the first parameter",
		"stray.go:32: parameter tol of Fit: Tolerance",
		"stray.go:33: Ask: its context is called c: ctx",
	}
	got := strays(fset, file)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
