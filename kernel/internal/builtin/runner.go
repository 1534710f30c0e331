package builtin

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/native"
	"overcomplete/kernel/internal/provision"
	"overcomplete/kernel/internal/stale"
	"overcomplete/kernel/magic"
	"overcomplete/ui/display"
)

// CommandError is the kind of a command's error.
const CommandError = engine.Command

// hidden is the suffix of the names of this package's own variables; ownCell is the name of its own cells.
const (
	hidden  = "__"
	ownCell = "(commands)"
)

// A Runner runs cells that may contain commands. Set its fields before use. Only one goroutine at a time may call its
// methods, except for Quote, which may be called at any time.
type Runner struct {
	Session engine.Session
	Stdout  io.Writer
	Stderr  io.Writer
	Show    func(display.Data)
	// Rewrite replaces the text of the running cell in the front end. It reports whether the front end could
	// do so.
	Rewrite func(source string) bool
	// Modules provides other modules; it is nil if the kernel cannot use other modules.
	Modules *provision.Provider
	// Devices lists devices for %gpu: name, memory and driver of each. It may be nil.
	Devices func() ([][3]string, error)
	// Stale tracks stale cells; the caller tells it which cells run. If NoteStale is set, notes about stale cells
	// appear after each cell.
	Stale     *stale.Tracker
	NoteStale bool

	params   []string // names of the notebook's parameters, see %params
	previous string   // working directory, for %cd -
	begun    func()   // called by b__ in a cell
	sample   func(run, empty func(int))

	programs []*native.Program

	mu    sync.Mutex
	ctx   context.Context     // context of the running cell
	texts map[string][]string // lines of cells with commands, by name
}

// A call is one execution of a command.
type call struct {
	*magic.Command
	runner *Runner
	cell   engine.Cell
	code   string           // Go code at its position in the cell, for commands like %time
	tree   *cellsyntax.Tree // syntax tree of code; nil if there is no code
	// declared holds the names of the variables that the cell declares, sorted.
	declared []string
	params   bool // the cell declares parameters, see %params
}

// Execute runs a cell. It returns the values of the cell's last piece: a command, or the Go code after the last
// command.
func (r *Runner) Execute(ctx context.Context, cell engine.Cell) ([]engine.Value, error) {
	r.setRunning(ctx)
	defer r.setRunning(context.Background())
	values, err := r.execute(ctx, cell)
	var e *engine.Error
	if errors.As(err, &e) && e.Kind == engine.Panic && e.Message == native.ErrStopped.Error() {
		e.Kind, e.Message = engine.Interrupted, engine.Stopped
	}
	return values, err
}

