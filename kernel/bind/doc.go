// Package bind makes compiled packages importable from cells. No set-up calls are needed: the packages with the
// tables register them.
//
// Where the packages come from:
//
//   - most of the standard library, gonum, gonum/plot and gota: from the tables in
//     kernel/internal/bindings, which kernel/bind/gen writes;
//   - every package under ui, data, kernel-helpers and paper: from the tables in
//     cmd/overcomplete/bindings, which it writes too, and the command links;
//   - the few packages of the standard library that consist of generic
//     functions (slices, maps, iter, ...): from the interpreter's module, which
//     runs them from source. Only slices.Sort, and what is built on it, is
//     compiled; slices.SortFunc of 100 000 elements takes about 0.6 s;
//   - generic functions in otherwise ordinary packages (errors.AsType), and
//     functions that return an iter.Seq (strings.SplitSeq): from source given in
//     this package. Methods that return an iter.Seq can be ranged over, but
//     slices.Collect and the like do not take what they return. Generic methods of
//     compiled types (Go 1.27's (*rand.Rand).N) are missing: reflection does not show
//     them. Those that cells declare are there.
//
// A package that is not in [Packages] cannot be imported: nothing is compiled at run time. From the standard
// library the list leaves out packages that differ between systems (syscall, log/syslog), packages that
// register themselves with every web server of the process once they are linked (expvar, net/http/pprof), and
// packages for the toolchain (plugin, runtime/cgo, runtime/coverage, runtime/race). Of generic types, sql.Null
// is missing; use sql.NullString and its like.
//
// # Methods of cells
//
// Each method of a type that a program declares takes one of a fixed number of entry points, through which
// compiled code calls it. [MethodCapacity] returns how many are compiled into the binary. A promoted method of
// an embedding struct takes one too. Programs of earlier cells stay alive, so entry points are never given
// back: the methods of a type count again each time a program redeclares the type, but not when it takes the
// type over from an earlier program. Generic packages that run from source count too, for every program that
// imports them: slices takes 1 if SortFunc or the like is used, sync and sync/atomic take 6 together. So a
// program should import only what it uses.
package bind
