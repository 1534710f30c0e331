package native

import (
	"bufio"
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
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed codec.go
var codecSource string

//go:embed worker.go.txt
var workerSource string

// ErrStopped is the value of a call's panic when its context ends.
var ErrStopped = errors.New("the native call was interrupted")

// A Func is a function that the session can call.
type Func struct {
	Name      string
	Type      reflect.Type
	Signature string // with made-up names: (p0 []float64, p1 int) (float64, error)
	Args      string // p0, p1
}

// A Program is a compiled cell. The first call starts its process.
type Program struct {
	Funcs []Func
	// Private lists the cell's functions that cannot be called, with the
	// reasons.
	Private []string

	dir, name      string
	stdout, stderr io.Writer
	mu             sync.Mutex // one call at a time
	cmd            *exec.Cmd
	requests       *os.File
	answers        *os.File
	buffered       *bufio.Reader
}

// Build compiles source, whose lines are those of the cell called name. The
// program's output goes to the writers. For faults in the source the error is a
// scanner.ErrorList.
func Build(ctx context.Context, name, source string, stdout, stderr io.Writer) (p *Program, err error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		return nil, fmt.Errorf("native cells need the pipes of a Unix system, and this is %s", runtime.GOOS)
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("a native cell needs the Go toolchain, and there is no program go on the PATH; without it, put heavy loops into a package that is built into the kernel (kernel/bind/gen/list.go)")
	}
	text := "package main;" + source // the line of the command itself is blank, so that line numbers agree
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "cell.go", text, parser.SkipObjectResolution)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				e.Msg += inNative
			}
		}
		return nil, err
	}
	p = &Program{name: name, stdout: stdout, stderr: stderr}
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
	var table strings.Builder
	table.WriteString("package main\n\nvar table = map[string]any{\n")
	for _, f := range p.Funcs {
		fmt.Fprintf(&table, "\t%q: %s,\n", f.Name, f.Name)
	}
	table.WriteString("}\n")
	// Cells are compiled as the version of Go that built the kernel.
	version := goVersion.FindString(runtime.Version())
	for name, content := range map[string]string{
		"go.mod":    "module native\n\ngo " + strings.TrimPrefix(version, "go") + "\n",
		"cell.go":   text,
		"codec.go":  strings.Replace(codecSource, "package native", "package main", 1),
		"worker.go": workerSource,
		"table.go":  table.String(),
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, tool, "build", "-o", "native", ".")
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	// An interrupt lets the go command remove its temporary files. Processes
	// that it has started may keep the pipe open a little longer.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 500 * time.Millisecond
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, faults(out.String())
	}
	return p, nil
}

const inNative = " (a native cell holds declarations only)"

var goVersion = regexp.MustCompile(`go[0-9]+\.[0-9]+`)

// fault matches a line in which the compiler reports a fault of the cell.
var fault = regexp.MustCompile(`(?m)^\./cell\.go:(\d+):(\d+): (.*)$`)

// foreign matches a line in which the go command reports an import that it cannot
// find. Its advice, go get, is of no use in a cell.
var foreign = regexp.MustCompile(`(?m)^cell\.go:(\d+):(\d+): (?:no required module provides package|package) ([^\s;]+)(?:;| is not in std)`)

func faults(output string) error {
	var list scanner.ErrorList
	for _, m := range foreign.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if line == 1 {
			col -= len("package main;")
		}
		list.Add(token.Position{Line: line, Column: col}, fmt.Sprintf("a native cell imports the standard library only, and %s is not in it", m[3]))
	}
	for _, m := range fault.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if line == 1 {
			col -= len("package main;")
		}
		msg := m[3]
		if strings.HasPrefix(msg, "undefined: ") {
			msg += " (a native cell sees nothing of the session)"
		}
		list.Add(token.Position{Line: line, Column: col}, msg)
	}
	if len(list) == 0 {
		return fmt.Errorf("go build: %s", strings.TrimSpace(output))
	}
	return list
}

// list finds the functions that can be called, and those that cannot.
func (p *Program) list(file *ast.File) error {
	own := map[string]bool{} // names of the cell's types, which may hide Go's
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					own[t.Name.Name] = true
				}
			}
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "main" {
				return errors.New("a native cell has no function main: its functions are called from other cells")
			}
		}
	}
	for _, d := range file.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv != nil || d.Name.Name == "init" || d.Name.Name == "_" {
			continue
		}
		f, err := callable(d, own)
		if err != nil {
			p.Private = append(p.Private, fmt.Sprintf("%s (%v)", d.Name.Name, err))
			continue
		}
		p.Funcs = append(p.Funcs, f)
	}
	if len(p.Funcs) == 0 {
		why := ""
		if len(p.Private) > 0 {
			why = ": " + strings.Join(p.Private, ", ")
		}
		return fmt.Errorf("the cell has no function that other cells can call%s; parameters and results are numbers, booleans, strings, arrays of numbers, and slices of these", why)
	}
	return nil
}

