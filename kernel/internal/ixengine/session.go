package ixengine

import (
	"errors"
	"fmt"
	"go/build"
	"go/token"
	"go/types"
	"io"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"

	"overcomplete/internal/spelling"
	"overcomplete/kernel/bind"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/regcode"
	"overcomplete/kernel/internal/rt"
)

// Options are the options of a Session. The zero value is ready to use.
type Options struct {
	// Stdout and Stderr receive what cells write to os.Stdout and os.Stderr through fmt, io.WriteString, the
	// files' own methods and the builtin println. If they are nil, cells write to the files.
	Stdout, Stderr io.Writer
	// Background is called with the panic of a goroutine that has outlived its cell, or with the panic of a
	// handler called by a server; event says which of the two it was. If Background is nil, these panics are dropped.
	Background func(event string, e *engine.Error)
	// Current returns the current import path for an import path in a cell. The two paths differ if the package has
	// moved since the cell was written. If Current is nil, paths are used unchanged.
	Current func(path string) string
	// Predeclared maps names to packages that cells can use without importing
	// them, unless the notebook gives the name another meaning.
	Predeclared map[string]string
	// Suggest returns advice about a package with the given name that a cell uses without importing it and that cannot
	// be imported yet. It returns "" if it knows no such package. If Suggest is nil, cells cannot import packages of
	// other modules, and hints do not mention them.
	Suggest func(name string) string
	// Grace is the time that a stopped cell may take to end before it is abandoned; 0 means 300 ms.
	Grace time.Duration
	// MemoryLimit is the number of bytes that the process may use before a cell that continues to allocate is
	// stopped; 0 means the memory that the system grants the process (memory.go).
	MemoryLimit int64
}

// A Session is an engine.Session that runs on ixgo. New makes a Session.
type Session struct {
	fastPrograms fastPrograms
	madeMethods  madeMethods
	parking      regcode.Parking
	segments     sync.Map // by *frame: functions that undo what segmented did; see leaveSegment
	opt          Options
	ctx          *ixgo.Context
	host         *host
	loader       *loader
	importer     types.Importer
	nested       map[*types.Named]int            // numbers of types declared in functions; see newInterp
	builtin      map[string]reflect.Value        // the replacements made by overrides for all programs; never written to
	source       *map[string]*ixgo.SourcePackage // the interpreter's own map; see sourcePackages
	stop         *stopper
	// introducing is locked while a type is made known to an interpreter; see introduce.
	introducing sync.Mutex
	hidden      map[string]bool // names declared by the current program
	varFile     *token.File     // positions of variables' types; see place

	env           *env
	introspection introspection // lets other goroutines query names while cells run; see introspect.go
	lastID        int           // the latest id of a declaration; it also numbers changes of variables
	// selectors maps calls of unsafe.Offsetof in generic code to the lengths of their selectors.
	selectors map[token.Pos]int
	sources   sources           // texts of cells, for tracebacks
	hooks     map[string][]hook // function name -> hooks of its older versions
	running   sync.Mutex        // locked while a cell's statements run
	results   []any             // values that the running cell passed to oc__.Result

	timers      atomic.Int64  // number of time.AfterFunc timers that have not fired
	timerStates sync.Map      // *timerState by weak.Pointer[time.Timer]; see overrides.go
	handedOut   atomic.Bool   // a cell has passed functions or channels to compiled code; see deadlock.go
	standstill  time.Duration // time without any progress after which a deadlock is reported; see deadlock.go
	memory      *memory
	maps        mapUses
	crossings   crossings
	handovers   handovers
	slogging    slogging
	iterators   iterators
	tests       tests // tests in progress; see testing.go
	profiled    atomic.Pointer[activeProfile]
	modules     modules // packages run from source; see modules.go
	building    bool    // the program being built is code of packages from source, not of a cell
	debug       debugState
	visited     func(*site)             // called at each place of code in debug form; set by tests
	localTypes  map[*types.Named]string // names of types declared in functions, while an expression is built for a debugger
}

// sources holds the texts of cells by name. It has a lock because goroutines of earlier cells may panic at any time,
// and then read the texts to show positions.
type sources struct {
	mu    sync.Mutex
	text  map[string]string
	whole map[string]string // full texts of cells whose last run covered only a part of the cell
}

func (s *sources) set(cell, text string) { s.setPart(cell, text, text) }

// setPart stores the given text as the text of a cell. The text may be only a part of the cell; whole is the cell's
// full text.
func (s *sources) setPart(cell, text, whole string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text[cell] = text
	delete(s.whole, cell)
	if whole != text {
		if s.whole == nil {
			s.whole = map[string]string{}
		}
		s.whole[cell] = whole
	}
}

