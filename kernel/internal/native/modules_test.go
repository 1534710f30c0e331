package native

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"overcomplete/internal/patience"
	"overcomplete/internal/testfile"
)

// TestFaults checks the errors that are made from the go command's messages about a missing import.
func TestFaults(t *testing.T) {
	const none = "cell.go:3:2: no required module provides package gonum.org/v1/gonum/mat; to add it:\n\tgo get gonum.org/v1/gonum/mat\n"
	for _, test := range []struct {
		output  string
		modules bool
		want    string
	}{
		{none, false, "3:2: a native cell can import only the standard library, which does not contain gonum.org/v1/gonum/mat"},
		{none, true, "3:2: none of the notebook's modules contains package gonum.org/v1/gonum/mat: %get gonum.org/v1/gonum/mat adds one"},
		{"cell.go:2:8: cannot find module providing package example.com/x: module lookup disabled by GOPROXY=off\n", true, "2:8: none of the notebook's modules contains package example.com/x: %get example.com/x adds one"},
		{"go: downloading example.com/x v1.0.0\ncell.go:2:8: module example.com/x@latest found (v1.0.0), but does not contain package example.com/x/y\n", true, "2:8: module example.com/x@latest found (v1.0.0), but does not contain package example.com/x/y"},
		{"cell.go:2:8: module github.com/nosuch/thing: reading https://proxy.example/github.com/nosuch/thing/@v/list: 404 Not Found\n\tserver response: not found\n", true, "2:8: module github.com/nosuch/thing is not available: 404 Not Found"},
		{"cell.go:2:8: module example.com/x: Get \"https://proxy.example/x\": dial tcp: no such host\n", true, "2:8: module example.com/x is not available: Get \"https://proxy.example/x\": dial tcp: no such host"},
		{"cell.go:2:8: package mypkg is not in std (/usr/local/go/src/mypkg)\n", false, "2:8: a native cell can import only the standard library, which does not contain mypkg"},
		{"cell.go:1:22: package mypkg is not in std\n", true, "1:9: package mypkg is neither in the standard library nor in a module of the notebook"},
		{"# native\n./cell.go:5:1: undefined: x\n", true, "5:1: undefined: x (a native cell sees nothing of the session)"},
		{"go: downloading example.com/x v1.0.0\ngo: something else\n", true, "go build: go: something else"},
	} {
		if got := faults(test.output, test.modules).Error(); got != test.want {
			t.Errorf("%q: %q, want %q", test.output, got, test.want)
		}
	}
}

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" {
		t.Skip("this needs the Go toolchain on a Unix system")
	}
}

// TestForeignImport: without modules, only the standard library can be imported.
func TestForeignImport(t *testing.T) {
	needGo(t)
	for _, path := range []string{"gonum.org/v1/gonum/mat", "mypkg"} {
		_, err := Build(context.Background(), "In[1]", "\nimport \""+path+"\"\nfunc f() int { return mat.X }", Options{Stdout: io.Discard, Stderr: io.Discard})
		if err == nil || !strings.Contains(err.Error(), "2:8: a native cell can import only the standard library, which does not contain "+path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestModules: a cell imports modules in the versions that Options.Command provides, and Command is called
// only for such a cell.
func TestModules(t *testing.T) {
	patience.SkipShort(t, "it compiles modules")
	needGo(t)
	folder := t.TempDir()
	testfile.WriteAll(t, folder, map[string]string{
		"go.mod":         "module shed\n\ngo 1.24\n",
		"rake/rake.go":   "package rake\n\nfunc Teeth() int { return 12 }\n",
		"pots/go.mod":    "module example.com/pots\n\ngo 1.24\n",
		"pots/pots.go":   "package pots\n\ntype Pot struct{ Litres float64 }\n",
		"pots/bad/no.go": "package bad\n\nvar X int = \"no\"\n",
	})
	asked := 0
	opt := Options{Stdout: io.Discard, Stderr: io.Discard, Command: func(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
		asked++
		text := "module native.invalid\n\nrequire (\n\tshed v0.0.0\n\texample.com/pots v0.0.0\n)\n\nreplace shed => " + folder + "\n\nreplace example.com/pots => " + filepath.Join(folder, "pots") + "\n"
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o600); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, "go", append([]string{args[0], "-mod=mod"}, args[1:]...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
		return cmd, nil
	}}
	for _, test := range []struct {
		src   string
		want  string // expected error
		asked int
	}{
		{"\nfunc f() int { return 12 }", "", 0},
		{"\nimport \"example.com/pots\"\nfunc f() int { return int(pots.Pot{Litres: 12}.Litres) }", "", 1},
		{"\nimport \"shed/rake\"\nfunc f() int { return rake.Teeth() }", "", 1},
		{"\nimport \"example.com/spades\"\nfunc f() int { return spades.X }", "2:8: none of the notebook's modules contains package example.com/spades: %get example.com/spades adds one", 1},
		{"\nimport \"shed/bench\"\nfunc f() int { return bench.X }", "shed/bench", 1},
		{"\nimport \"mypkg\"\nfunc f() int { return mypkg.X }", "2:8: package mypkg is neither in the standard library nor in a module of the notebook", 1},
		{"\nimport \"example.com/pots/bad\"\nfunc f() int { return bad.X }", "pots/bad/no.go:3:13: cannot use \"no\"", 1},
		{"\nimport \"example.com/pots\"\nfunc f() int { return pots.X }", "3:28: undefined: pots.X", 1},
	} {
		asked = 0
		p, err := Build(context.Background(), "In[1]", test.src, opt)
		if asked != test.asked {
			t.Errorf("%s: the command was asked for %d times", test.src, asked)
		}
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %s", test.src, err, test.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if got := p.Make(p.Funcs[0], context.Background).(func() int)(); got != 12 {
			t.Errorf("%s: got %d", test.src, got)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	// The reason why Command fails is returned unchanged.
	no := errors.New("modules are off")
	opt.Command = func(context.Context, string, ...string) (*exec.Cmd, error) { return nil, no }
	if _, err := Build(context.Background(), "In[1]", "\nimport \"example.com/pots\"\nfunc f() int { return 1 }", opt); err != no {
		t.Errorf("got %v", err)
	}
}
