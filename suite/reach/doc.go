// Package reach finds the code of this module that an experiment reaches, declaration by
// declaration, from the source alone. So the result of an experiment can be kept as long as that
// code stays the same, and changed declarations can be named:
//
//	code changed: kernel-helpers/pursuit/egd.go (Descent.step)
//
// No toolchain is needed: go/types checks the packages of the module that are needed, which takes
// a fraction of a second. Packages outside the module are empty to it.
//
//	code, err := reach.Scan(root)
//	now, err := code.Reach("overcomplete/paper/bradley2008.Lab.Table2")
//	lines := append(reach.Diff(then.Parts, now.Parts), reach.DiffModules(then.Modules, now.Modules)...)
//
// # Why not packages
//
// A hash of all files of the packages that an experiment imports, directly or not, would take some
// 150 lines instead of this package's 1,500. Its cost was measured in November 2026. Of 50
// consecutive commits, 44 could be compared with the one before; with their 112 to 136 experiments
// that makes 5,960 pairs of an experiment and a commit. If declarations are hashed, the experiment
// runs again in 1,094 of these pairs (18 %); if packages are hashed, in 1,609 (27 %), which include
// all of the former. Seven commits changed code that all experiments share, and account for 951 and
// 952 of these pairs; for the other commits the numbers are 143 and 657. These other commits are an
// author's daily work: an author who works on a table measures that table again, not the whole
// paper, and learns which function caused it. With experiments that take hours, that is worth the
// lines.
//
// # What is reached
//
// Reach finds more code than runs, and, apart from the traps below, never less.
//
//   - A declaration reaches the package-level names and methods in it, of its own package
//     and of other packages of the module. The type checker tells what each name means.
//     Where it cannot, since another module or a build tag decides, the name stands for
//     all that it may mean.
//   - A type brings all its methods: a value of it may be in any interface. All types of
//     values are found, because the signature or the field that hands a value on names
//     its type.
//   - But a type Lab in a package directly under paper/ has one method for each
//     experiment. Such a method is reached where what is reached calls it or takes it as
//     a value; where a reached interface has a method of this name; and if the standard
//     library calls such methods by itself (String, Write, ...). Where the type of x is not
//     known, as in x := slices.Collect(labs)[0], x.Method reaches the Lab's method, in a
//     package that imports the Lab's. A Lab's method as a root brings the functions of its
//     package that return a Lab, since one of them must have made it.
//   - The init functions, blank variables and blank imports of a package are reached as
//     soon as the package is imported, even indirectly. Other variables are reached only
//     where they are mentioned.
//   - For a function without a body: the assembler files of its package, and the Go names
//     in them. //go:linkname is followed both ways, //go:embed to the files.
//   - All variants among which build tags choose. To the type checker such a name has no type.
//     Not tests, nor programs in the folder of a package (//go:build ignore).
//   - Constants that count with iota, all of their group; of other groups, one
//     specification.
//
// # What counts as a change
//
// Part.Hash is of the declaration's tokens: comments and layout do not count.
// Directives, the file's build constraint, and the paths of imports from outside the
// module that the declaration uses do (rand.Int may be math/rand's or math/rand/v2's).
// Assembler and embedded files count byte by byte.
//
// # The files
//
// In reading order: scan.go (the tree), module.go (go.mod, go.sum), source.go (packages
// and declarations), directive.go (all that begins with //go:, assembler), check.go (the
// type checker), mentions.go (what a declaration mentions), roots.go (names of roots),
// reach.go (the closure), hash.go, diff.go.
//
// # Traps
//
//   - What the program around an experiment has set is not reached: a function that main
//     or an earlier cell assigned to a variable, a number of threads, a package that
//     registers itself and that only main imports. Pass such functions as roots too.
//     Function values in a package-level table, however, are reached through the table's
//     variable.
//   - An experiment does not reach the code that filled the fields of its Lab unless it
//     calls that code itself: if a cell calls l.Learn() and then l.Table(), Table reaches
//     Learn only by calling it.
//   - A method that is called by its name at run time (reflection, text/template) is
//     reached if its type is, but a Lab's is not.
//   - A Lab is assumed never to be stored in an interface of another module, except for
//     the methods in the list named called (reach.go).
//   - A declaration that only some builds have hides one of the same name further out, the
//     method of an embedded type or a name of the language, in all builds.
//   - Packages that import each other under different build tags are refused, like code
//     with cgo.
//   - A variable that nothing mentions is not reached even if its initializer registers
//     something. Write var _ = register() or an init function.
//   - Data files, environment variables and command lines are not code.
//   - Modules has what the reached files import, not what those modules require in turn;
//     a module that is replaced by a folder is named without its contents. The Go
//     version is not in it either: keep runtime.Version() beside it.
//   - The bindings in kernel/internal/bindings and cmd/overcomplete/bindings are not
//     followed.
//   - A Code is the tree at the time of Scan, but embedded files are read by Reach. A
//     file that an editor is writing at that moment may be found empty, which is an error.
package reach