// callable returns the function that a declaration makes for the session, or an
// error that says why it cannot be called.
func callable(d *ast.FuncDecl, own map[string]bool) (Func, error) {
	if d.Type.TypeParams != nil {
		return Func{}, errors.New("generic")
	}
	if d.Body == nil {
		return Func{}, errors.New("no body")
	}
	var in, out []reflect.Type
	var params, args, results []string
	add := func(list *ast.FieldList, result bool) error {
		if list == nil {
			return nil
		}
		for _, field := range list.List {
			for range max(1, len(field.Names)) {
				t := typeOf(field.Type, own)
				if result && t == nil {
					if id, ok := field.Type.(*ast.Ident); ok && id.Name == "error" && !own["error"] {
						t = errorType
					}
				}
				if t == nil {
					return errors.New("a type that cannot be passed on")
				}
				if result {
					out, results = append(out, t), append(results, t.String())
					continue
				}
				name := fmt.Sprintf("p%d", len(args))
				in, args, params = append(in, t), append(args, name), append(params, name+" "+t.String())
			}
		}
		return nil
	}
	if err := add(d.Type.Params, false); err != nil {
		return Func{}, err
	}
	if err := add(d.Type.Results, true); err != nil {
		return Func{}, err
	}
	for i, t := range out {
		if t == errorType && i < len(out)-1 {
			return Func{}, errors.New("an error that is not the last result")
		}
	}
	return Func{
		Name: d.Name.Name, Type: reflect.FuncOf(in, out, false),
		Signature: "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")",
		Args:      strings.Join(args, ", "),
	}, nil
}

var basic = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](), "string": reflect.TypeFor[string](),
	"int": reflect.TypeFor[int](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](), "rune": reflect.TypeFor[rune](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](), "byte": reflect.TypeFor[byte](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](), "complex64": reflect.TypeFor[complex64](), "complex128": reflect.TypeFor[complex128](),
}

// typeOf returns the type that e denotes, nil if its values cannot be passed on.
func typeOf(e ast.Expr, own map[string]bool) reflect.Type {
	switch e := e.(type) {
	case *ast.Ident:
		if own[e.Name] {
			return nil
		}
		return basic[e.Name]
	case *ast.ArrayType:
		t := typeOf(e.Elt, own)
		if t == nil || t.Kind() == reflect.Slice {
			return nil
		}
		if e.Len == nil {
			return reflect.SliceOf(t)
		}
		n, ok := e.Len.(*ast.BasicLit)
		if !ok || t.Kind() == reflect.String {
			return nil
		}
		size, err := strconv.ParseInt(n.Value, 0, 32)
		if err != nil || int64(t.Size())*size > 1<<20 {
			return nil
		}
		return reflect.ArrayOf(int(size), t)
	}
	return nil
}

// Make returns a Go function that calls f. running returns the context in which a
// call runs.
func (p *Program) Make(f Func, running func() context.Context) any {
	return reflect.MakeFunc(f.Type, func(args []reflect.Value) []reflect.Value {
		results, err := p.call(running(), f, args)
		if err != nil {
			panic(err)
		}
		return results
	}).Interface()
}

// call calls f in the program's process.
func (p *Program) call(ctx context.Context, f Func, args []reflect.Value) (results []reflect.Value, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, ErrStopped
	}
	if err := p.start(); err != nil {
		return nil, err
	}
	in, out := types(f.Type)
	args = addressable(args, in)
	regions := merge(nil, args)
	w := newWriter(regions)
	w.text(f.Name)
	w.newRegions(regions, in)
	w.values(regions, args)
	type answer struct {
		r   *reader
		err error
	}
	done := make(chan answer, 1)
	go func() {
		if _, err := p.requests.Write(w.frame()); err != nil {
			done <- answer{nil, err}
			return
		}
		r, err := readFrame(p.buffered)
		done <- answer{r, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		p.kill()
		<-done
		return nil, ErrStopped
	}
	if a.err != nil {
		return nil, fmt.Errorf("native %s: its program has ended (%v); the next call starts it anew", f.Name, p.kill())
	}
	defer func() {
		if r := recover(); r != nil {
			p.kill()
			results, err = nil, fmt.Errorf("native %s: %v", f.Name, r)
		}
	}()
	if !a.r.bool() {
		msg, line := a.r.text(), a.r.int()
		return nil, fmt.Errorf("native %s: %s (%s line %d)", f.Name, msg, p.name, line)
	}
	a.r.changed(regions)
	regions, _ = a.r.newRegions(regions, out)
	return a.r.values(regions, out), nil
}

// start starts the process if it is not running.
func (p *Program) start() error {
	if p.cmd != nil {
		return nil
	}
	if p.dir == "" {
		return errors.New("native: the function's cell has been run again")
	}
	theirRequests, requests, err := os.Pipe()
	if err != nil {
		return err
	}
	answers, theirAnswers, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(p.dir, "native"))
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	cmd.ExtraFiles = []*os.File{theirRequests, theirAnswers}
	err = cmd.Start()
	theirRequests.Close()
	theirAnswers.Close()
	if err != nil {
		requests.Close()
		answers.Close()
		return err
	}
	p.cmd, p.requests, p.answers, p.buffered = cmd, requests, answers, bufio.NewReaderSize(answers, 64<<10)
	return nil
}

// kill ends the process and returns how it ended.
func (p *Program) kill() error {
	if p.cmd == nil {
		return nil
	}
	p.requests.Close()
	p.cmd.Process.Kill()
	err := p.cmd.Wait()
	p.answers.Close()
	p.cmd = nil
	return err
}

// Close ends the process and removes the program. Its functions then panic.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kill()
	dir := p.dir
	p.dir = ""
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}
