package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"overcomplete/internal/atomicfile"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/snapshot"
)

// %%cache saves in a file the variables that a cell declares. When the cell runs again, in the same or another
// session, the variables come from the file, provided that the code, the program, and the values of the
// variables that the cell uses are the same. Some things cannot be kept faithfully: functions, memory shared
// with other variables, and changes to variables of other cells. A cell with any of these is not kept, and the
// user is told why.

// cacheFormat identifies the format of a file. It is the value of Format in the file's header.
const cacheFormat = "variables of a cell, kept by %%cache, 1"

// A cacheHeader is the first line of a file that %%cache has written. The rest of the file is a snapshot of the cell's
// variables.
type cacheHeader struct {
	Format    string
	Key       string        // stands for everything on which the variables depend
	Sum       string        // SHA-256 of the rest of the file
	Variables []string      // name and type of each variable
	Took      time.Duration // how long the cell took
	Written   time.Time
}

// cache implements %%cache. If an earlier run has written the cell's variables to a file, and the file is still valid,
// cache takes the variables from there. Otherwise it runs the cell and writes the file.
func (c *call) cache(ctx context.Context) ([]engine.Value, error) {
	s := c.runner.Session
	args := fields(c.Args)
	switch {
	case len(args) == 0:
		return nil, c.usage()
	case strings.TrimSpace(c.code) == "":
		return nil, fmt.Errorf("there is nothing to keep")
	}
	file := args[0]
	old, err := readCache(file)
	if err != nil {
		return nil, err
	}
	cell := engine.Cell{Name: c.cell.Name, Source: c.code, Whole: c.cell.All()}
	uses, err := s.Uses(cell)
	if err != nil {
		return nil, err
	}
	key, err := c.cacheKey(uses, args[1:])
	if err == nil && old != nil && old.Key == key {
		values, err := c.fromCache(ctx, cell, old)
		if err == nil {
			fmt.Fprintf(c.runner.Stdout, "%s has %s, kept on %s, when the cell took %s\n",
				file, strings.Join(uses.Declares, ", "), old.Written.Format("2006-01-02 15:04"), duration(float64(old.Took)))
			return values, nil
		}
		if !errors.Is(err, errNotRead) {
			return nil, err
		}
		fmt.Fprintf(c.runner.Stderr, "%s is not used: %v\n", file, err)
	}
	began := time.Now()
	values, runErr := s.Run(ctx, cell)
	if runErr != nil {
		return values, runErr
	}
	took := time.Since(began)
	var n int
	if err == nil {
		n, err = c.toCache(file, key, uses, args[1:], took)
	}
	if err != nil {
		fmt.Fprintf(c.runner.Stderr, "not kept: %v\n", err)
	} else {
		fmt.Fprintf(c.runner.Stdout, "kept in %s: %s (%s; the cell took %s)\n", file, strings.Join(uses.Declares, ", "), size(uint64(n)), duration(float64(took)))
	}
	return values, nil
}