// remove removes the texts of the cells with these names.
func (s *sources) remove(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		delete(s.text, name)
		delete(s.whole, name)
	}
}

// line returns the line with number n of a cell, or "" if the cell has no such line. known reports whether the
// cell exists.
func (s *sources) line(cell string, n int) (line string, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, known := s.text[cell]
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) {
		return "", known
	}
	return strings.TrimRight(lines[n-1], "\r"), known
}

// A variable is a variable that a cell has declared at its top level, and that later cells can use.
type variable struct {
	name string
	typ  types.Type
	text string // typ with package paths
	addr any    // a pointer to the variable; nil until the declaring cell has been built
	// since is the value that the session's lastID had when the variable got its address.
	since int
	cell  string
}

// A hook is the variable through which an older version of a function finds the newest version.
type hook struct {
	name string
	addr any // a pointer to the hook variable
}

// word returns the address of the hook's function pointer.
func (h hook) word() *unsafe.Pointer {
	return (*unsafe.Pointer)(reflect.ValueOf(h.addr).UnsafePointer())
}

// set makes older versions of the hook's function forward their calls to f. If f is nil, the older versions run their
// own code.
func (h hook) set(f unsafe.Pointer) { atomic.StorePointer(h.word(), f) }

// isHook reports whether v is the address of a hook.
func isHook(v ssa.Value) bool {
	g, ok := v.(*ssa.Global)
	return ok && strings.HasPrefix(g.Name(), "hook__")
}

// loadHook returns the instruction that reads a hook atomically: a hook may be set while an older version
// reads it.
func loadHook(interp *ixgo.Interp, in *ssa.UnOp, r *registers) instruction {
	result, at := r.slotOf(in), r.slotOf(in.X)
	typ := rt.TypeWord(toType(interp, in.Type()))
	return func(fr *frame) {
		stack := stackOf(fr)
		stack[result] = rt.Any(typ, atomic.LoadPointer((*unsafe.Pointer)(dataOf(stack[at]))))
	}
}

var _ engine.Session = (*Session)(nil)

// New returns an empty session. The packages that cells can import are those
// registered with ixgo (see package bind).
func New(opt Options) (*Session, error) {
	if opt.Grace == 0 {
		opt.Grace = 300 * time.Millisecond
	}
	if err := errors.Join(findLayout(), checkStackUsed()); err != nil {
		return nil, err
	}
	ctx := ixgo.NewContext(ixgo.SupportMultipleInterp)
	// Only bound packages can be imported: no toolchain, no source trees.
	ctx.Lookup = func(root, path string) (string, bool) { return "", false }
	ctx.BuildContext = build.Context{Compiler: "gc", GOOS: "none", GOARCH: "none"}
	// The interpreter would pool and reuse the frames of calls, even in other goroutines, without removing
	// them from their callers. But when a caller panics, the interpreter walks the frames of its calls.
	ctx.SetLeastCallForEnablePool(math.MaxInt32)
	h := newHost()
	s := &Session{
		opt: opt, ctx: ctx, host: h,
		loader: &loader{TypesLoader: ctx.Loader.(*ixgo.TypesLoader), host: h, pins: map[string]reflect.Type{}, partly: map[string]*ixgo.Package{}, begun: map[reflect.Type]*types.Named{},
			iterators: map[string]reflect.Type{}, own: map[*types.TypeName]reflect.Type{}, typeOf: map[reflect.Type]types.Type{}},
		stop:      newStopper(h),
		env:       newEnv(),
		sources:   sources{text: map[string]string{}},
		hooks:     map[string][]hook{},
		nested:    map[*types.Named]int{},
		selectors: map[token.Pos]int{},
		memory:    newMemory(opt.MemoryLimit), standstill: standstill,
	}
	s.loader.module = func(path string) *sourcePackage { return s.modules.byPath[path] }
	s.stop.debug = &s.debug
	ctx.Loader = s.loader
	s.varFile = ctx.FileSet.AddFile("", -1, 1<<16)
	s.importer = importer{s}
	if opt.Stderr != nil {
		if err := setPrintOutput(ctx, opt.Stderr); err != nil {
			return nil, err
		}
	}
	override, err := overrideMap(ctx)
	if err != nil {
		return nil, err
	}
	if s.source, err = sourcePackages(ctx); err != nil {
		return nil, err
	}
	if err := s.replacePull(ctx); err != nil {
		return nil, err
	}
	s.watchTables()
	s.overrides()
	s.builtin = *override
	os.Args = os.Args[:1] // cells must not see the kernel's arguments
	debug.SetMaxStack(8 * stackLimit)
	return s, nil
}

