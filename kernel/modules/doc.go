// Package modules makes packages of other modules available to cells. It decides which versions a notebook uses, lists
// the source files of packages to run from source, and builds programs with packages compiled in. Only the go command
// downloads, resolves and checks anything, in the user's environment: GOPROXY, GOPRIVATE, GOFLAGS, netrc and the
// caches work as for go build.
//
// # Versions
//
// A go.mod or go.work file in the notebook's folder or above gives the versions; this package calls it the ruling file
// ([Env.Ruling]). The ruling file is never changed: the go command uses the file itself, or a copy if [Env.Get] has
// pinned versions. Without a ruling file the pins form the notebook's go.mod. An unpinned import gets the newest
// version at its first use, and the user's versions.json keeps this version for all notebooks (defaults.go). The
// requirements of each module are resolved in a separate go.mod, so that they do not depend on the order of imports.
//
// # Programs
//
// A program is this kernel with the wanted packages compiled in. It is built from the kernel's own source (package
// selfsource), with an overlay that adds a table for each wanted package: the part of the package that cells can
// import. Its go.mod combines the kernel's and the notebook's requirements. Modules that only the kernel uses keep
// their versions. The versions of other modules may be raised for the notebook; the tables of their packages are
// then generated again. For the build, modules that could end the kernel's process are changed (guard.go). Packages
// with generic declarations are changed too, so that the source of these declarations, which is in the tables, can
// use everything that it needs (generics.go). A program in the cache is found without running a command: by a hash
// of the kernel, the Go version, the settings and the replacements (spec.go), by the required versions, and by the
// content of local packages.
//
// The cache, writable only by the user, contains
//
//	programs/KEY/overcomplete    the program
//	programs/KEY/manifest.json   its description, locked by processes that run the program; the file's time is the last use
//	programs/KEY/checked         the state of the program's file for which the checksum was last verified
//	source/KEY/                  the kernel's source
//	tools/NAME-KEY               other programs of this project (tool.go)
//	aliases/                     files that name a program to use although it has more packages than wanted (alias.go)
//	build.lock                   held during a build
//
// Programs are built in a folder with a name that begins with a dot, which is then renamed. If a build is killed, the
// next build removes its folder. The ten most recently used programs are kept.
//
// # Files in reading order
//
// env.go, ruling.go, requirement.go: the ruling file and its requirements; toolchain.go, command.go, view.go: how the
// go command is run; resolve.go, get.go, defaults.go: versions; list.go, sources.go: running from source; compile.go,
// merge.go, vendor.go, guard.go, overlay.go, generics.go: making a program; spec.go, program.go, alias.go, cache.go:
// the cache; error.go, classify.go, said.go: messages; thisprogram.go: what is compiled into this program, and its source.
package modules
