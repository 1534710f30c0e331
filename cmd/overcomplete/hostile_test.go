package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/module"
	patient "overcomplete/internal/patience"
	"overcomplete/internal/testfile"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
)

// A writeRow is a row of the table in SECURITY.md that lists the paths that commands write.
type writeRow struct {
	commands []string // commands with the flags for which the row holds
	paths    []string
}

// writtenTable reads the table from SECURITY.md.
func writtenTable(t *testing.T) []writeRow {
	t.Helper()
	b := testfile.Read(t, "../../SECURITY.md")
	_, text, _ := strings.Cut(string(b), "<!-- what commands write -->\n")
	text, _, ok := strings.Cut(text, "<!-- end of what commands write -->")
	if !ok {
		t.Fatal("SECURITY.md has no table of what commands write")
	}
	quoted := func(s string) (list []string) {
		for i, part := range strings.Split(s, "`") {
			if i%2 == 1 {
				list = append(list, part)
			}
		}
		return list
	}
	var rows []writeRow
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[2:] {
		columns := strings.Split(line, "|")
		if len(columns) != 6 {
			t.Fatalf("a row of %d columns: %s", len(columns)-2, line)
		}
		r := writeRow{quoted(columns[1]), quoted(columns[2])}
		if len(r.commands) == 0 || len(r.paths) == 0 != (strings.TrimSpace(columns[2]) == "nothing") {
			t.Errorf("a row without commands or paths: %s", line)
		}
		rows = append(rows, r)
	}
	return rows
}

// allows returns the paths that a command may write.
func allows(rows []writeRow, args []string) (paths []string) {
	for _, r := range rows {
		for _, c := range r.commands {
			words := strings.Fields(c)
			if words[0] != args[0] || slices.ContainsFunc(words[1:], func(w string) bool { return !slices.Contains(args, w) && !strings.Contains(strings.Join(args, " "), w) }) {
				continue
			}
			paths = append(paths, r.paths...)
			break
		}
	}
	return paths
}

// pattern converts a path in the table to a regular expression.
func pattern(path string, names map[string]string) *regexp.Regexp {
	first, rest, _ := strings.Cut(path, "/")
	if to, ok := names[first]; ok {
		path = strings.TrimSuffix(to+"/"+rest, "/")
	}
	var b strings.Builder
	last := 0
	for _, at := range regexp.MustCompile(`\*\*|\*|\bX(\b|_)`).FindAllStringIndex(path, -1) {
		b.WriteString(regexp.QuoteMeta(path[last:at[0]]))
		switch path[at[0]:at[1]] {
		case "**":
			b.WriteString(`.*`)
		case "*":
			b.WriteString(`[^/]*`)
		case "X_":
			b.WriteString(names["X"] + "_")
		default:
			b.WriteString(names["X"])
		}
		last = at[1]
	}
	b.WriteString(regexp.QuoteMeta(path[last:]))
	return regexp.MustCompile("(?s)^" + b.String() + "$")
}

// A hostileFolder is a folder with an untrusted notebook, next to files and folders of the user.
type hostileFolder struct {
	t    *testing.T
	top  string
	name string // name of the notebook
}

const secret = "a picture that is nobody's business"