// An importer imports only packages that are built into the kernel and packages loaded by Session.Load. For any other
// package, its error suggests what to do.
type importer struct{ s *Session }

func (i importer) Import(path string) (*types.Package, error) {
	if path == hostPath || path == "unsafe" {
		return i.s.ctx.Loader.Import(path)
	}
	if path, ok := strings.CutPrefix(path, dotted); ok {
		return i.s.importDot(path)
	}
	if m := i.s.modules.byPath[path]; m != nil {
		return m.pkg, nil
	}
	pkg, ok := ixgo.LookupPackage(path)
	if !ok {
		return nil, fmt.Errorf("package %s is not built into this kernel%s", path, similarPath(path))
	}
	if isPlain(pkg) && (*i.s.source)[path+"@patch"] == nil {
		return i.s.loader.importPartly(path)
	}
	p, err := i.s.ctx.Importer.Import(path)
	if table := bind.Lookup(path); err != nil && table != nil && table.Source != "" {
		// The generic declarations of the package cannot be used after all. Without them, the rest can.
		delete(*i.s.source, path+"@patch")
		p, err = i.s.ctx.Importer.Import(path)
	}
	if err == nil {
		i.s.nameAdded()
	}
	return p, err
}

// nameAdded corrects the package to which some types belong: types, such as iter.Seq, that the interpreter adds to a
// compiled package. The interpreter declares these types in a separate package, called a patch. nameAdded makes the
// compiled package their package, because programs import only that one. The methods of the types still belong to the
// patch.
func (s *Session) nameAdded() {
	for path, sp := range *s.source {
		of, isAddition := strings.CutSuffix(path, "@patch")
		if !isAddition || !sp.Loaded() || s.host.added[sp.Package.Scope()] != nil {
			continue
		}
		to, err := s.ctx.Importer.Import(of)
		if err != nil {
			continue
		}
		scope := sp.Package.Scope()
		s.host.added[scope] = sp.Package
		for _, name := range scope.Names() {
			o, ok := scope.Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			if _, ok := o.Type().(*types.Named); ok {
				setField(unsafe.Pointer(o), layout.packageOf, to)
			}
		}
	}
}

// boundPaths returns the import paths, among those of the packages built into the kernel, that have the given last
// element. A final /v2 does not count.
func boundPaths(last string) (paths []string) {
	for _, p := range ixgo.PackageList() {
		name := strings.TrimSuffix(p, "/v2")
		if name == last || strings.HasSuffix(name, "/"+last) {
			paths = append(paths, p)
		}
	}
	return paths
}

// similarPath returns the end of an error message that suggests packages built into the kernel with the same last path
// element, or "" if there are none.
func similarPath(path string) string {
	near := boundPaths(path[strings.LastIndexByte(path, '/')+1:])
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + spelling.Or(near) + "?"
}

// Vars returns the variables, sorted by name.
func (s *Session) Vars() []engine.Variable {
	var list []engine.Variable
	for name, v := range s.env.vars {
		list = append(list, engine.Variable{Name: name, Type: shortType(v.typ), Addr: v.addr})
	}
	slices.SortFunc(list, func(a, b engine.Variable) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Set converts text to the type of the variable with the given name, and assigns the result to the variable.
func (s *Session) Set(name, text string) error {
	v := s.env.vars[name]
	if v == nil || v.addr == nil {
		return fmt.Errorf("no variable %s", name)
	}
	p := reflect.ValueOf(v.addr).Elem()
	bad := func(err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s has type %s and cannot be %q", name, shortType(v.typ), text)
	}
	if p.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		if err == nil {
			p.SetInt(int64(d))
		}
		return bad(err)
	}
	switch p.Kind() {
	case reflect.String:
		p.SetString(text)
		return nil
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err == nil {
			p.SetBool(b)
		}
		return bad(err)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 0, p.Type().Bits())
		if err == nil {
			p.SetInt(n)
		}
		return bad(err)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(text, 0, p.Type().Bits())
		if err == nil {
			p.SetUint(n)
		}
		return bad(err)
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, p.Type().Bits())
		if err == nil {
			p.SetFloat(f)
		}
		return bad(err)
	}
	return fmt.Errorf("%s has type %s; only strings, numbers, booleans and durations can be set", name, shortType(v.typ))
}

// shortType returns t as a cell would write it: with package names, but without main.
func shortType(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		return p.Name()
	})
}
