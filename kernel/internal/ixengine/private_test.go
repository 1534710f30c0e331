package ixengine

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

var updatePrivate = flag.Bool("update-private", false, "write testdata/private.txt")

// leanings match uses of unexported parts of other modules and of Go: names obtained through the linker, and
// fields found by name.
var leanings = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^//go:linkname \S+ (\S+)`),
	regexp.MustCompile(`FieldByName\("([a-z_]\w*)"\)`),
	regexp.MustCompile(`contextField\[.*\]\(ctx, "(\w+)"\)`),
	regexp.MustCompile(`(?m)^\tfind\(([^,]+, "\w+"), `),
}

// TestPrivate: testdata/private.txt lists all unexported parts that the engine depends on; they must be
// checked for each new version of Go or of the interpreter (see CONTRIBUTING). Each part is also checked at
// its use, either by the linker or by functions that New calls, such as findLayout, which fail with a
// message.
func TestPrivate(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("unsafe")) {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, r := range leanings {
			for _, m := range r.FindAllSubmatch(text, -1) {
				list = append(list, filepath.ToSlash(rel)+": "+string(m[1]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	got := strings.Join(list, "\n") + "\n"
	name := filepath.Join("testdata", "private.txt")
	if *updatePrivate {
		testfile.Write(t, name, got)
	}
	want := testfile.Read(t, name)
	if len(list) < 20 || got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("what is leaned on is\n%s\nand testdata/private.txt has\n%s\n(if it must be: go test ./kernel/internal/ixengine -run TestPrivate -update-private)", got, want)
	}
}