// newHostile makes a hostile folder. The notebook's cells show HTML, so that the notebook is signed, and its
// text refers to pictures.
func newHostile(t *testing.T, name string) hostileFolder {
	t.Helper()
	p := hostileFolder{t, t.TempDir(), name}
	for _, dir := range []string{"home/.config", "home/.cache", "home/.local/share", "tmp", "victims/folder", "nb"} {
		if err := os.MkdirAll(filepath.Join(p.top, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := notebook.NewCode("# A lesson\n\n![one](link.png) ![two](pipe.png) ![three](folder/secret.png) ![four](in.png)")
	text.Type, text.ID = notebook.Markdown, "text"
	code := notebook.NewCode("import \"overcomplete/ui/display\"\nx:=1\ndisplay.HTML(\"<b>bold</b>\")")
	picture := notebook.NewCode("import \"image\"\nimage.NewGray(image.Rect(0, 0, 3, 3))")
	code.ID, picture.ID = "code", "picture"
	nb := &notebook.Notebook{Metadata: goMetadata(), Cells: []*notebook.Cell{text, code, picture}}
	if err := nb.Write(p.path("nb/" + name + ".ipynb")); err != nil {
		t.Fatal(err)
	}
	p.put("victims/folder/secret.png", secret)
	p.put("nb/own.png", "a picture of the notebook's folder")
	p.link("../victims/folder/secret.png", "nb/link.png")
	p.link("../victims/folder", "nb/folder")
	p.link("own.png", "nb/in.png")
	makePipe(t, p.path("nb/pipe.png"))
	return p
}

func (p hostileFolder) path(name string) string {
	return filepath.Join(p.top, filepath.FromSlash(name))
}

func (p hostileFolder) put(name, text string) {
	p.t.Helper()
	err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755)
	if err == nil {
		err = os.WriteFile(p.path(name), []byte(text), 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p hostileFolder) link(to, name string) {
	p.t.Helper()
	err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755)
	if err == nil {
		err = os.Symlink(to, p.path(name))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// state returns the kind, permissions and content of each path below the top folder.
func (p hostileFolder) state() map[string]string {
	p.t.Helper()
	state := map[string]string{}
	err := filepath.WalkDir(p.top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.top, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + to
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += fmt.Sprintf(" %x", sha256.Sum256(b))
		}
		state[filepath.ToSlash(name)] = what
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return state
}

// run runs a command in the notebook's folder, and returns the paths that the command has changed.
func (p hostileFolder) run(args ...string) (code int, said string, changed []string) {
	p.t.Helper()
	before := p.state()
	cmd := program(p.t, p.path("nb"), args...)
	cmd.Env = append(cmd.Env, "HOME="+p.path("home"), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "JUPYTER_DATA_DIR=", "JUPYTER_PATH=",
		"JUPYTER_RUNTIME_DIR=", "TMPDIR="+p.path("tmp"), "OVERCOMPLETE_DATA="+p.path("home/.cache/overcomplete/data"), signature.Variable+"=")
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	after := p.state()
	for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
		if before[name] != after[name] {
			changed = append(changed, name)
		}
	}
	return cmd.ProcessState.ExitCode(), string(out), changed
}

func union(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for _, m := range []map[string]string{a, b} {
		for k := range m {
			all[k] = true
		}
	}
	return all
}

// disallowed returns the changed paths that the table does not allow a command to write. Parent folders of an
// allowed path may be created. It records in the map used which paths of the table occurred.
func (p hostileFolder) disallowed(rows []writeRow, args, changed []string, used map[string]bool) (list []string) {
	names := map[string]string{"NB": "nb", "PROJECT": "nb", "CONFIG": "home/.config", "CACHE": "home/.cache", "SHARE": "home/.local/share",
		"JUPYTER": "home/.local/share/jupyter", "OUT": "nb/out", "X": regexp.QuoteMeta(p.name), "site": "nb/site"}
	if len(args) > 1 && args[0] == "export" && slices.Contains(args, "--go") {
		names["X"] = regexp.QuoteMeta(p.name) + "|" + regexp.QuoteMeta(moduleName(p.name+".ipynb"))
		names["X"] = "(?:" + names["X"] + ")"
	}
	if strings.HasPrefix(args[len(args)-1], "run/") {
		names["NB"] = "nb/run"
	}
	after := p.state()
	for _, path := range changed {
		fine := false
		for _, allowed := range allows(rows, args) {
			if pattern(allowed, names).MatchString(path) {
				fine, used[allowed] = true, true
			} else if strings.HasPrefix(after[path], "d") && folderOf(path, allowed, names) {
				fine = true
			}
		}
		if !fine {
			list = append(list, path)
		}
	}
	return list
}

// folderOf reports whether a folder is a parent of a path of the table.
func folderOf(folder, allowed string, names map[string]string) bool {
	for up := allowed; strings.Contains(up, "/"); {
		up = up[:strings.LastIndexByte(up, '/')]
		if pattern(up, names).MatchString(folder) {
			return true
		}
		if !strings.Contains(up, "/") { // the folder CONFIG itself may have to be created, too
			return strings.HasPrefix(names[up]+"/", folder+"/")
		}
	}
	return false
}

// steps lists commands that write next to the notebook X.
var steps = []string{
	"run X.ipynb", "run --export html X.ipynb", "run --export markdown X.ipynb", "run --inplace X.ipynb", "run --record X.ipynb", "run --check X.ipynb", "run -n X.ipynb",
	"run X.ipynb --out out", "run X.ipynb --out out/",
	"export X.ipynb", "export --slides X.ipynb", "export --slide-types X.ipynb", "export --go X.ipynb", "export --go --package p X.ipynb", "export X.ipynb --out out/", "export --markdown X.ipynb --out out/",
	"export --markdown run/X.ipynb", "export X.svg",
	"handout X.ipynb", "handout X.ipynb --out out/", "fmt -l X.ipynb", "fmt -d X.ipynb", "fmt X.ipynb",
}

// TestHostileFolder runs commands in an untrusted folder, with links and pipes at all paths that commands
// write. Only the files listed in SECURITY.md may change, and nothing outside the folder may change. Normally a third
// of the links and of the odd names are tried (see patience.LeftOut).
func TestHostileFolder(t *testing.T) {
	patient.SkipShort(t, "it runs the program some hundred times")
	if runtime.GOOS == "windows" {
		t.Skip("its links need a right there, and it has no pipes with names in folders")
	}
	rows := writtenTable(t)
	used := map[string]bool{}
	// arguments returns the arguments of a step for the notebook in p. Files that a step reads come from
	// earlier steps.
	arguments := func(p hostileFolder, step string) []string {
		var args []string
		for _, w := range strings.Fields(step) {
			args = append(args, strings.NewReplacer("X.ipynb", p.name+".ipynb", "X.svg", p.name+".svg").Replace(w))
		}
		if strings.Contains(step, "X.svg") {
			p.put("nb/"+p.name+".svg", string(testfile.Read(t, "../../figures/lecture-pca/ppca.svg")))
		}
		if strings.Contains(step, "--go") {
			p.put("go.mod", "module "+module.Path+"\n\ngo 1.26\n") // marks the folder that contains the source
		}
		if strings.Contains(step, "run/X.ipynb") {
			b := testfile.Read(t, p.path("nb/"+p.name+".ipynb"))
			nb, err := notebook.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			nb.Cells[2].Outputs = []notebook.Output{{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"image/png": base64.StdEncoding.EncodeToString([]byte("\x89PNG"))}}}
			if b, err = nb.Bytes(); err != nil {
				t.Fatal(err)
			}
			p.put("nb/run/"+p.name+".ipynb", string(b))
		}
		return args
	}
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			// In a folder without traps, each command does what the table says.
			p := newHostile(t, "lesson")
			args := arguments(p, step)
			code, said, changed := p.run(args...)
			if code != 0 && step != "run --check X.ipynb" { // this step reports that the notebook was not run
				t.Fatalf("%d\n%s", code, said)
			}
			if bad := p.disallowed(rows, args, changed, used); len(bad) > 0 {
				t.Errorf("SECURITY.md does not say that it writes %q", bad)
			}
			made := map[string]string{} // the files written next to the notebook, with their content
			for _, path := range changed {
				if b, err := os.ReadFile(p.path(path)); err == nil && strings.HasPrefix(path, "nb/") {
					made[path] = string(b)
					if strings.Contains(string(b), secret) || strings.Contains(string(b), base64.StdEncoding.EncodeToString([]byte(secret))) {
						t.Errorf("%s has a picture from elsewhere", path)
					}
				}
			}
			for path, content := range made {
				if path == "nb/lesson.ipynb" || path == "nb/out" {
					continue // the file is named on the command line
				}
				dir := filepath.ToSlash(filepath.Dir(path))
				up := strings.Repeat("../", strings.Count(path, "/"))
				for trap, set := range map[string]func(p hostileFolder){
					"a link to a file":      func(p hostileFolder) { p.put("victims/file", content); p.link(up+"victims/file", path) },
					"an absolute link":      func(p hostileFolder) { p.put("victims/file", content); p.link(p.path("victims/file"), path) },
					"a link to nothing":     func(p hostileFolder) { p.link(up+"victims/none", path) },
					"a link to a folder":    func(p hostileFolder) { p.link(up+"victims/folder", path) },
					"its folder is a link":  func(p hostileFolder) { p.link(strings.Repeat("../", strings.Count(dir, "/"))+"victims/folder", dir) },
					"a pipe":                func(p hostileFolder) { os.MkdirAll(p.path(dir), 0o755); makePipe(t, p.path(path)) },
					"a folder nobody reads": func(p hostileFolder) { os.MkdirAll(p.path(path), 0o755); os.Chmod(p.path(path), 0) },
				} {
					if trap == "its folder is a link" && (dir == "nb" || dir == "nb/out") || patient.LeftOut(step+path+trap) {
						continue
					}
					p := newHostile(t, "lesson")
					if strings.HasSuffix(trap, "is a link") {
						p.put("victims/folder/"+filepath.Base(path), content)
					}
					args := strings.Fields(strings.ReplaceAll(step, "X.ipynb", "lesson.ipynb"))
					if trap != "its folder is a link" || dir != "nb/run" {
						arguments(p, step)
					}
					set(p)
					code, said, changed := p.run(args...)
					if bad := p.disallowed(rows, args, changed, used); len(bad) > 0 {
						t.Errorf("%s at %s: it changed %q\n%s", trap, path, bad, said)
					}
					os.Chmod(p.path(path), 0o755)
					if code == 0 {
						t.Errorf("%s at %s: it went well, and said\n%s", trap, path, said)
					}
				}
			}
		})
	}
	for _, name := range []string{"-lesson", "a b;$(touch pwned) & `touch pwned`", "ümläut\nand a line", "dots..", "\x1b[31mred", "%41"} {
		p := newHostile(t, name)
		for _, step := range steps {
			if strings.Contains(step, "run/X") || patient.LeftOut(name+step) {
				continue // what is below run is from earlier steps
			}
			var args []string
			for _, w := range strings.Fields(step) {
				args = append(args, strings.ReplaceAll(w, "X.ipynb", "./"+name+".ipynb"))
			}
			if strings.HasSuffix(step, " out") {
				continue
			}
			_, said, changed := p.run(args...)
			if bad := p.disallowed(rows, args, changed, used); len(bad) > 0 {
				t.Errorf("%q: %s: it changed %q\n%s", name, step, bad, said)
			}
		}
	}
	// Each command has a row, and each path in the table occurs in this test.
	for _, c := range commands() {
		if !slices.ContainsFunc(rows, func(r writeRow) bool {
			return slices.ContainsFunc(r.commands, func(s string) bool { return strings.Fields(s)[0] == c.name })
		}) {
			t.Errorf("SECURITY.md does not say what %s writes", c.name)
		}
	}
	for _, r := range rows {
		for _, path := range r.paths {
			if strings.HasPrefix(path, "NB/") && !used[path] && path != "NB/X/overcomplete/**" { // in this test the checkout contains the source
				t.Errorf("no command has written %s, which SECURITY.md says of %q", path, r.commands)
			}
		}
	}
}

