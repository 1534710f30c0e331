package modules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"overcomplete/internal/module"
)

// exitsFile is the name of a file that is added to each package whose calls of os.Exit or log.Fatal are replaced.
const exitsFile = "overcomplete_exits.go"

// exits maps the functions that end the process to their replacements, which are in exitsFile.
var exits = map[string]map[string]string{
	"os":  {"Exit": "overcomplete_Exit"},
	"log": {"Fatal": "overcomplete_Fatal", "Fatalf": "overcomplete_Fatalf", "Fatalln": "overcomplete_Fatalln"},
}

// replaceExits puts changed copies of Go files into the overlay. In these copies, os.Exit, log.Fatal, log.Fatalf and
// log.Fatalln end the cell that runs (cell.Exit) instead of the kernel's process, in which all variables would be lost.
// Lines keep their numbers. Packages that the kernel's own program contains stay as they are, so that their compiled
// form in the build cache remains usable. Methods such as (*log.Logger).Fatal still end the process.
func (b *buildPlan) replaceExits(all []*goPackage) error {
	for _, p := range all {
		if p.Standard || p.Module == nil || isOwn(p.Module.Path) || b.own[p.Module.Path] != "" {
			continue
		}
		if !slices.Contains(p.Imports, "os") && !slices.Contains(p.Imports, "log") {
			continue
		}
		some := false
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			changed := withoutExits(text)
			if changed == nil {
				continue
			}
			some = true
			if err := b.put(file, changed); err != nil {
				return err
			}
		}
		if some {
			if err := b.put(filepath.Join(p.Dir, exitsFile), replacements(p.Name)); err != nil {
				return err
			}
		}
	}
	if len(b.over) == 0 {
		return nil
	}
	return b.writeOverlay()
}

// withoutExits returns the text of a Go file with the replacements of exits. It returns nil if there is nothing to
// replace, or if the text is not Go, about which the compiler will say more.
func withoutExits(text []byte) []byte {
	if !bytes.Contains(text, []byte("Exit")) && !bytes.Contains(text, []byte("Fatal")) {
		return nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, 0)
	if err != nil {
		return nil
	}
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
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	kept := map[string]string{} // expressions that use a package, which may have no other use, by its name
	ast.Inspect(f, func(n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := x.X.(*ast.Ident)
		if !ok || id.Obj != nil { // a variable of that name
			return true
		}
		if by := exits[named[id.Name]][x.Sel.Name]; by != "" {
			edits = append(edits, edit{fset.Position(x.Pos()).Offset, fset.Position(x.End()).Offset, by})
			kept[id.Name] = id.Name + "." + x.Sel.Name
		}
		return true
	})
	if len(edits) == 0 {
		return nil
	}
	var out bytes.Buffer
	from := 0
	for _, e := range edits {
		out.Write(text[from:e.from])
		out.WriteString(e.text)
		from = e.to
	}
	out.Write(text[from:])
	for _, expr := range kept {
		fmt.Fprintf(&out, "\nvar _ = %s\n", expr)
	}
	return out.Bytes()
}

// replacements returns the text of the file exitsFile for a package with the given name.
// The text is valid in old versions of Go, in which some modules are written.
func replacements(name string) []byte {
	return fmt.Appendf(nil, `package %s

import (
	overcomplete_fmt "fmt"
	overcomplete_log "log"
	_ "unsafe" // for go:linkname
)

//go:linkname overcomplete_Exit %s.Exit
func overcomplete_Exit(code int)

func overcomplete_Fatal(v ...interface{}) {
	overcomplete_log.Output(2, overcomplete_fmt.Sprint(v...))
	overcomplete_Exit(1)
}

func overcomplete_Fatalf(format string, v ...interface{}) {
	overcomplete_log.Output(2, overcomplete_fmt.Sprintf(format, v...))
	overcomplete_Exit(1)
}

func overcomplete_Fatalln(v ...interface{}) {
	overcomplete_log.Output(2, overcomplete_fmt.Sprintln(v...))
	overcomplete_Exit(1)
}
`, name, module.Package("ui/cell"))
}
