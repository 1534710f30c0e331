package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
)

// variable selects the archives that TestRelease makes: "native" for this machine's archive, "all", or a list
// of systems. Without the variable no archive is made, because a cold build takes minutes.
const variable = "OVERCOMPLETE_DIST"

// Archives have the required content. The archive for this machine is unpacked, and its program answers and
// runs a notebook on a system without Go.
func TestRelease(t *testing.T) {
	native := runtime.GOOS + "/" + runtime.GOARCH
	var names []string
	switch v := os.Getenv(variable); v {
	case "":
		t.Skip("builds the program: " + variable + "=native for that of this machine, =all for the others too (make dist-check)")
	case "native":
		names = []string{native}
	case "all":
		names = allTargets()
	default:
		names = strings.Split(v, ",")
	}
	root, out := filepath.Join("..", ".."), t.TempDir()
	if err := run(context.Background(), root, out, names, true, false, ""); err != nil {
		t.Fatal(err)
	}
	sums := testfile.Read(t, filepath.Join(out, "SHA256SUMS"))
	made := 0
	for _, name := range names {
		system, err := parseTarget(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := filepath.Glob(filepath.Join(out, fmt.Sprintf("overcomplete-*-%s-%s%s", system.os, system.arch, system.suffix())))
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", name, list, err)
		}
		for _, e := range system.editions() {
			wheels, err := filepath.Glob(filepath.Join(out, "overcomplete-*-py3-none-"+strings.Join(e.platforms, ".")+".whl"))
			if err != nil || len(wheels) != 1 {
				t.Fatalf("%s: %v, %v", name, wheels, err)
			}
			list = append(list, wheels[0])
		}
		made += len(list)
		for _, file := range list {
			if !strings.Contains(string(sums), "  "+filepath.Base(file)+"\n") {
				t.Errorf("%s has no checksum", file)
			}
		}
		files := read(t, list[0])
		checkComplete(t, system, files)
		if name == native {
			folder := unpack(t, files)
			try(t, filepath.Join(folder, system.program()))
		}
	}
	if got := strings.Count(string(sums), "\n"); got != made {
		t.Errorf("%d checksums for %d files:\n%s", got, made, sums)
	}
}

// checkComplete checks that an archive has the required content, with the program last.
func checkComplete(t *testing.T, system target, files []unpackedFile) {
	t.Helper()
	has := map[string]int{}
	size := 0
	for _, f := range files {
		_, name, ok := strings.Cut(f.name, "/")
		if !ok || strings.HasPrefix(name, ".") {
			t.Errorf("%s: %s", system, f.name)
		}
		has[name] = len(f.data)
		size += len(f.data)
		if (name == system.program() || name == system.driver() || strings.HasPrefix(string(f.data), "#!")) != f.executable {
			t.Errorf("%s: executable %v: %s", system, f.executable, f.name)
		}
	}
	t.Logf("%s: %d files, %.1f MB, the program %.1f MB", system, len(files), float64(size)/1e6, float64(has[system.program()])/1e6)
	for _, name := range []string{"LICENSE", "NOTICES.txt", "README.md", "go.mod", "notebooks/lecture-pca.ipynb", "figures/s3c/results.json",
		"paper/s3c2011/trained/README.md", "suite/regress/doc.go", "live/base/kernel.wasm.br", "live/base/kernel.json", "live/base/wasm_exec.js", system.driver(), system.program()} {
		if has[name] == 0 {
			t.Errorf("%s: no %s", system, name)
		}
	}
	if last := files[len(files)-1].name; !strings.HasSuffix(last, "/"+system.program()) {
		t.Errorf("%s: the last file is %s, not the program", system, last)
	}
}

// unpack writes an archive's files like a tool that drops file times, and returns their folder.
func unpack(t *testing.T, files []unpackedFile) string {
	t.Helper()
	dir := t.TempDir()
	top := ""
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.data, os.FileMode(mode(f.executable))); err != nil {
			t.Fatal(err)
		}
		top, _, _ = strings.Cut(f.name, "/")
	}
	return filepath.Join(dir, top)
}

// try follows the README's instructions for a release, without Go and without the files of the current user.
func try(t *testing.T, program string) {
	t.Helper()
	home, nothing := t.TempDir(), t.TempDir()
	do := func(args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir = filepath.Dir(program)
		for _, v := range os.Environ() {
			name, _, _ := strings.Cut(v, "=")
			switch {
			case strings.HasPrefix(name, "GO"), strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "JUPYTER"), strings.HasPrefix(name, "OVERCOMPLETE"),
				strings.EqualFold(name, "PATH"), name == "HOME", name == "APPDATA", name == "LOCALAPPDATA":
			default:
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, "PATH="+nothing, "HOME="+home, "APPDATA="+home, "LOCALAPPDATA="+home)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := do("install", "--user"); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	out, err := do("doctor", "--json")
	var findings []struct{ Check, Status, Found string }
	if e := json.Unmarshal([]byte(out), &findings); e != nil || err != nil {
		t.Fatalf("doctor: %v, %v\n%s", err, e, out)
	}
	found := map[string]string{}
	for _, f := range findings {
		found[f.Check] = f.Status + ": " + f.Found
	}
	for _, check := range []string{"program", "kernelspec", "kernel"} {
		if !strings.HasPrefix(found[check], "ok: ") {
			t.Errorf("doctor: %s: %s", check, found[check])
		}
	}
	if f := found["modules"]; !strings.HasPrefix(f, "warn: ") || !strings.Contains(f, "there is no go command") {
		t.Errorf("there is a Go to be found: %s", f)
	}
	book := filepath.Join("notebooks", "lecture-pca.ipynb")
	if out, err := do("run", "--size", "smoke", book); err != nil || !strings.Contains(out, " cells run") {
		t.Fatalf("run: %v\n%s", err, out)
	}
	// The source next to the program determines which results still hold.
	if out, err := do("run", "--size", "smoke", book); err != nil || !strings.Contains(out, "lecture-pca: 0 experiments run") {
		t.Errorf("run again: %v\n%s", err, out)
	}
	if out, err := do("report", "--brief"); err != nil || !strings.Contains(out, "this run  smoke") {
		t.Errorf("report: %v\n%s", err, out)
	}
	site := filepath.Join(filepath.Dir(program), "figures", "run", "site", "index.html")
	if info, err := os.Stat(site); err != nil || info.Size() == 0 {
		t.Errorf("the site: %v", err)
	}
}
