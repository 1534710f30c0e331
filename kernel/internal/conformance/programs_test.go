package conformance

import (
	"go/build"
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A program is a program of one file, which can be a cell.
type program struct {
	Name   string // path below its folder
	Source string
	Want   string // expected output
	Fails  bool   // the program ends with a panic, or with an exit status other than 0

	// File is the file of an example or of a program of TestFolder; it is "" for Go's test programs. A program
	// with a File runs in the folder of that file, and only its standard output counts. As in package testing,
	// white space around the output is ignored and, if AnyOrder is set, so is the order of the lines.
	File     string
	AnyOrder bool
	Tests    bool // the program runs tests; its output does not count
}

// printed reports whether got is the expected output.
func (p program) printed(got string) bool {
	if p.File == "" || p.Tests {
		return p.Tests || got == p.Want
	}
	got, want := strings.TrimSpace(got), strings.TrimSpace(p.Want)
	if p.AnyOrder {
		return slices.Equal(slices.Sorted(strings.SplitSeq(got, "\n")), slices.Sorted(strings.SplitSeq(want, "\n")))
	}
	return got == want
}

// notCells lists text patterns of single-file programs that cannot be cells.
var notCells = []struct {
	why  string
	text *regexp.Regexp
}{
	{"builds or runs programs with the go command", regexp.MustCompile(`exec\.Command\(("go"|goTool|gocmd|filepath\.Join\(runtime\.GOROOT)|"tool", "|LookPath\("go"\)`)},
	{"starts itself again", regexp.MustCompile(`os\.Args\[[01]\]|os\.Executable\(\)`)},
	{"is cgo", regexp.MustCompile(`(?m)^import "C"`)},
	{"has functions in assembly or of the linker", regexp.MustCompile(`(?m)^//go:(linkname|wasmimport)`)},
	{"imports a package of Go's own", regexp.MustCompile(`(?m)^\s*(import )?([a-z_.]+ )?"(internal|cmd|runtime/internal)/`)},
}

// readPrograms returns the programs that can be cells, sorted by name, and the other programs, keyed by the
// reason why they cannot be cells.
func readPrograms(t *testing.T, root string) (list []program, others map[string][]string) {
	others = map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// Folders *.dir hold programs with several packages.
		if d.IsDir() && strings.HasSuffix(path, ".dir") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		p := program{Source: string(text)}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		p.Name = filepath.ToSlash(name)
		header, _, _ := strings.Cut(p.Source, "\npackage")
		recipe := recipe(header)
		if action, _, _ := strings.Cut(recipe, " "); action != "run" {
			return nil // the program is only compiled, or has several files
		}
		why := ""
		switch {
		case recipe != "run":
			why = "has flags or arguments"
		case !fits(header):
			why = "is not for this system"
		}
		for _, n := range notCells {
			if why == "" && n.text.MatchString(p.Source) {
				why = n.why
			}
		}
		if why != "" {
			others[why] = append(others[why], p.Name)
			return nil
		}
		want, err := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out")
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		p.Want = strings.ReplaceAll(string(want), "\r\n", "\n")
		list = append(list, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b program) int { return strings.Compare(a.Name, b.Name) })
	return list, others
}

// recipe returns a file's instruction for Go's test runner: its first line that is not a build constraint.
func recipe(header string) string {
	for line := range strings.Lines(header) {
		line = strings.TrimSpace(line)
		if line != "" && !constraint.IsGoBuild(line) && !constraint.IsPlusBuild(line) {
			return strings.TrimSpace(strings.TrimPrefix(line, "//"))
		}
	}
	return ""
}

// fits reports whether a file's build constraints are satisfied on this system.
func fits(header string) bool {
	for line := range strings.Lines(header) {
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err == nil && !expr.Eval(hasTag) {
			return false
		}
	}
	return true
}

func hasTag(tag string) bool {
	return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "gc" || tag == "test_run" || tag == "unix" && runtime.GOOS != "windows" ||
		slices.Contains(build.Default.ReleaseTags, tag) || slices.Contains(build.Default.ToolTags, tag)
}
