package vocabulary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/module"
)

// dialect lists the packages that follow one convention: Fit makes a model from data, Transform and Inverse apply it,
// options are pointers, and names are spelled as in Go's standard library. Names from before the convention are in
// deprecated.go.
var dialect = []string{
	"assignment", "attention", "attention/attentionplot", "autoencoder", "classify", "codecost", "crossval", "csr", "dictionary", "dictionary/dictionaryplot", "features", "figure", "frame", "gallery", "ica", "icon", "icon/iconplot",
	"implicit", "klcoding", "kmeans", "kmeans/kmeansplot", "l2svm", "l2svm/l2svmplot", "nmf", "nmf/nmfplot", "nmfgrad", "nmfgrad/nmfgradplot", "nnls",
	"pca", "pca/pcaplot", "pursuit", "receptive", "recovery", "regress", "s3c", "s3c/s3cplot", "sparseapprox", "superposition", "taskdict", "topics",
	"tape", "tsne", "tsne/tsneplot", "unrolled", "vision", "vision/visionplot", "wordcount",
}

// words maps parts of words to the spelling that names in Go's standard library use.
var words = map[string]string{
	"colour": "color", "grey": "gray", "centre": "center", "centring": "centering", "neighbour": "neighbor", "behaviour": "behavior",
	"normalis": "normaliz", "standardis": "standardiz", "quantis": "quantiz", "minimis": "minimiz", "maximis": "maximiz", "optimis": "optimiz",
	"generalis": "generaliz", "symmetris": "symmetriz", "randomis": "randomiz", "regularis": "regulariz", "initialis": "initializ",
	"discretis": "discretiz", "analys": "analyz", "labelled": "labeled", "modelled": "modeled",
}

// spoken lists names that are exempt from the convention. Either no other word would be right (a layer is in training
// or in use), or the name is a lecture's own word, which exists in addition to the convention's.
var spoken = []string{
	"attention.BatchNorm.Train",
	"pca.Model.Reconstruct", "pca.Probabilistic.Project", // a lecture's words, in addition to Inverse and Transform
	"superposition.Model.Reconstruct", // both at once
}

var (
	learning = regexp.MustCompile(`^(Train|Learn)([A-Z]|$)`)
	applying = regexp.MustCompile(`^(Apply|Project|Encode|Embed|Features)$`)
	undoing  = regexp.MustCompile(`^(Decode|Reconstruct|Restore)$`)
	nilCtx   = regexp.MustCompile(`(?i)\bctx (may|can) be nil|nil (ctx|context)`)
)

// misspelled returns name in the spelling of Go's standard library, or "" if name already has this spelling.
func misspelled(name string) string {
	low := strings.ToLower(name)
	for is, want := range words {
		if is == "analys" && (strings.Contains(low, "analysis") || strings.Contains(low, "analyst")) {
			continue
		}
		if strings.Contains(low, is) {
			return fmt.Sprintf("%s, as in %s", want, strings.ReplaceAll(low, is, want))
		}
	}
	return ""
}

func deprecated(doc *ast.CommentGroup) bool { return strings.Contains(doc.Text(), "Deprecated:") }

// foreign returns the places in a file that do not follow the convention.
func foreign(fset *token.FileSet, file *ast.File) []string {
	var list []string
	pkg := file.Name.Name
	say := func(n ast.Node, format string, a ...any) {
		p := fset.Position(n.Pos())
		list = append(list, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(p.Filename), p.Line, fmt.Sprintf(format, a...)))
	}
	old := filepath.Base(fset.Position(file.Pos()).Filename) == "deprecated.go"
	name := func(id *ast.Ident, doc *ast.CommentGroup, field bool) {
		if !id.IsExported() {
			return
		}
		switch d := deprecated(doc); {
		case d && !old && !field:
			say(id, "%s is deprecated: deprecated.go", id.Name)
		case !d && old:
			say(id, "%s is not deprecated: another file than deprecated.go", id.Name)
		case d:
		default:
			if w := misspelled(id.Name); w != "" {
				say(id, "%s: %s", id.Name, w)
			}
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			name(d.Name, d.Doc, false)
			if nilCtx.MatchString(d.Doc.Text()) {
				say(d, "%s: its comment allows a nil context", d.Name.Name)
			}
			if deprecated(d.Doc) {
				continue
			}
			full := pkg + "." + d.Name.Name
			if d.Recv != nil {
				full = pkg + "." + strings.TrimPrefix(receiver(d), "*") + "." + d.Name.Name
			}
			if learning.MatchString(d.Name.Name) && !slices.Contains(spoken, full) {
				say(d, "%s: Fit", full)
			}
			if d.Recv != nil && matrixToMatrix(d.Type) {
				if applying.MatchString(d.Name.Name) && !slices.Contains(spoken, full) {
					say(d, "%s: Transform", full)
				}
				if undoing.MatchString(d.Name.Name) && !slices.Contains(spoken, full) {
					say(d, "%s: Inverse", full)
				}
			}
			for _, p := range d.Type.Params.List {
				if strings.HasSuffix(text(p.Type), "Options") {
					say(p, "%s takes %s: a pointer, nil means the defaults", full, text(p.Type))
				}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					doc := s.Doc
					if doc == nil {
						doc = d.Doc
					}
					name(s.Name, doc, false)
					if st, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
						for _, f := range st.Fields.List {
							for _, id := range f.Names {
								name(id, f.Doc, true)
							}
						}
					}
				case *ast.ValueSpec:
					doc := s.Doc
					if doc == nil {
						doc = d.Doc
					}
					for _, id := range s.Names {
						name(id, doc, false)
					}
				}
			}
		}
	}
	return list
}

