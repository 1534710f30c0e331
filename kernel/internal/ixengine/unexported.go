package ixengine

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"maps"
	"reflect"
	"sync"
	"unsafe"

	"github.com/goplus/ixgo"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// The engine needs some unexported parts of the interpreter. The interpreter's version is fixed in go.mod,
// and New fails with a clear message if these parts have moved.

// setPrintOutput makes the builtins print and println write to w. ixgo's own option accepts only a
// *bytes.Buffer.
func setPrintOutput(ctx *ixgo.Context, w io.Writer) error {
	output, err := contextField[io.Writer](ctx, "output")
	if err == nil {
		*output = w
	}
	return err
}

// contextField returns a pointer to the unexported field of ctx with the given name.
func contextField[T any](ctx *ixgo.Context, name string) (*T, error) {
	f := reflect.ValueOf(ctx).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		return nil, fmt.Errorf("ixengine: this ixgo has no Context.%s of type %v", name, reflect.TypeFor[T]())
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr())), nil
}

// overrideMap returns a pointer to ctx's table of functions and variables that replace functions and
// variables of programs.
func overrideMap(ctx *ixgo.Context) (*map[string]reflect.Value, error) {
	return contextField[map[string]reflect.Value](ctx, "override")
}

// newInterp returns an interpreter for pkg. The functions and variables in table replace those of the program; the
// interpreter adds the targets of linkname directives to the table.
//
// Each interpreter gets a context of its own. The goroutines of its program read two maps of the context without a
// lock, even while other programs are built: the table, and the numbers that distinguish types declared in functions.
func (s *Session) newInterp(pkg *ssa.Package, table map[string]reflect.Value) (*ixgo.Interp, error) {
	own := reflect.New(reflect.TypeFor[ixgo.Context]())
	own.Elem().Set(reflect.ValueOf(s.ctx).Elem())
	ctx := own.Interface().(*ixgo.Context)
	override, err := overrideMap(ctx)
	if err != nil {
		return nil, err
	}
	// The numbers distinguish the types of different instances of a generic function. ixgo fills the map when
	// it type-checks; here the session fills it.
	nested, err := contextField[map[*types.Named]int](ctx, "nestedMap")
	if err != nil {
		return nil, err
	}
	*override, *nested = table, maps.Clone(s.nested)
	captureValues(pkg.Prog)
	s.addMethods(pkg)
	interp, err := ctx.NewInterp(pkg)
	if err == nil {
		err = s.loader.loadSame(interp, table)
	}
	*override = s.builtin // the replaced variables are no longer needed
	return interp, err
}

// sourcePackages returns the packages that the interpreter runs from source, by path.
func sourcePackages(ctx *ixgo.Context) (*map[string]*ixgo.SourcePackage, error) {
	return contextField[map[string]*ixgo.SourcePackage](ctx, "pkgs")
}

// insides gives access to the unexported fields of an ssa.Program, for buildMentioned.
type insides struct{ p unsafe.Pointer }

func insidesOf(p *ssa.Program) insides { return insides{unsafe.Pointer(p)} }

// packages returns the packages that have been created.
func (i insides) packages() map[*types.Package]*ssa.Package {
	return field[map[*types.Package]*ssa.Package](i.p, layout.packages)
}

// methods returns the methods that have been made although their packages have not been created.
func (i insides) methods() map[*types.Func]*ssa.Function {
	return field[map[*types.Func]*ssa.Function](i.p, layout.objectMethods)
}

// interfaced returns the types that are converted to interfaces.
func (i insides) interfaced() map[types.Type]struct{} {
	return field[map[types.Type]struct{}](i.p, layout.interfaced)
}

// Unexported functions of the interpreter. The build fails if they are missing.

type register int // index into a frame's values, as in the interpreter

//go:linkname checkPackages github.com/goplus/ixgo.checkPackages
func checkPackages(i *ixgo.Interp, list []*ssa.Package) error

//go:linkname prepareCall github.com/goplus/ixgo.(*Interp).prepareCall
func prepareCall(i *ixgo.Interp, fr *ixgo.Frame, call *ssa.CallCommon, value register, args, bindings []register) (fn any, values []any)

//go:linkname callDiscardsResult github.com/goplus/ixgo.(*Interp).callDiscardsResult
func callDiscardsResult(i *ixgo.Interp, caller *ixgo.Frame, fn any, args []any, ssaArgs []ssa.Value)

