// Package bindings has what each compiled package of the standard library and of other
// modules exports that cells may import, as data that needs no code to set up, and hands it
// to the interpreter when a cell imports the package. This module's own packages are in
// cmd/overcomplete/bindings.
//
// The interpreter's own generator writes one function per package that fills
// half a dozen maps. The compiler is slow on such functions and they run at
// every start of the program. Here each package is a composite literal of
// constants, function values, typed nil pointers and addresses: the linker
// lays it out, the compiler has no function to optimise, and the maps are
// made only for the packages that are imported. It is one Go package rather
// than many because it then compiles in one run of the compiler.
//
// All files whose names end in _bind.go are generated. To add a package of
// another module, add its path to the list in kernel/bind/gen/list.go. Then run
//
//	go run ./kernel/bind/gen
//
// Generic functions and types cannot be put in a table: the generated file
// names those that it leaves out.
package bindings
