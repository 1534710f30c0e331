package modules

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	importpath "path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/module"
)

// guardFile is the name of the file that is added to each changed package.
const guardFile = "overcomplete_guard.go"

// replaced maps functions that end the process, and functions that look at the call stack, to their replacements, which
// are in guardFile.
var replaced = map[string]map[string]string{
	"os":  {"Exit": "overcomplete_Exit"},
	"log": {"Fatal": "overcomplete_Fatal", "Fatalf": "overcomplete_Fatalf", "Fatalln": "overcomplete_Fatalln"},
	"runtime": {"Caller": "overcomplete_Caller", "Callers": "overcomplete_Callers",
		"CallersFrames": "overcomplete_CallersFrames", "FuncForPC": "overcomplete_FuncForPC", "Stack": "overcomplete_Stack"},
	"runtime/debug": {"Stack": "overcomplete_DebugStack", "PrintStack": "overcomplete_PrintStack"},
}

// guardModules makes the build use changed copies of modules. In the copies, os.Exit, log.Fatal, log.Fatalf and
// log.Fatalln end the running cell (see cell.Exit), and a panic in a goroutine that the module starts ends this
// goroutine (see cell.Panicked). Otherwise they would end the kernel's process, and all variables would be lost.
// runtime.Callers and its relatives show functions of cells in place of the kernel's functions (see package callers).
// Line numbers do not change. The modules of the kernel's own program stay as they are, so that the packages of these
// modules that the go command has already compiled remain usable. Other ways to end the process remain, such as the
// method (*log.Logger).Fatal and a panic in "go p.F()", where p is a package.
//
// The go command refuses an overlay for files in the module cache, so go.mod replaces these modules with the copies.
// Forks (modules that another module replaces) stay as they are, because their go.mod files may have other paths.
func (b *buildPlan) guardModules(all []*goPackage, companions []string) error {
	copies := map[string]string{} // the folders of the copies, by the paths of the modules
	tables := slices.Concat(companions, b.spec.packages)
	for _, p := range all {
		m := p.Module
		if m == nil || isOwn(m.Path) || b.own[m.Path] != "" || m.Replace != nil && m.Replace.Version != "" {
			continue
		}
		changed, err := p.guarded(slices.Contains(tables, p.ImportPath))
		if err != nil {
			return err
		}
		if changed == nil {
			continue
		}
		if p.local() {
			for name, text := range changed {
				if err := b.put(filepath.Join(p.Dir, name), text); err != nil {
					return err
				}
			}
			continue
		}
		to := copies[m.Path]
		if to == "" {
			to = filepath.Join(b.dir, fmt.Sprintf("module-%d", len(copies)))
			copies[m.Path] = to
			if err := copyModule(to, m); err != nil {
				return err
			}
		}
		within, err := filepath.Rel(m.Dir, p.Dir)
		if err != nil {
			return err
		}
		for name, text := range changed {
			if err := os.WriteFile(filepath.Join(to, within, name), text, 0o600); err != nil {
				return err
			}
		}
	}
	if err := b.writeOverlay(); err != nil || len(copies) == 0 {
		return err
	}
	name := filepath.Join(b.dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	for path, dir := range copies {
		if err := f.AddReplace(path, "", dir, ""); err != nil {
			return err
		}
	}
	if text, err = f.Format(); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o600)
}

// copyModule copies the module m from the module cache to a new folder.
func copyModule(to string, m *listedModule) error {
	if err := os.CopyFS(to, os.DirFS(m.Dir)); err != nil {
		return err
	}
	mod := filepath.Join(to, "go.mod")
	if _, err := os.Stat(mod); err == nil {
		return nil
	}
	return os.WriteFile(mod, []byte("module "+m.Path+"\n"), 0o600) // the go command assumes this for an old module
}