//go:linkname callExternalByStack github.com/goplus/ixgo.(*Interp).callExternalByStack
func callExternalByStack(i *ixgo.Interp, caller *ixgo.Frame, fn reflect.Value, result register, args []register)

//go:linkname toType github.com/goplus/ixgo.(*Interp).toType
func toType(i *ixgo.Interp, t types.Type) reflect.Type

// makeFunction returns fn, a function of the interpreter, as a Go function of type t.
//
//go:linkname makeFunction github.com/goplus/ixgo.(*function).makeFunction
func makeFunction(fn unsafe.Pointer, t reflect.Type, env []any) reflect.Value

// constToValue returns the value of a constant.
//
//go:linkname constToValue github.com/goplus/ixgo.constToValue
func constToValue(i *ixgo.Interp, c *ssa.Const) any

// fixedFuncName returns the name of a function in the runtime's form.
//
//go:linkname fixedFuncName github.com/goplus/ixgo.fixedFuncName
func fixedFuncName(fn *ssa.Function) (name string, autogen bool)

// layout holds the offsets of the unexported fields that the engine accesses, in the interpreter's structs
// and in an ssa.Program (see insides).
var layout struct {
	packages, objectMethods, interfaced                                     uintptr // fields of ssa.Program
	selections                                                              uintptr // field of types.MethodSet
	indirect                                                                uintptr // field of types.Selection
	packageOf                                                               uintptr // field of types.TypeName
	typeOf                                                                  uintptr // field of types.Func
	freeVarType                                                             uintptr // field of ssa.FreeVar
	position                                                                uintptr // field of all ssa.Instructions that have a value
	callPosition                                                            uintptr // field of ssa.CallCommon
	funcs, globals, msets, preloadTypes, record, deferCount, deferMap       uintptr // fields of Interp
	rcache, tcache, ncache                                                  uintptr // fields of TypesRecord
	instrs, ssaInstrs, index, initial, blocks, fn, base                     uintptr // fields of function
	stack, interp, pfn, callee, caller, ipc, block, pred, deferid, panicked uintptr // fields of Frame
}

// field reads a field of the struct at p.
func field[T any](p unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(p, offset)) }

func setField[T any](p unsafe.Pointer, offset uintptr, v T) { *(*T)(unsafe.Add(p, offset)) = v }

