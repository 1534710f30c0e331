package reach

import (
	"flag"
	"go/ast"
	"go/types"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"overcomplete/internal/patience"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"overcomplete/internal/built"
)

// An oracle finds reached code independently, from type-checked source. It follows functions by their
// instructions in golang.org/x/tools/go/ssa, calls through interfaces by rapid type analysis, and everything
// else by the type checker's object for each identifier. It shares no code with the package. It misses
// callbacks from other modules, so the package must reach everything that the oracle finds, and may reach
// more.
type oracle struct {
	prog     *ssa.Program
	packages map[string]*packages.Package // packages of the module
	root     string                       // the module's folder

	found   map[string]bool // "file decl"
	funcs   map[*ssa.Function]bool
	queue   []*ssa.Function
	objects map[types.Object]bool
	runtime map[types.Type]bool
	concr   []types.Type
	invoked []*types.Func
	asked   map[*types.Func]bool
}

func (o *oracle) begin() {
	o.found, o.funcs, o.objects = map[string]bool{}, map[*ssa.Function]bool{}, map[types.Object]bool{}
	o.runtime, o.asked, o.concr, o.invoked, o.queue = map[types.Type]bool{}, map[*types.Func]bool{}, nil, nil, nil
}

func (o *oracle) function(f *ssa.Function) {
	if f != nil && !o.funcs[f] {
		o.funcs[f] = true
		o.queue = append(o.queue, f)
	}
}

// object records a package-level object or method of the module, and follows that code.
func (o *oracle) object(obj types.Object) {
	switch x := obj.(type) {
	case *types.Func:
		obj = x.Origin()
	case *types.Var:
		obj = x.Origin()
	}
	if obj == nil || obj.Pkg() == nil || o.objects[obj] {
		return
	}
	pkg := o.packages[obj.Pkg().Path()]
	if pkg == nil {
		return
	}
	name := obj.Name()
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		t := f.Signature().Recv().Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		named, ok := t.(*types.Named)
		if !ok || types.IsInterface(named) {
			return
		}
		name = named.Obj().Name() + "." + name
	} else if obj.Parent() != obj.Pkg().Scope() {
		return
	}
	o.objects[obj] = true
	file := o.prog.Fset.Position(obj.Pos()).Filename
	o.found[strings.TrimPrefix(file, o.root+"/")+" "+name] = true
	if f, ok := obj.(*types.Func); ok && f.Signature().TypeParams() == nil && f.Signature().RecvTypeParams() == nil {
		o.function(o.prog.FuncValue(f))
	}
	if v, ok := obj.(*types.Var); ok {
		for _, init := range pkg.TypesInfo.InitOrder {
			for _, l := range init.Lhs {
				if l == v {
					o.uses(pkg, init.Rhs)
				}
			}
		}
	}
}

func (o *oracle) uses(pkg *packages.Package, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			o.object(pkg.TypesInfo.Uses[id])
		}
		return true
	})
}

// value records that a value of type t is stored in an interface. All exported methods of t may then be called. The
// methods of a Lab are an exception: they are only called by name.
func (o *oracle) value(t types.Type) {
	if o.runtime[t] {
		return
	}
	o.runtime[t] = true
	o.concr = append(o.concr, t)
	set := o.prog.MethodSets.MethodSet(t)
	for i := range set.Len() {
		m := set.At(i)
		recv := m.Recv()
		if p, ok := recv.(*types.Pointer); ok {
			recv = p.Elem()
		}
		if n, ok := recv.(*types.Named); ok && n.Obj().Name() == "Lab" {
			continue
		}
		if m.Obj().Exported() {
			o.object(m.Obj())
			o.function(o.prog.MethodValue(m))
		}
	}
	for _, m := range o.invoked {
		o.implement(t, m)
	}
}

func (o *oracle) invoke(m *types.Func) {
	if o.asked[m] {
		return
	}
	o.asked[m] = true
	o.invoked = append(o.invoked, m)
	for _, t := range o.concr {
		o.implement(t, m)
	}
}

func (o *oracle) implement(t types.Type, m *types.Func) {
	i, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok || !types.Implements(t, i) {
		return
	}
	if sel := o.prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name()); sel != nil {
		o.object(sel.Obj())
		o.function(o.prog.MethodValue(sel))
	}
}

