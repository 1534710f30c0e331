package ixengine

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// hideGenericMethods removes generic methods (new in Go 1.27) from the method sets of a program's types. Generic
// methods satisfy no interface, and compiled code cannot call them, so they do not belong in a runtime type. But the
// interpreter is older than generic methods, and would add them to the runtime types. Calls do not need the method
// sets: the builder has made an instance of the method for each call.
func hideGenericMethods(prog *ssa.Program, c *checkedProgram) {
	if hasGenericMethod(c.file) {
		hideGenericMethodsOf(prog, c.pkg, c.info)
	}
}

func hideGenericMethodsOf(prog *ssa.Program, pkg *types.Package, info *types.Info) {
	// The sets are cached by pointer, not by identity: instances that the builder has made have sets of their own, so
	// all types that can be reached are examined, as in the interpreter.
	done := map[*types.Named]bool{}
	var all func(t types.Type)
	hide := func(n *types.Named) {
		if done[n] || hasTypeParam(n) {
			return
		}
		done[n] = true
		for _, t := range []types.Type{n, types.NewPointer(n)} {
			set := prog.MethodSets.MethodSet(t) // the interpreter will get this cached set
			list := field[[]*types.Selection](unsafe.Pointer(set), layout.selections)
			setField(unsafe.Pointer(set), layout.selections, slices.DeleteFunc(list, func(s *types.Selection) bool {
				return isGenericMethod(s)
			}))
		}
		all(n.Underlying())
		for m := range n.Methods() {
			all(m.Type())
		}
	}
	all = func(t types.Type) { walkNamed(t, hide) }
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		all(scope.Lookup(name).Type())
	}
	for _, tv := range info.Types {
		if tv.Type != nil {
			all(tv.Type)
		}
	}
	for _, inst := range info.Instances {
		all(inst.Type)
	}
	for t := range insidesOf(prog).interfaced() {
		all(t)
	}
}

func isGenericMethod(s *types.Selection) bool {
	return s.Obj().(*types.Func).Signature().TypeParams().Len() > 0
}

// unnamedWithGenericMethod finds an unnamed struct type that embeds a type with a generic method. hideGenericMethods
// cannot remove the generic method from the method set of such a struct. The results are the struct type's position and
// an error message. The message is "" if there is no such type.
func unnamedWithGenericMethod(c *checkedProgram) (pos token.Pos, text string) {
	if !hasGenericMethod(c.file) {
		return token.NoPos, ""
	}
	named := map[ast.Expr]bool{}
	ast.Inspect(c.file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
			named[spec.Type] = true
		}
		return true
	})
	for e, tv := range c.info.Types {
		x, ok := e.(*ast.StructType)
		if !ok || tv.Type == nil || hasTypeParam(tv.Type) || named[x] {
			continue
		}
		for s := range types.NewMethodSet(types.NewPointer(tv.Type)).Methods() {
			// The program's own declaration of a variable repeats the type, without a position.
			if at := x.Pos(); isGenericMethod(s) && (text == "" || at.IsValid() && (!pos.IsValid() || at < pos)) {
				pos, text = at, fmt.Sprintf("this struct gets the generic method %s from what it embeds and has no name, which this kernel cannot do: declare a type", s.Obj().Name())
			}
		}
	}
	return pos, text
}

// hasGenericMethod reports whether a file declares a method with type parameters of its own.
func hasGenericMethod(file *ast.File) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv != nil && f.Type.TypeParams != nil
	})
}