// TestNamedLinks checks that a link named by the user is followed.
func TestNamedLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	p := newHostile(t, "lesson")
	p.put("victims/page.html", "old")
	p.link("../victims/page.html", "nb/page.html")
	p.link("../victims/folder", "nb/pages")
	if err := os.Rename(p.path("nb/lesson.ipynb"), p.path("victims/real.ipynb")); err != nil {
		t.Fatal(err)
	}
	p.link("../victims/real.ipynb", "nb/lesson.ipynb")
	for args, want := range map[string]string{
		"export lesson.ipynb --out page.html": "victims/page.html",
		"export lesson.ipynb --out pages":     "victims/folder/lesson.html",
		"fmt lesson.ipynb":                    "victims/real.ipynb",
	} {
		code, said, changed := p.run(strings.Fields(args)...)
		if code != 0 || !slices.Equal(changed, []string{want}) {
			t.Errorf("%s: %d, changed %q, want %s\n%s", args, code, changed, want, said)
		}
	}
}

// TestHostileProject runs commands that write into the project, in a folder that claims to be the project and
// has links at the paths that the commands write.
func TestHostileProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its links need a right there")
	}
	rows, used := writtenTable(t), map[string]bool{}
	papers := testfile.Read(t, "papers.go")
	project := func() hostileFolder {
		p := newHostile(t, "lesson")
		p.put("nb/go.mod", "module "+module.Path+"\n\ngo 1.26\n")
		p.put("nb/cmd/overcomplete/papers.go", string(papers))
		for name, row := range map[string]string{"README.md": "| [a](notebooks/a.ipynb) | A |", "paper/README.md": "| [a](../notebooks/a.ipynb) | A |"} {
			p.put("nb/"+name, "# A project\n\n"+row+"\n\n<!-- scoreboard: written by 'overcomplete report --readme' -->\n<!-- end of the scoreboard -->\n")
		}
		for _, name := range []string{"figures/nmf-implicit/results.json"} {
			p.put("nb/"+name, string(testfile.Read(t, "../../"+name)))
		}
		return p
	}
	for step, places := range map[string][]string{
		"new-paper x2020 A title": {"paper/x2020", "paper", "notebooks", "notebooks/x2020.ipynb", "cmd/overcomplete/papers.go", "README.md", "paper/README.md"},
		"report --readme":         {"README.md", "paper", "paper/README.md"},
		"report --brief":          {"figures/run", "figures/run/site"},
	} {
		args := strings.Fields(step)
		if args[0] == "new-paper" {
			args = []string{"new-paper", "x2020", "A title"}
		}
		p := project()
		code, said, changed := p.run(args...)
		if bad := p.disallowed(rows, args, changed, used); code != 0 || len(bad) > 0 || len(changed) == 0 {
			t.Errorf("%s: %d, SECURITY.md does not say that it writes %q\n%s", step, code, bad, said)
		}
		for _, place := range places {
			p := project()
			target := "victims/folder"
			if b, err := os.ReadFile(p.path("nb/" + place)); err == nil {
				p.put("victims/file", string(b))
				target = "victims/file"
			}
			os.RemoveAll(p.path("nb/" + place))
			p.link(p.path(target), "nb/"+place)
			code, said, changed := p.run(args...)
			if bad := p.disallowed(rows, args, changed, used); len(bad) > 0 {
				t.Errorf("%s with a link at %s: it changed %q\n%s", step, place, bad, said)
			}
			if code == 0 || len(changed) > 0 {
				t.Errorf("%s with a link at %s: %d, changed %q\n%s", step, place, code, changed, said)
			}
		}
	}
}
