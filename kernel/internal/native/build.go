package native

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed codec.go
var codecSource string

//go:embed worker.go.txt
var workerSource string

// Options are the options of Build.
type Options struct {
	// Stdout and Stderr receive the program's output.
	Stdout, Stderr io.Writer
	// Command returns a go command that runs in dir and knows the versions of the modules that the cell may
	// import. Command may write a go.mod and a go.sum into dir. If Command is nil, cells can import only the
	// standard library.
	Command func(ctx context.Context, dir string, args ...string) (*exec.Cmd, error)
}

// Build compiles the Go code of a cell, and returns the compiled program. name is the name of the cell, and source is
// its Go code, whose lines must have the same numbers as in the cell. If the code is invalid, the error is a
// scanner.ErrorList. An error from Options.Command is returned unchanged.
func Build(ctx context.Context, name, source string, opt Options) (p *Program, err error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		return nil, fmt.Errorf("native cells need the pipes of a Unix system, but this is %s", runtime.GOOS)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("a native cell needs the Go toolchain, but there is no go command on the PATH; install Go, or put heavy loops into a package that is built into the kernel (kernel/bind/gen/list.go)")
	}
	text := "package main;" + source // the line with the command is blank, so that line numbers agree
	file, err := parser.ParseFile(token.NewFileSet(), "cell.go", text, parser.SkipObjectResolution)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				e.Msg += inNative
			}
		}
		return nil, err
	}
	p = &Program{name: name, stdout: opt.Stdout, stderr: opt.Stderr}
	if err := p.list(file); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "overcomplete-native-")
	if err != nil {
		return nil, err
	}
	p.dir = dir
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	if err := p.write(text); err != nil {
		return nil, err
	}
	modules := opt.Command != nil && importsModule(file)
	said, err := p.compile(ctx, opt, modules)
	if err != nil && !modules && opt.Command != nil && notStandard.MatchString(said) {
		// A path without a dot may belong to the user's own module.
		modules = true
		said, err = p.compile(ctx, opt, modules)
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.As(err, &exit):
		return nil, err
	}
	return nil, faults(said, opt.Command != nil)
}

// write writes the Go files and the go.mod of the program. cell is the content of the file with the cell's functions.
func (p *Program) write(cell string) error {
	var table strings.Builder
	table.WriteString("package main\n\nvar table = map[string]any{\n")
	for _, f := range p.Funcs {
		fmt.Fprintf(&table, "\t%q: %s,\n", f.Name, f.Name)
	}
	table.WriteString("}\n")
	// Cells are compiled for the version of Go that built the kernel.
	version := goVersion.FindString(runtime.Version())
	for name, content := range map[string]string{
		"go.mod":    "module native\n\ngo " + strings.TrimPrefix(version, "go") + "\n",
		"cell.go":   cell,
		"codec.go":  strings.Replace(codecSource, "package native", "package main", 1),
		"worker.go": workerSource,
		"table.go":  table.String(),
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

var goVersion = regexp.MustCompile(`go[0-9]+\.[0-9]+`)

// compile runs go build and returns its output. If modules is set, the go command comes from opt.Command and knows the
// modules that the cell may import. If the source is invalid, the error is an *exec.ExitError.
func (p *Program) compile(ctx context.Context, opt Options, modules bool) (said string, err error) {
	args := []string{"build", "-o", "native", "."}
	var cmd *exec.Cmd
	if modules {
		// The go.mod of other modules states those modules' language version.
		args = slices.Insert(args, 1, "-gcflags=-lang="+goVersion.FindString(runtime.Version()))
		if cmd, err = opt.Command(ctx, p.dir, args...); err != nil {
			return "", err
		}
		cmd.Env = append(cmd.Environ(), "GOOS=", "GOARCH=")
	} else {
		cmd = exec.CommandContext(ctx, "go", args...)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=-trimpath", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	}
	// Interrupt the go command instead of killing it, so that it removes its temporary files. Processes that
	// it started may keep the pipe open a little longer.
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 500 * time.Millisecond
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

// importsModule reports whether a file certainly imports a package from outside the standard library: the first
// element of an import path contains a dot. A path without a dot may still belong to the user's own module.
func importsModule(file *ast.File) bool {
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			return true
		}
	}
	return false
}

const inNative = " (a native cell can contain only declarations)"

var (
	// fault matches a line in which the compiler reports a fault in the cell.
	fault = regexp.MustCompile(`(?m)^\./cell\.go:(\d+):(\d+): (.*)$`)

	// foreign matches a line in which the go command reports an import that it cannot find. The advice in
	// that line, go get, is of no use in a cell.
	foreign = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): (?:no required module provides package|cannot find module providing package|package) ([^\s;:]+)(?:[;:]| is not in std|$)`)

	notStandard = regexp.MustCompile(`(?m)^cell\.go:\d+:\d+: package \S+ is not in std`)

	// lacking matches a line in which the go command reports that the latest version of a module does not have a
	// package.
	lacking = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): (module \S+ found.*, but does not contain package \S+)`)

	// unreachable matches a line in which the go command reports that it cannot download a module.
	unreachable = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): module (\S+?)(?:@\S+)?: (?:reading (\S+): )?(.*)$`)

	// downloading matches the go command's progress messages.
	downloading = regexp.MustCompile(`(?m)^go: (?:downloading|finding|found|added) .*\n?`)
)

// faults returns the go command's output as an error. If modules is true, the cell could import packages of modules.
func faults(output string, modules bool) error {
	var list scanner.ErrorList
	add := func(m []string, msg string) {
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if line == 1 {
			col -= len("package main;")
		}
		list.Add(token.Position{Line: line, Column: col}, msg)
	}
	for _, m := range foreign.FindAllStringSubmatch(output, -1) {
		add(m, unknown(m[3], modules))
	}
	for _, m := range lacking.FindAllStringSubmatch(output, -1) {
		add(m, m[3])
	}
	for _, m := range unreachable.FindAllStringSubmatch(output, -1) {
		add(m, fmt.Sprintf("module %s is not available: %s", m[3], m[5]))
	}
	for _, m := range fault.FindAllStringSubmatch(output, -1) {
		msg := m[3]
		if strings.HasPrefix(msg, "undefined: ") {
			msg += " (a native cell sees nothing of the session)"
		}
		add(m, msg)
	}
	if len(list) == 0 {
		return fmt.Errorf("go build: %s", strings.TrimSpace(downloading.ReplaceAllString(output, "")))
	}
	return list
}

// unknown returns the message for an import of a package that does not exist.
func unknown(path string, modules bool) string {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case !modules:
		return fmt.Sprintf("a native cell can import only the standard library, which does not contain %s", path)
	case !strings.Contains(first, "."):
		return fmt.Sprintf("package %s is neither in the standard library nor in a module of the notebook", path)
	}
	return fmt.Sprintf("none of the notebook's modules contains package %s: %%get %s adds one", path, path)
}