func (r *Runner) execute(ctx context.Context, cell engine.Cell) ([]engine.Value, error) {
	if magic.Formats(cell.Source) {
		return nil, r.format(cell)
	}
	cell.Text = cell.Read()
	pieces, fault := cell.Text.Pieces(r.IsVariable)
	if fault != nil {
		return nil, syntaxError(cell, []*scanner.Error{{Pos: token.Position{Line: fault.Line, Column: fault.Col}, Msg: fault.Msg}})
	}
	if len(pieces) == 1 && pieces[0].Command == nil {
		pieces[0].Go = r.withoutBodiless(cell)
		if pieces[0].Go == cell.Source {
			r.forget(cell) // there is one piece, so the session knows the whole cell
			values, err := r.Session.Run(ctx, cell)
			return values, r.Quote(err)
		}
	}
	r.note(cell)
	// Parse all pieces first, so that a mistake in the last piece is found before the first piece runs.
	trees := make([]*cellsyntax.Tree, len(pieces))
	var declared []string // names of variables
	for i, p := range pieces {
		if p.Go == "" {
			continue
		}
		var err error
		var list scanner.ErrorList
		if trees[i], err = r.Session.Parse(engine.Cell{Name: cell.Name, Source: p.Go, Whole: cell.All()}); errors.As(err, &list) {
			return nil, syntaxError(cell, list)
		}
		for _, id := range cellsyntax.Variables(trees[i].Stmts) {
			declared = append(declared, id.Name)
		}
	}
	slices.Sort(declared)
	declared = slices.Compact(declared)
	var values []engine.Value
	var atEnd []func() error
	for i, p := range pieces {
		values = nil
		var err error
		if p.Command == nil {
			values, err = r.Session.Run(ctx, engine.Cell{Name: cell.Name, Source: p.Go, Whole: cell.All(), Tree: trees[i]})
		} else {
			c := &call{Command: p.Command, runner: r, cell: cell, code: p.Go, tree: trees[i], declared: declared}
			values, err = c.run(ctx)
			if err == nil && c.params {
				atEnd = append(atEnd, c.showParams)
			}
		}
		if err == nil && ctx.Err() != nil {
			err = interrupted()
		}
		if err != nil {
			return nil, r.Quote(err)
		}
	}
	for _, f := range atEnd {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func interrupted() *engine.Error {
	return &engine.Error{Kind: engine.Interrupted, Message: engine.Stopped}
}

// commands maps names to commands.
var commands map[string]func(*call, context.Context) ([]engine.Value, error)

// plain adapts f, which returns no values, to the type of the functions in commands.
func plain(f func(*call) error) func(*call, context.Context) ([]engine.Value, error) {
	return func(c *call, _ context.Context) ([]engine.Value, error) { return nil, f(c) }
}

func init() { // not in the variable's declaration, because %help refers to it
	commands = map[string]func(*call, context.Context) ([]engine.Value, error){
		"%help":       plain((*call).help),
		"%who":        plain((*call).who),
		"%stale":      plain((*call).stale),
		"%reset":      plain((*call).reset),
		"%params":     plain((*call).setParams),
		"%goroutines": plain((*call).goroutines),
		magic.Fmt:     plain(func(c *call) error { return c.usage() }), // Execute has already recognized %fmt and called format, so this is a misuse
		"%cd":         plain((*call).cd),
		"%env":        plain((*call).env),
		"%data":       plain((*call).data),
		"%gpu":        plain((*call).devices),
		"%args":       plain((*call).args),
		magic.Main:    plain((*call).main),
		"%get":        (*call).get,
		"%mod":        (*call).mod,
		"%go111module": plain(func(c *call) error {
			if c.Args != "on" && c.Args != "off" {
				return c.usage()
			}
			return nil
		}),
		"%%writefile": plain((*call).writeFile),
		"%time":       (*call).time,
		"%%time":      (*call).time,
		"%timeit":     (*call).timeit,
		"%%timeit":    (*call).timeit,
		"%%native":    (*call).native,
		"%%test":      (*call).test,
		"%%prof":      (*call).prof,
		"%%cache":     (*call).cache,
		"$":           (*call).shell,
	}
}

// run runs the command. It returns a panic of the command as an error.
func (c *call) run(ctx context.Context) (values []engine.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.fail("%s failed: %v", c.Name, p)
		}
	}()
	f := commands[c.Name]
	if f == nil {
		return nil, c.fail("%s is not implemented", c.Name)
	}
	values, err = f(c, ctx)
	var known *engine.Error
	if err != nil && !errors.As(err, &known) {
		err = c.fail("%v", err)
	}
	return values, err
}

// fail returns an error with a formatted message, located at the line of the command.
func (c *call) fail(format string, args ...any) *engine.Error {
	return &engine.Error{
		Kind: CommandError, Message: fmt.Sprintf(format, args...),
		Frames: []engine.Frame{{Cell: c.cell.Name, Line: c.Line, Col: c.Col, Source: lineOf(strings.Split(c.cell.Source, "\n"), c.Line)}},
	}
}

func (c *call) usage() *engine.Error {
	info, _ := magic.Find(c.Name)
	return c.fail("usage: %s", info.Usage)
}

