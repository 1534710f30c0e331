package modules

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"overcomplete/internal/module"
)

// guardFile is the name of the file that is added to each changed package.
const guardFile = "overcomplete_guard.go"

// exits maps the functions that end the process to their replacements, which are in guardFile.
var exits = map[string]map[string]string{
	"os":  {"Exit": "overcomplete_Exit"},
	"log": {"Fatal": "overcomplete_Fatal", "Fatalf": "overcomplete_Fatalf", "Fatalln": "overcomplete_Fatalln"},
}

// guardModules makes the build use changed copies of modules. In the copies, os.Exit, log.Fatal, log.Fatalf and
// log.Fatalln end the cell that runs (see cell.Exit), and a panic in a goroutine "go func() {...}()" ends this goroutine.
// Otherwise they would end the kernel's process, with which all variables would be lost. Lines keep their numbers. The
// modules of the kernel's own program stay as they are, so that what the go command has compiled of them remains usable.
// Other ways to end the process remain, such as the method (*log.Logger).Fatal and panics in "go f()".
//
// The go command refuses an overlay for files of the module cache, so go.mod replaces these modules by the copies. Forks
// (modules that another module replaces) stay as they are, because their go.mod files may have other paths.
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

// guarded returns the new and changed files of the package, by their names; see guardModules. It returns nil if nothing
// changes. If hasTable is set, cells may import the package, and its generic declarations get what they need; see reveal.
func (p *goPackage) guarded(hasTable bool) (changed map[string][]byte, err error) {
	changed = map[string][]byte{}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		if !hasTable && !bytes.Contains(text, []byte("Exit")) && !bytes.Contains(text, []byte("Fatal")) && !bytes.Contains(text, []byte("go func")) {
			continue
		}
		f, err := parser.ParseFile(fset, "", text, 0)
		if err != nil {
			continue // the compiler will say more
		}
		files = append(files, f)
		if text = guarded(fset, f, text); text != nil {
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

// guarded returns the changed text of a file, given its syntax and its text; see guardModules. It returns nil if nothing
// changes.
func guarded(fset *token.FileSet, f *ast.File, text []byte) []byte {
	named := map[string]string{} // the paths of packages os and log, by their names in the file
	for _, s := range f.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if exits[path] == nil {
			continue
		}
		name := path
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
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if lit, ok := n.Call.Fun.(*ast.FuncLit); ok {
				after := lit.Body.Lbrace + 1
				replace(after, after, " defer overcomplete_Recover();")
			}
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || id.Obj != nil { // Obj is set for a variable of this name
				break
			}
			if by := exits[named[id.Name]][n.Sel.Name]; by != "" {
				replace(n.Pos(), n.End(), by)
				uses[id.Name] = id.Name + "." + n.Sel.Name
			}
		}
		return true
	})
	if from == 0 {
		return nil
	}
	out.Write(text[from:])
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(&out, "\nvar _ = %s\n", uses[name])
	}
	return out.Bytes()
}

// guardTemplate is the text of the file guardFile. It is valid in old versions of Go, in which some modules are written.
//
//go:embed guard.go.txt
var guardTemplate string

// guardText returns the text of the file guardFile for a package with the given name.
func guardText(name string) []byte {
	return []byte(strings.NewReplacer("PACKAGE", name, "CELL", module.Package("ui/cell")).Replace(guardTemplate))
}
