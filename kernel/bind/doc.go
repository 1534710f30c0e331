// Package bind makes compiled packages importable from cells. No set-up calls are needed: each table registers
// its package when it is linked.
//
// Where the packages come from:
//
//   - most of the standard library, gonum, gonum/plot and gota: from the tables in
//     kernel/internal/bindings, which kernel/bind/gen writes;
//   - every package under ui, data, kernel-helpers and paper: from the tables in
//     cmd/overcomplete/bindings, which kernel/bind/gen also writes and the command overcomplete links;
//   - the few packages of the standard library that consist of generic
//     functions (slices, maps, iter, ...): from the interpreter's module, which
//     runs them from source. Only slices.Sort, and functions built on it, are
//     compiled; slices.SortFunc of 100 000 elements takes about 0.6 s;
//   - generic functions in otherwise ordinary packages (errors.AsType): from source. The source is
//     in this package or, if the function belongs to a package of this module
//     (crossval.Search) or of another module (zap.Objects), in that package's table, unless
//     it uses something that cells cannot use. Such a function is
//     fast if it leaves the work to functions without type parameters. Generic methods of
//     compiled types (Go 1.27's (*rand.Rand).N) are missing: reflection does not show
//     them. Generic methods declared in cells work.
//
// A package that is not in [Packages] has no table. Packages of other modules then run from source, or in a program
// that the kernel compiles (package modules). Of the standard library, [Packages] leaves out four kinds of packages,
// which cells cannot import. Some differ between systems (log/syslog; for syscall, a handwritten table holds what
// the systems have in common). Some register themselves with every web server in the process once they are linked (expvar,
// net/http/pprof). Some read object files (debug/elf and the like). Some are for the toolchain (plugin, runtime/cgo,
// runtime/coverage, runtime/race). %%native can import all of them.
//
// # Methods of cells
//
// Compiled code calls the methods of cell types through entry points, and the binary has a fixed number of
// them; see [MethodCapacity]. The interpreter compiles each cell to a program. Each method of a type that the
// program declares uses one entry point; so does a promoted method of an embedding struct. Entry points are
// never released: the methods of a type count again each time a program redeclares the type, but not when a
// program reuses the type of an earlier program. Generic packages that run from source also use entry points,
// in every program that imports them: slices uses 1 if SortFunc or the like is called, sync and sync/atomic use
// 6 together. So a program should import only what it uses.
package bind