func (o *oracle) run(start *ssa.Function) {
	o.function(start)
	for len(o.queue) > 0 {
		f := o.queue[len(o.queue)-1]
		o.queue = o.queue[:len(o.queue)-1]
		top := f
		for top.Parent() != nil {
			top = top.Parent()
		}
		if top.Origin() != nil {
			top = top.Origin()
		}
		if obj := top.Object(); obj != nil {
			o.object(obj)
			if decl, ok := top.Syntax().(*ast.FuncDecl); ok && o.packages[obj.Pkg().Path()] != nil {
				o.uses(o.packages[obj.Pkg().Path()], decl)
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, v := range in.Operands(nil) {
					if g, ok := (*v).(*ssa.Function); ok {
						o.function(g)
					}
				}
				switch in := in.(type) {
				case *ssa.MakeInterface:
					o.value(in.X.Type())
				case ssa.CallInstruction:
					if c := in.Common(); c.IsInvoke() {
						o.invoke(c.Method)
					}
				}
			}
		}
	}
}

var papers = flag.String("papers", "lewicki,s3c2011", "folders under paper/ whose experiments are compared with the type checker, or all")

// sources returns the import paths of the module's packages on which some papers depend.
func sources(t *testing.T, patterns []string) []string {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule, Dir: "../.."}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main {
			paths = append(paths, p.PkgPath)
		}
	})
	return paths
}

// TestAgainstTypeChecker checks that Reach finds everything that an oracle finds for an experiment.
func TestAgainstTypeChecker(t *testing.T) {
	if testing.Short() || patience.RaceDetector {
		t.Skip("type-checks much of the module")
	}
	c, err := Scan("../..")
	if err != nil {
		t.Fatal(err)
	}
	var roots, patterns []string
	for _, root := range labMethods(t, c) {
		if paper := packageOf(root); *papers == "all" || slices.Contains(strings.Split(*papers, ","), path.Base(paper)) {
			roots = append(roots, root)
			patterns = append(patterns, paper)
		}
	}
	if len(roots) < 10 {
		t.Fatalf("only %d experiments in %s", len(roots), *papers)
	}
	begin := time.Now()
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: "../..", BuildFlags: built.Flags()}, sources(t, slices.Compact(patterns))...)
	if err != nil {
		t.Fatal(err)
	}
	prog, made := ssautil.Packages(loaded, ssa.InstantiateGenerics)
	prog.Build()
	o := &oracle{prog: prog, packages: map[string]*packages.Package{}}
	ssas := map[string]*ssa.Package{}
	for i, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		o.packages[p.PkgPath], ssas[p.PkgPath] = p, made[i]
		o.root = p.Module.Dir
	}
	// The same for functions of the libraries.
	step := 10
	if *papers == "all" {
		step = 1
	}
	experiments := len(roots)
	for _, p := range loaded {
		if !strings.Contains(p.PkgPath, "/kernel-helpers/") || p.Name == "main" {
			continue
		}
		for i, name := range p.Types.Scope().Names() {
			f, ok := p.Types.Scope().Lookup(name).(*types.Func)
			if ok && f.Exported() && f.Signature().TypeParams() == nil && i%step == 0 {
				roots = append(roots, p.PkgPath+"."+name)
			}
		}
	}
	t.Logf("%d packages loaded in %v", len(loaded), time.Since(begin))
	begin = time.Now()
	total, most := 0, 0
	for _, root := range roots {
		pkg, decl := packageOf(root), root[len(packageOf(root))+1:]
		if ssas[pkg] == nil {
			t.Fatalf("no package %s", pkg)
		}
		o.begin()
		if _, method, ok := strings.Cut(decl, "."); ok {
			lab := ssas[pkg].Type("Lab").Type()
			sel := prog.MethodSets.MethodSet(types.NewPointer(lab)).Lookup(ssas[pkg].Pkg, method)
			if sel == nil {
				t.Fatalf("%s is no method", root)
			}
			o.object(sel.Obj())
			o.run(prog.MethodValue(sel))
		} else {
			o.run(ssas[pkg].Func(decl))
		}
		r, err := c.Reach(root)
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]bool{}
		for _, p := range r.Parts {
			have[p.File+" "+p.Decl] = true
		}
		for f := range o.found {
			if !have[f] {
				t.Errorf("%s: not reached: %s", root, f)
			}
		}
		total += len(o.found)
		most = max(most, len(o.found))
	}
	t.Logf("%d experiments and %d functions compared in %v; the oracle finds %d declarations of one on average, at most %d", experiments, len(roots)-experiments, time.Since(begin), total/len(roots), most)
	if most < 300 {
		t.Errorf("the oracle finds only %d declarations: it does not do its work", most)
	}
}
