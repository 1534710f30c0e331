package conformance

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overcomplete/internal/patience"
)

// TestFolder runs programs by any author, which are below a folder, and compares each with the compiled
// program:
//
//	go test ./kernel/internal/conformance -run TestFolder -timeout 1h -args -folder DIR
//
// A program is a file of package main that go build accepts by itself, in its folder. A program counts only if
// the compiled program needs no input, ends within a few seconds, and prints the same text each time.
func TestFolder(t *testing.T) {
	if *folder == "" {
		t.Skip("it runs the programs of a folder, which -args -folder DIR names")
	}
	root, err := filepath.Abs(*folder)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(*only)
	var programs []program
	var others []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || !pattern.MatchString(name) {
			return err
		}
		p := program{Name: filepath.ToSlash(name), File: path}
		if text, err := os.ReadFile(path); err != nil || !isMain.Match(text) {
			return err
		} else {
			p.Source = string(text)
		}
		if why := p.compiled(t); why != "" {
			others = append(others, p.Name+" "+why)
			return nil
		}
		programs = append(programs, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for r := range results(t, goroot(t), programs) {
		if r.Fault == "" {
			passed++
		} else {
			t.Errorf("%s: %s", r.Name, r.Fault)
		}
	}
	slices.Sort(others)
	t.Logf("%d programs do not count:\n%s", len(others), strings.Join(others, "\n"))
	t.Logf("%d of %d programs passed", passed, len(programs))
}

var isMain = regexp.MustCompile(`(?m)^package main\b`)

// compiled builds the program, runs it a few times, and records what it prints and whether it fails. It returns
// the reason why the program does not count, or "".
func (p *program) compiled(t *testing.T) (why string) {
	exe := filepath.Join(t.TempDir(), "program.exe")
	build := exec.Command("go", "build", "-o", exe, filepath.Base(p.File))
	build.Dir = filepath.Dir(p.File)
	if out, err := build.CombinedOutput(); err != nil {
		return "does not compile: " + cut(string(out))
	}
	for i := range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), patience.Long/6)
		defer cancel()
		run := exec.CommandContext(ctx, exe)
		run.Dir, run.Env = build.Dir, append(os.Environ(), timeZone)
		var out bytes.Buffer
		run.Stdout = &out
		err := run.Run()
		if ctx.Err() != nil {
			return "does not end"
		}
		if e := (*exec.ExitError)(nil); err != nil && !errors.As(err, &e) {
			return err.Error()
		}
		printed := strings.ReplaceAll(out.String(), "\r\n", "\n")
		if i > 0 && printed != p.Want {
			return "does not print the same each time"
		}
		p.Want, p.Fails = printed, err != nil
	}
	return ""
}