// guarded returns the new and changed files of the package, by name; see guardModules. It returns nil if nothing
// changes. If hasTable is set, cells may import the package, and guarded adds the exported names that its generic
// declarations need; see reveal.
func (p *goPackage) guarded(hasTable bool) (changed map[string][]byte, err error) {
	changed = map[string][]byte{}
	fset := token.NewFileSet()
	var files []*ast.File
	texts, generic := make([][]byte, len(p.GoFiles)), map[string]bool{}
	for i, name := range p.GoFiles {
		if texts[i], err = os.ReadFile(filepath.Join(p.Dir, name)); err != nil {
			return nil, err
		}
		for _, m := range genericFunc.FindAllSubmatch(texts[i], -1) {
			generic[string(m[1])] = true
		}
	}
	for i, name := range p.GoFiles {
		if !hasTable && !concerns.Match(texts[i]) {
			continue
		}
		f, err := parser.ParseFile(fset, "", texts[i], 0)
		if err != nil {
			continue // the compiler will say more
		}
		files = append(files, f)
		if text := guarded(fset, f, texts[i], generic); text != nil {
			changed[name] = text
		}
	}
	more := ""
	if hasTable {
		more = reveal(files)
	}
	if len(changed) == 0 && more == "" {
		return nil, nil
	}
	changed[guardFile] = append(guardText(p.Name), more...)
	return changed, nil
}

var (
	concerns    = regexp.MustCompile(`Exit|Fatal|Caller|FuncForPC|Stack|\bgo [\w(]`) // matches in each file that may change
	genericFunc = regexp.MustCompile(`(?m)^func (?:\([^)]*\) ?)?(\w+)\[`)            // matches the declarations of generic functions and methods
)

// guarded returns the changed text of a file, given its syntax and its text; see guardModules. It returns nil if nothing
// changes. The map generic holds the names of the package's generic functions and methods.
func guarded(fset *token.FileSet, f *ast.File, text []byte, generic map[string]bool) []byte {
	named := map[string]string{} // the paths of the packages with replaced functions, by their names in the file
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if replaced[path] == nil {
			continue
		}
		name := importpath.Base(path)
		if s.Name != nil {
			name = s.Name.Name
		}
		named[name] = path
	}
	var out bytes.Buffer
	from := 0 // text[:from] has been written
	replace := func(pos, end token.Pos, by string) {
		out.Write(text[from:fset.Position(pos).Offset])
		out.WriteString(by)
		from = fset.Position(end).Offset
	}
	uses := map[string]string{} // expressions that use the packages, which may have no other use, by the packages' names
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			fun, dots := n.Call.Fun, n.Call.Ellipsis
			if lit, ok := fun.(*ast.FuncLit); ok {
				after := lit.Body.Lbrace + 1
				replace(after, after, " defer overcomplete_Recover();")
				break
			}
			if !isValue(fun, generic) {
				break
			}
			guard := "overcomplete_Guard("
			if dots.IsValid() {
				guard = "overcomplete_GuardSlice("
			}
			replace(fun.Pos(), fun.Pos(), guard)
			ast.Inspect(fun, visit)
			replace(fun.End(), fun.End(), ")")
			for _, arg := range n.Call.Args {
				ast.Inspect(arg, visit)
			}
			if dots.IsValid() {
				replace(dots, dots+token.Pos(len("...")), "")
			}
			return false
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || id.Obj != nil { // Obj is set for a variable of this name
				break
			}
			if by := replaced[named[id.Name]][n.Sel.Name]; by != "" {
				replace(n.Pos(), n.End(), by)
				uses[id.Name] = id.Name + "." + n.Sel.Name
			}
		}
		return true
	}
	ast.Inspect(f, visit)
	if from == 0 {
		return nil
	}
	out.Write(text[from:])
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(&out, "\nvar _ = %s\n", uses[name])
	}
	return out.Bytes()
}

// isValue reports whether the called function fun can be passed as a value. Builtins cannot, nor can generic functions
// without type arguments. The answer is no for functions of other packages, which may be generic.
func isValue(fun ast.Expr, generic map[string]bool) bool {
	switch x := fun.(type) {
	case *ast.Ident:
		return !generic[x.Name] && (x.Obj != nil || types.Universe.Lookup(x.Name) == nil)
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		return !generic[x.Sel.Name] && (!ok || id.Obj != nil)
	case *ast.IndexExpr:
		return isValue(x.X, generic)
	}
	return false
}

// guardTemplate is the text of the file guardFile. It is also valid in old versions of Go, because some modules are
// written in them.
//
//go:embed guard.go.txt
var guardTemplate string

// guardText returns the text of the file guardFile for a package with the given name.
func guardText(name string) []byte {
	return []byte(strings.NewReplacer("PACKAGE", name, "CELL", module.Package("ui/cell"), "CALLERS", module.Package("kernel/internal/callers")).Replace(guardTemplate))
}
