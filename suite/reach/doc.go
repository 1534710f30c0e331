// Package reach finds the code of this module that an experiment reaches, declaration by declaration, from
// the source alone. The result of an experiment can be kept as long as this code stays the same; if it
// changes, the changed declarations can be named:
//
//	code changed: kernel-helpers/klcoding/egd.go (Descent.step)
//
// No toolchain is needed: go/types checks those packages of the module that are necessary, in a fraction of a second.
// Packages outside the module are empty to the type checker.
//
//	code, err := reach.Scan(root)
//	now, err := code.Reach("overcomplete/paper/bradley2008.Lab.Table2")
//	lines := append(reach.Diff(then.Parts, now.Parts), reach.DiffModules(then.Modules, now.Modules)...)
//
// # Why not packages
//
// A hash of all files of the packages that an experiment imports, directly or not, would take some 150 lines instead
// of this package's 1,500. The cost of such a hash was measured in November 2026. Of 50 consecutive commits, 44 could
// be compared with the one before; with 112 to 136 experiments each, that makes 5,960 pairs of an experiment and a
// commit. With hashed declarations, the experiment runs again in 1,094 of these pairs (18 %). With hashed packages,
// it runs again in 1,609 pairs (27 %), which include the 1,094. Seven commits changed code that all experiments
// share, and account for 951 of the 1,094 pairs and 952 of the 1,609. The other commits account for 143 and 657.
// These other commits are an author's daily work: with hashed declarations, an author who works on one table measures
// only that table again, and learns which function caused the run. For experiments that take hours, this is worth the
// extra lines.
//
// # Reached code
//
// Reach may include code that never runs, but, apart from the traps below, it never misses code that runs.
//
//   - A declaration reaches the package-level names and methods that it mentions. These
//     may belong to its own package or to another package of the module. The type checker tells what each name means.
//     Where the type checker cannot tell, because another module or a build tag decides,
//     the name counts as everything that it may mean.
//   - A reached type reaches all its methods, because any interface may hold a value of the type. The types of all
//     values are found, because the type of a value is named in the signature or the field that passes the value on.
//   - But a type Lab in a package directly under paper/ has one method for each experiment. Such a method is reached
//     in three cases only: reached code calls it or takes it as a value; a reached interface has a method of this
//     name; the standard library calls methods of this name on its own (String, Write, ...). In a package that imports
//     the Lab's package, x.Method also reaches the Lab's method if the type of x is not known, as in x :=
//     slices.Collect(labs)[0]. If a Lab's method is a root, it reaches the functions of its package that return a Lab,
//     since one of them must have made the Lab.
//   - The init functions, blank variables and blank imports of a package are reached as
//     soon as the package is imported, even indirectly. Other variables are reached only
//     where they are mentioned.
//   - A function without a body reaches the assembler files of its package, and the Go
//     names in them. //go:linkname is followed in both directions, //go:embed to the
//     embedded files.
//   - All variants among which build tags choose are reached. For the type checker such a
//     name has no type. Tests are not reached, nor are programs in the folder of a package
//     (//go:build ignore).
//   - For a constant that depends on iota, its whole group is reached. In other groups,
//     only the specification of the constant is reached.
//
// # What counts as a change
//
// Part.Hash covers the declaration's tokens, not its comments and layout. It also covers directives, the file's build
// constraint, and the paths of the imports that the declaration uses from outside the module, because rand.Int may come
// from math/rand or math/rand/v2. Assembler and embedded files count byte by byte.
//
// # The files
//
// In reading order: scan.go (the tree, go.mod, go.sum), source.go (packages and declarations),
// directive.go (//go: comments and assembler), check.go (the type checker), mentions.go (what a declaration
// mentions), roots.go (names of roots), reach.go (the closure), hash.go, diff.go.
//
// # Traps
//
//   - State that was set by the program around an experiment is not reached: a function that main or an earlier cell
//     assigned to a variable, a number of threads, a package that registers itself and that only main imports. Pass
//     such functions as roots too. Function values in a package-level table, however, are reached through the table's
//     variable.
//   - An experiment does not reach the code that filled the fields of its Lab unless it
//     calls that code itself: if a cell calls l.Learn() and then l.Table(), Table reaches
//     Learn only by calling it.
//   - A method that is called by its name at run time (reflection, text/template) is
//     reached if its type is reached, but a Lab's method is not.
//   - A Lab is assumed never to be stored in an interface of another module, except for
//     the methods in the list named called (reach.go).
//   - A declaration that exists only in some builds hides, in all builds, a declaration of
//     the same name further out: the method of an embedded type or a predeclared name.
//   - Packages that import each other under different build tags are refused, like code
//     with cgo.
//   - A variable that nothing mentions is not reached even if its initializer registers
//     something. Write var _ = register() or an init function.
//   - Data files, environment variables and command lines are not code.
//   - Modules lists the modules that the reached files import, not their own requirements;
//     a module that is replaced by a folder is named without its contents. The Go
//     version is not listed either: store runtime.Version() separately.
//   - The bindings in kernel/internal/bindings and cmd/overcomplete/bindings are not
//     followed.
//   - A Code is the tree at the time of Scan, but embedded files are read by Reach. A
//     file that an editor is writing at that moment may be found empty, which is an error.
package reach