// findLayout fills layout.
var findLayout = sync.OnceValue(func() (err error) {
	find := func(t reflect.Type, name string, want reflect.Type, to *uintptr) {
		f, ok := t.FieldByName(name)
		if !ok || want != nil && f.Type != want {
			err = errors.Join(err, fmt.Errorf("ixengine: this ixgo has no %v.%s of type %v", t, name, want))
		}
		*to = f.Offset
	}
	frame, interp := reflect.TypeFor[ixgo.Frame](), reflect.TypeFor[ixgo.Interp]()
	find(frame, "stack", reflect.TypeFor[[]any](), &layout.stack)
	find(frame, "interp", reflect.TypeFor[*ixgo.Interp](), &layout.interp)
	find(frame, "callee", reflect.TypeFor[*ixgo.Frame](), &layout.callee)
	find(frame, "caller", reflect.TypeFor[*ixgo.Frame](), &layout.caller)
	find(frame, "ipc", reflect.TypeFor[int](), &layout.ipc)
	find(frame, "block", reflect.TypeFor[*ssa.BasicBlock](), &layout.block)
	find(frame, "pred", reflect.TypeFor[int](), &layout.pred)
	find(frame, "deferid", reflect.TypeFor[uint64](), &layout.deferid)
	find(frame, "pfn", nil, &layout.pfn)
	find(frame, "_panic", nil, &layout.panicked)
	program := reflect.TypeFor[ssa.Program]()
	find(program, "packages", reflect.TypeFor[map[*types.Package]*ssa.Package](), &layout.packages)
	find(program, "objectMethods", reflect.TypeFor[map[*types.Func]*ssa.Function](), &layout.objectMethods)
	find(program, "makeInterfaceTypes", nil, &layout.interfaced)
	find(reflect.TypeFor[ssa.FreeVar](), "typ", reflect.TypeFor[types.Type](), &layout.freeVarType)
	find(reflect.TypeFor[ssa.UnOp](), "pos", reflect.TypeFor[token.Pos](), &layout.position)
	find(reflect.TypeFor[ssa.CallCommon](), "pos", reflect.TypeFor[token.Pos](), &layout.callPosition)
	find(reflect.TypeFor[types.TypeName](), "pkg", reflect.TypeFor[*types.Package](), &layout.packageOf)
	find(reflect.TypeFor[types.Func](), "typ", reflect.TypeFor[types.Type](), &layout.typeOf)
	find(reflect.TypeFor[types.Selection](), "indirect", reflect.TypeFor[bool](), &layout.indirect)
	find(reflect.TypeFor[types.MethodSet](), "list", reflect.TypeFor[[]*types.Selection](), &layout.selections)
	if err != nil {
		return err
	}
	if f, _ := program.FieldByName("makeInterfaceTypes"); f.Type.Kind() != reflect.Map ||
		f.Type.Key() != reflect.TypeFor[types.Type]() || f.Type.Elem().Kind() != reflect.Struct || f.Type.Elem().Size() != 0 {
		return fmt.Errorf("ixengine: this ssa.Program.makeInterfaceTypes is a %v", f.Type)
	}
	pfn, _ := frame.FieldByName("pfn")
	if pfn.Type.Kind() != reflect.Pointer || pfn.Type.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("ixengine: this ixgo's Frame.pfn is a %v", pfn.Type)
	}
	find(pfn.Type.Elem(), "Instrs", reflect.TypeFor[[]func(*ixgo.Frame)](), &layout.instrs)
	find(pfn.Type.Elem(), "ssaInstrs", reflect.TypeFor[[]ssa.Instruction](), &layout.ssaInstrs)
	find(pfn.Type.Elem(), "index", reflect.TypeFor[map[ssa.Value]uint32](), &layout.index)
	find(pfn.Type.Elem(), "stack", reflect.TypeFor[[]any](), &layout.initial)
	find(pfn.Type.Elem(), "Blocks", reflect.TypeFor[[]int](), &layout.blocks)
	find(pfn.Type.Elem(), "base", reflect.TypeFor[int](), &layout.base)
	find(pfn.Type.Elem(), "Fn", reflect.TypeFor[*ssa.Function](), &layout.fn)
	find(interp, "globals", reflect.TypeFor[map[string]any](), &layout.globals)
	find(interp, "record", reflect.TypeFor[*ixgo.TypesRecord](), &layout.record)
	find(reflect.TypeFor[ixgo.TypesRecord](), "rcache", reflect.TypeFor[map[reflect.Type]types.Type](), &layout.rcache)
	find(reflect.TypeFor[ixgo.TypesRecord](), "tcache", reflect.TypeFor[*typeutil.Map](), &layout.tcache)
	find(reflect.TypeFor[ixgo.TypesRecord](), "ncache", reflect.TypeFor[*typeutil.Map](), &layout.ncache)
	find(interp, "deferCount", reflect.TypeFor[int32](), &layout.deferCount)
	find(interp, "deferMap", reflect.TypeFor[sync.Map](), &layout.deferMap)
	find(interp, "preloadTypes", reflect.TypeFor[map[types.Type]reflect.Type](), &layout.preloadTypes)
	find(interp, "msets", reflect.TypeFor[methodSets](), &layout.msets)
	find(interp, "funcs", reflect.MapOf(reflect.TypeFor[*ssa.Function](), pfn.Type), &layout.funcs)
	return err
})

// copyFunctions overwrites the functions of the interpreter dst with those of the interpreter src. Both must be
// interpreters of the same program. The overwritten functions include the methods of the types that dst has made;
// these methods then use the variables of src.
func copyFunctions(src, dst *ixgo.Interp) {
	funcs := func(i *ixgo.Interp) map[*ssa.Function]unsafe.Pointer {
		return field[map[*ssa.Function]unsafe.Pointer](unsafe.Pointer(i), layout.funcs)
	}
	pfn, _ := reflect.TypeFor[ixgo.Frame]().FieldByName("pfn")
	source := funcs(src)
	for f, p := range funcs(dst) {
		if q := source[f]; q != nil {
			reflect.NewAt(pfn.Type.Elem(), p).Elem().Set(reflect.NewAt(pfn.Type.Elem(), q).Elem())
		}
	}
}
