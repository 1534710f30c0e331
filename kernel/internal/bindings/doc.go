// Package bindings has a table for each compiled package of the standard library and of other modules that cells may
// import. The table describes the package's exports. Tables are static data, which no code has to set up. The
// interpreter gets a package's table when a cell imports the package. The tables of this module's own packages are in
// cmd/overcomplete/bindings.
//
// The interpreter's own generator writes one function per package, which fills half a dozen maps. The compiler is slow
// on these functions, and they run at every start of the program. Here each table is a composite literal of constants,
// function values, typed nil pointers and addresses: the linker lays it out, the compiler has no function to optimize,
// and maps are made only for packages that a cell imports. All tables are in one Go package because one run of the
// compiler is faster than many.
//
// All files with names that end in _bind.go are generated. To add a package of another module, add its path to the
// list in kernel/bind/gen/list.go and run
//
//	go run ./kernel/bind/gen
//
// A table cannot contain generic functions and types; its field Generic lists the ones that it omits. The tables of
// packages whose paths begin alike are in one file.
package bindings