func receiver(d *ast.FuncDecl) string {
	if s, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
		return "*" + text(s.X)
	}
	return text(d.Recv.List[0].Type)
}

// matrixToMatrix reports whether a function takes one matrix and returns one matrix, with or without an error.
func matrixToMatrix(f *ast.FuncType) bool {
	is := func(t ast.Expr) bool {
		if s, ok := t.(*ast.StarExpr); ok {
			return text(s.X) == "mat.Dense"
		}
		return text(t) == "mat.Matrix"
	}
	return f.Params.NumFields() == 1 && is(f.Params.List[0].Type) && f.Results.NumFields() > 0 && is(f.Results.List[0].Type)
}

func TestDialect(t *testing.T) {
	for _, pkg := range dialect {
		files, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pkg, len(files), err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range foreign(fset, file) {
				t.Error(s)
			}
		}
	}
}

// oldNames returns the names of the library's deprecated functions, types and constants, by import path.
func oldNames(t *testing.T) map[string][]string {
	old := map[string][]string{}
	paths, err := filepath.Glob("../../*/deprecated.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("../../*/*/deprecated.go")
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, below...)
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		in := module.Path + "/kernel-helpers/" + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					old[in] = append(old[in], d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						old[in] = append(old[in], s.Name.Name)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							old[in] = append(old[in], id.Name)
						}
					}
				}
			}
		}
	}
	if len(old) < 10 {
		t.Errorf("only %d packages have old names", len(old))
	}
	return old
}

// TestNobodyUsesOldNames looks for the deprecated functions, types and constants of the library in the repository.
func TestNobodyUsesOldNames(t *testing.T) {
	old := oldNames(t)
	looked := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_bind.go") || strings.Contains(d.Name(), "deprecated") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		looked++
		names := map[string]string{} // the paths of the imports, by name
		for _, i := range file.Imports {
			in := strings.Trim(i.Path.Value, `"`)
			if old[in] == nil {
				continue
			}
			name := in[strings.LastIndex(in, "/")+1:]
			if i.Name != nil {
				name = i.Name.Name
			}
			names[name] = in
		}
		if len(names) == 0 {
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains(old[names[x.Name]], s.Sel.Name) {
					t.Errorf("%s: %s.%s is deprecated", fset.Position(s.Pos()), x.Name, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if looked < 500 {
		t.Errorf("only %d files were looked at", looked)
	}
}

func TestForeign(t *testing.T) {
	const source = `package stray

// Train does. ctx may be nil.
func Train(ctx context.Context, X mat.Matrix, opt Options) {}

// Trained is fine, and so is a pointer.
func Trained(opt *FitOptions) {}

func (m *Model) Project(X mat.Matrix) *mat.Dense { return nil }
func (m *Model) Decode(X *mat.Dense) (*mat.Dense, error) { return nil, nil }
func (m *Model) Encode(text string) []int { return nil }

type Model struct {
	Centre, Center float64
	// Greys is old.
	//
	// Deprecated: use Grays.
	Greys int
}

const Grey, Analysis, Analyse = 1, 2, 3

// Old is old.
//
// Deprecated: use New.
func Old() {}

func normalise() {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "stray.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stray.go:4: Train: its comment allows a nil context",
		"stray.go:4: stray.Train: Fit",
		"stray.go:4: stray.Train takes Options: a pointer, nil means the defaults",
		"stray.go:9: stray.Model.Project: Transform",
		"stray.go:10: stray.Model.Decode: Inverse",
		"stray.go:14: Centre: center, as in center",
		"stray.go:21: Grey: gray, as in gray",
		"stray.go:21: Analyse: analyz, as in analyze",
		"stray.go:26: Old is deprecated: deprecated.go",
	}
	if got := foreign(fset, file); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNotebooksUseNewNames checks the names in packages of the library that the notebooks' cells and texts
// use: each must be exported, and not deprecated.
func TestNotebooksUseNewNames(t *testing.T) {
	old, exported := map[string][]string{}, map[string][]string{}
	for path, names := range oldNames(t) {
		old[path[strings.LastIndex(path, "/")+1:]] = names
	}
	paths, err := filepath.Glob("../../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("../../*/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, below...) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name := range file.Scope.Objects {
			exported[file.Name.Name] = append(exported[file.Name.Name], name)
		}
	}
	notebooks, err := filepath.Glob("../../../notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	selector := regexp.MustCompile(`(^|[^\w./"])([a-z][a-z0-9]*)\.([A-Z]\w*)`)
	looked := 0
	for _, path := range notebooks {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var nb struct {
			Cells []struct {
				ID     string   `json:"id"`
				Source []string `json:"source"`
			} `json:"cells"`
		}
		if err := json.Unmarshal(raw, &nb); err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			for _, m := range selector.FindAllStringSubmatch(strings.Join(c.Source, ""), -1) {
				pkg, name := m[2], m[3]
				if exported[pkg] == nil {
					continue
				}
				looked++
				imported := bytes.Contains(raw, []byte("/"+pkg+`\"`)) // otherwise it may be a variable
				if slices.Contains(old[pkg], name) || imported && !slices.Contains(exported[pkg], name) {
					t.Errorf("%s, cell %s: %s.%s is deprecated, or does not exist", filepath.Base(path), c.ID, pkg, name)
				}
			}
		}
	}
	if looked < 500 {
		t.Errorf("only %d names were looked at", looked)
	}
}
