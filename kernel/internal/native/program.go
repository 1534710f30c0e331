package native

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// ErrStopped is the panic value of a call when its context is done.
var ErrStopped = errors.New("the native call was interrupted")

// A Func is a function that the session can call.
type Func struct {
	Name      string
	Type      reflect.Type
	Signature string // signature with generated names: (p0 []float64, p1 int) (float64, error)
	Args      string // the parameters' names: p0, p1
}

// A Program is a compiled cell. The first call starts its process.
type Program struct {
	Funcs []Func
	// Private lists the cell's functions that cannot be called, and the reasons.
	Private []string

	dir, name      string
	stdout, stderr io.Writer
	mu             sync.Mutex // held during a call: one call at a time
	cmd            *exec.Cmd
	requests       *os.File
	answers        *os.File
	buffered       *bufio.Reader
}

// list sets Funcs to the functions that can be called, and Private to the functions that cannot be called. It returns
// an error if no function can be called, or if the cell declares main.
func (p *Program) list(file *ast.File) error {
	own := map[string]bool{} // names of the cell's types, which may shadow predeclared types
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
				return errors.New("a native cell cannot have a function main: other cells call its functions")
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
		return fmt.Errorf("the cell has no function that other cells can call%s; parameters and results must be numbers, booleans, strings, arrays of numbers, or slices of these", why)
	}
	return nil
}

// callable returns the Func for a declared function, or an error that says why the function cannot be called.
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
					return errors.New("a type that cannot be passed")
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

// typeOf returns the type that e denotes, or nil if values of that type cannot be passed.
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

// Make returns a Go function that calls f in the program's process. For each call, this function first gets a context
// from running(). If the call fails, the function panics with the error; this is ErrStopped if the context is done.
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
		return nil, fmt.Errorf("native %s: its program has ended (%v); the next call restarts the program", f.Name, p.kill())
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

// kill ends the process and returns the error with which it ended.
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

// Close ends the process and removes the program. After that, its functions panic.
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