// cacheKey returns a hash of everything on which the cell's variables depend: the cell's code, the code and the values
// that it uses, the program, the program's modules, and the contents of the given files. It returns an error if the
// hash could not detect every change, for instance because the cell uses a module whose source is in a folder.
func (c *call) cacheKey(uses engine.Uses, files []string) (string, error) {
	h := sha256.New()
	add := func(list ...string) {
		for _, text := range list {
			fmt.Fprintf(h, "%d %s\n", len(text), text)
		}
	}
	add(strings.TrimSpace(c.code))
	add(uses.Code...)
	add(uses.Imports...)
	if info, ok := debug.ReadBuildInfo(); ok {
		add(info.String())
	}
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			add(fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
		}
	}
	if m := c.runner.Modules; m != nil {
		for _, m := range m.Present() {
			if m.Local && slices.ContainsFunc(uses.Imports, m.Within) {
				return "", fmt.Errorf("the cell uses the module %s, whose source is in a folder and may change", m.Path)
			}
			add(m.Path, m.Version, m.Replace)
		}
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		f.Close()
		if err != nil {
			return "", err
		}
		add(name, hex.EncodeToString(sum.Sum(nil)))
	}
	reads := c.named(uses.Reads)
	for _, v := range reads {
		add(v.Name, v.Type)
	}
	if err := snapshot.Write(h, variables(reads), nil); err != nil {
		return "", fmt.Errorf("the cell uses %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// named returns the session's variables with the given names.
func (c *call) named(names []string) (list []engine.Variable) {
	for _, v := range c.runner.Session.Vars() {
		if slices.Contains(names, v.Name) {
			list = append(list, v)
		}
	}
	return list
}

func variables(list []engine.Variable) (out []snapshot.Variable) {
	for _, v := range list {
		out = append(out, snapshot.Variable{Name: v.Name, Addr: v.Addr})
	}
	return out
}

func described(list []engine.Variable) (texts []string) {
	for _, v := range list {
		texts = append(texts, v.Name+" "+v.Type)
	}
	return texts
}

// toCache writes to a file the variables that the cell declares, and returns the size of the file. It returns an error
// if the cell has changed variables or files on which its own variables depend.
func (c *call) toCache(file, key string, uses engine.Uses, files []string, took time.Duration) (int, error) {
	if len(uses.Declares) == 0 {
		return 0, fmt.Errorf("the cell declares no variable")
	}
	if len(c.runner.Session.Goroutines()) > 0 {
		return 0, fmt.Errorf("goroutines are running, and may change variables")
	}
	after, err := c.cacheKey(uses, files)
	if err != nil {
		return 0, err
	}
	if after != key {
		return 0, fmt.Errorf("the cell changes what it uses (%s)", strings.Join(append(slices.Clone(uses.Reads), files...), ", "))
	}
	own := c.named(uses.Declares)
	var b bytes.Buffer
	if err := snapshot.Write(&b, variables(own), variables(c.named(uses.Reads))); err != nil {
		return 0, err
	}
	sum := sha256.Sum256(b.Bytes())
	header, err := json.Marshal(cacheHeader{cacheFormat, key, hex.EncodeToString(sum[:]), described(own), took, time.Now()})
	if err != nil {
		return 0, err
	}
	data := append(append(header, '\n'), b.Bytes()...)
	return len(data), atomicfile.Write(file, data, 0o644)
}

// A cacheFile is the content of a file that %%cache has written.
type cacheFile struct {
	cacheHeader
	snapshot []byte
}

// readCache reads a file that %%cache has written, and returns nil if there is no such file. If the file was not
// written by %%cache, readCache returns an error, because the command would overwrite the file.
func readCache(file string) (*cacheFile, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hasFolder(file)
	}
	if err != nil {
		return nil, err
	}
	header, rest, _ := bytes.Cut(data, []byte("\n"))
	f := &cacheFile{snapshot: rest}
	if json.Unmarshal(header, &f.cacheHeader) != nil || f.Format != cacheFormat {
		return nil, fmt.Errorf("%s was not written by %%%%cache: name another file", file)
	}
	if sum := sha256.Sum256(rest); hex.EncodeToString(sum[:]) != f.Sum {
		return nil, fmt.Errorf("%s is damaged: delete it", file)
	}
	return f, nil
}

// errNotRead is the error for a file whose variables cannot be read as those of the cell.
var errNotRead = errors.New("its variables are others")

// fromCache replaces a run of the cell: it declares what the cell declares, and sets the cell's variables to the values
// in f. If the cell ends with an expression to show, fromCache runs only that expression and returns its value. If the
// variables in f do not fit the cell, the error is errNotRead or wraps it.
func (c *call) fromCache(ctx context.Context, cell engine.Cell, f *cacheFile) ([]engine.Value, error) {
	tree, err := c.runner.Session.Parse(cell)
	if err != nil {
		return nil, err
	}
	n := len(tree.Stmts)
	isShown := false
	if n > 0 && !tree.Silent {
		_, isShown = tree.Stmts[n-1].(*ast.ExprStmt)
	}
	if isShown {
		tree.Stmts, tree.Silent = tree.Stmts[:n-1], true
	}
	above := cell
	above.Tree = tree
	if err := c.runner.Session.Declare(above); err != nil {
		return nil, err
	}
	var names []string
	for _, text := range f.Variables {
		name, _, _ := strings.Cut(text, " ")
		names = append(names, name)
	}
	own := c.named(names)
	if !slices.Equal(described(own), f.Variables) {
		return nil, errNotRead
	}
	if err := snapshot.Read(f.snapshot, variables(own)); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotRead, err)
	}
	if !isShown {
		return nil, nil
	}
	if tree, err = c.runner.Session.Parse(cell); err != nil {
		return nil, err
	}
	tree.Stmts = tree.Stmts[n-1:]
	cell.Tree = tree
	return c.runner.Session.Run(ctx, cell)
}
