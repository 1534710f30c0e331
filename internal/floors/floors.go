// Package floors declares which top folders of the project (called rooms) may import which others; the list is Rooms.
// If the rooms are drawn on floors, with an arrow from each room to every room that it imports, all arrows point down.
// So a room can be understood, built and tested together with only the rooms below it: the library without the kernel,
// the kernel without the papers. A test finds the arrows in the source and fails if Rooms does not permit one of them.
// The picture in CONTRIBUTING.md is drawn from the same list.
package floors

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/module"
)

// A Room is a top folder with Go code.
type Room struct {
	Name string
	Has  string // the content of the room, in a few words
	// Below lists the rooms that this room may import.
	Below []string
}

// Rooms lists all top folders with Go code, from the ground up.
var Rooms = []Room{
	{"internal", "what any of the others may need", nil},
	{"ui", "what code shows while it runs", []string{"internal"}},
	{"data", "data sets and generators", []string{"internal", "ui"}},
	{"kernel-helpers", "the library: algorithms, figures", []string{"internal", "ui", "data"}},
	{"kernel", "the Jupyter kernel", []string{"internal", "ui", "data"}},
	{"paper", "one package per paper", []string{"internal", "ui", "data", "kernel-helpers"}},
	{"suite", "runs notebooks, keeps results, reports", []string{"internal", "ui", "data", "kernel-helpers", "kernel", "paper"}},
	{"cmd", "the command, what cells can import", []string{"internal", "ui", "data", "kernel-helpers", "kernel", "paper", "suite"}},
}

// An Arrow says that packages of one room import packages of another.
type Arrow struct {
	From, To string // rooms
	// Imports lists the imports in the form "file.go imports path", sorted.
	Imports []string
}

// Arrows returns the arrows between the rooms of the module in the folder root, sorted by their fields From and To. It
// ignores tests and nested modules. It includes the arrows of top folders that are missing in Rooms.
func Arrows(root string) ([]Arrow, error) {
	found := map[[2]string][]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		base := path.Base(rel)
		if d.IsDir() {
			if rel == "." {
				return nil
			}
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if err == nil || base == "testdata" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
			return nil
		}
		from, _, inRoom := strings.Cut(rel, "/")
		if !inRoom || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", rel, err)
			}
			if folder, ok := module.Folder(p); ok {
				if to, _, _ := strings.Cut(folder, "/"); to != from {
					found[[2]string{from, to}] = append(found[[2]string{from, to}], rel+" imports "+folder)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var arrows []Arrow
	for pair, imports := range found {
		slices.Sort(imports)
		arrows = append(arrows, Arrow{From: pair[0], To: pair[1], Imports: imports})
	}
	slices.SortFunc(arrows, func(a, b Arrow) int {
		return strings.Compare(a.From+" "+a.To, b.From+" "+b.To)
	})
	return arrows, nil
}

// Upward returns the arrows that Rooms does not permit.
func Upward(arrows []Arrow) []Arrow {
	allowed := map[string][]string{}
	for _, r := range Rooms {
		allowed[r.Name] = r.Below
	}
	return slices.DeleteFunc(slices.Clone(arrows), func(a Arrow) bool { return slices.Contains(allowed[a.From], a.To) })
}

// levels groups the rooms into floors, from the ground up. Each room is on a higher floor than all rooms that it may
// import.
func levels() [][]Room {
	level := map[string]int{}
	var rows [][]Room
	for _, r := range Rooms {
		n := 0
		for _, b := range r.Below {
			n = max(n, level[b]+1)
		}
		level[r.Name] = n
		if n == len(rows) {
			rows = append(rows, nil)
		}
		rows[n] = append(rows[n], r)
	}
	return rows
}

// Picture draws the rooms as text, one floor below the other. A room can import only rooms on the floors below its own.
// The lines below the drawing list, for each room, what it must not import among the rooms that precede it in Rooms.
func Picture() string {
	const width, gap = 42, 2
	var b strings.Builder
	rows := levels()
	for i, row := range slices.Backward(rows) {
		var edge, names, has []string
		w := (2*width + gap - gap*(len(row)-1)) / len(row)
		for _, r := range row {
			edge = append(edge, "+"+strings.Repeat("-", w-2)+"+")
			names = append(names, fmt.Sprintf("| %-*s |", w-4, r.Name+"/"))
			has = append(has, fmt.Sprintf("| %-*s |", w-4, r.Has))
		}
		for _, line := range [][]string{edge, names, has, edge} {
			b.WriteString(strings.Join(line, strings.Repeat(" ", gap)) + "\n")
		}
		if i > 0 {
			b.WriteString(strings.Repeat(" ", width) + "v\n")
		}
	}
	for _, r := range Rooms {
		below := map[string]bool{}
		for _, name := range r.Below {
			below[name] = true
		}
		var not []string
		for _, other := range Rooms {
			if other.Name == r.Name {
				break
			}
			if !below[other.Name] {
				not = append(not, other.Name)
			}
		}
		if len(not) > 0 {
			fmt.Fprintf(&b, "%s does not import %s.\n", r.Name, strings.Join(not, ", "))
		}
	}
	return b.String()
}