func syntaxError(cell engine.Cell, list []*scanner.Error) *engine.Error {
	e := &engine.Error{Kind: engine.Syntax, Message: list[0].Msg}
	lines := strings.Split(cell.Source, "\n")
	for _, f := range list {
		e.Faults = append(e.Faults, f.Msg)
		e.Frames = append(e.Frames, engine.Frame{Cell: cell.Name, Line: f.Pos.Line, Col: f.Pos.Column, Source: lineOf(lines, f.Pos.Line)})
	}
	return e
}

func lineOf(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n-1], "\r")
}

// withoutBodiless returns the cell's source with all bodiless functions removed. Notebooks contain such functions to
// describe a package; they cannot be called.
func (r *Runner) withoutBodiless(cell engine.Cell) string {
	source := cell.Source
	if !cellsyntax.MayLackBody(cell.Text) {
		return source
	}
	tree, err := cellsyntax.Parse(token.NewFileSet(), cell.Name, source)
	if err != nil || !slices.ContainsFunc(tree.Decls, bodiless) {
		return source
	}
	text := []byte(source)
	var names []string
	for _, chunk := range cellsyntax.Split(source) {
		one := source[chunk.Start:chunk.End]
		tree, err := cellsyntax.Parse(token.NewFileSet(), cell.Name, one)
		if err != nil || chunk.Kind != cellsyntax.Decl || !slices.ContainsFunc(tree.Decls, bodiless) {
			continue
		}
		names = append(names, tree.Decls[0].(*ast.FuncDecl).Name.Name)
		for i := chunk.Start; i < chunk.End; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	fmt.Fprintf(r.Stderr, "left out, because these functions have no body: %s\n", strings.Join(names, ", "))
	return string(text)
}

func bodiless(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Body == nil
}

// IsVariable reports whether name is a session variable.
func (r *Runner) IsVariable(name string) bool {
	return slices.ContainsFunc(r.Session.Vars(), func(v engine.Variable) bool { return v.Name == name })
}

// vars returns the user's variables. It leaves out this package's own variables.
func (r *Runner) vars() []engine.Variable {
	return slices.DeleteFunc(r.Session.Vars(), func(v engine.Variable) bool { return strings.HasSuffix(v.Name, hidden) })
}

// forget drops the text that was recorded for an earlier cell with the same name as the given cell. Quote then leaves
// the source lines in errors as the session gives them.
func (r *Runner) forget(cell engine.Cell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.texts, cell.Name)
}

func (r *Runner) note(cell engine.Cell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.texts == nil {
		r.texts = map[string][]string{}
	}
	r.texts[cell.Name] = strings.Split(cell.Source, "\n")
}

// Quote replaces the source lines in an error of the session with the lines that the user wrote, and returns the error.
// This is necessary because the session sees only the Go pieces of a cell that contains commands.
func (r *Runner) Quote(err error) error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return err // returned even if it is nil
	}
	if e.Kind == engine.Panic || e.Kind == engine.Interrupted {
		e.Frames = slices.DeleteFunc(e.Frames, func(f engine.Frame) bool { return f.Cell == ownCell })
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, f := range e.Frames {
		if lines, ok := r.texts[f.Cell]; ok {
			e.Frames[i].Source = lineOf(lines, f.Line)
		}
	}
	return err
}

// provide makes f available to cells as a variable with the given name. typ is the type of f as Go source.
func (r *Runner) provide(ctx context.Context, name, typ string, f any) error {
	if !r.IsVariable(name) {
		if _, err := r.Session.Run(ctx, engine.Cell{Name: ownCell, Source: "var " + name + " " + typ}); err != nil {
			return err
		}
	}
	for _, v := range r.Session.Vars() {
		if v.Name == name {
			reflect.ValueOf(v.Addr).Elem().Set(reflect.ValueOf(f))
			return nil
		}
	}
	return fmt.Errorf("no variable %s", name)
}
