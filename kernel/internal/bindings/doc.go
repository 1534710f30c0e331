// Package bindings describes the exports of each compiled package of the standard library and of other
// modules that cells may import. The descriptions are data that no code has to set up. The interpreter gets a
// package's description when a cell imports the package. The tables of this module's own packages are in
// cmd/overcomplete/bindings.
//
// The interpreter's own generator writes one function per package, which fills half a dozen maps. The
// compiler is slow on these functions, and they run at every start of the program. Here each package is a
// composite literal of constants, function values, typed nil pointers and addresses: the linker lays it out,
// the compiler has no function to optimize, and only imported packages need maps. All tables are in one Go
// package because a single run of the compiler is faster.
//
// All files with names that end in _bind.go are generated. To add a package of another module, add its path
// to the list in kernel/bind/gen/list.go and run
//
//	go run ./kernel/bind/gen
//
// A table cannot contain generic functions and types; its field Generic lists the ones that it omits. Packages whose
// paths begin alike have their tables in one file.
package bindings
