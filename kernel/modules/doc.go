// Package modules brings packages of other modules into cells: it decides which versions a notebook uses, lists
// the source of packages to run from source, and builds programs with packages compiled in. Only the go command
// downloads, resolves and checks anything, in the user's environment: GOPROXY, GOPRIVATE, GOFLAGS, netrc and
// the caches work as for go build.
//
// # Versions
//
// A go.mod or go.work in the notebook's folder or above gives the versions: the ruling file ([Env.Ruling]). It
// is never written to: the go command runs on it unchanged, or, with pins of [Env.Get], on a copy. Without a
// ruling file the pins are the go.mod of the notebook. An unpinned import gets the newest version once, which
// the user's versions.json keeps for all notebooks (defaults.go). The requirements of a module are resolved in
// a go.mod of its own, so that they do not depend on the order of imports.
//
// # Programs
//
// A program is this kernel, built from its own source (package selfsource) with an overlay that adds a table
// for each wanted package. Its go.mod combines the kernel's and the notebook's requirements. Modules used only
// inside the kernel keep their versions. Others may be raised, and then their tables are regenerated. A program
// in the cache is found without running a command: by a hash of the kernel, the Go version, the settings and
// the replacements (spec.go), by the required versions, and by the content of local packages.
//
// The cache, writable only by the user, contains
//
//	programs/KEY/overcomplete    the program
//	programs/KEY/manifest.json   its description; its time is that of the last use, and processes that run it lock it
//	programs/KEY/checked         the file for which the checksum was last verified
//	source/KEY/                  the kernel's source
//	aliases/                     programs that also serve for fewer packages than they have
//	build.lock                   held during a build
//
// Programs are built in a folder with a name that begins with a dot, which is then renamed. The next build
// removes such folders of killed builds. The ten most recently used programs are kept.
//
// # Files in reading order
//
// env.go, ruling.go, requirement.go: the ruling file and its requirements; toolchain.go, command.go, view.go:
// how the go command is run; resolve.go, get.go, defaults.go: versions; list.go, sources.go: running from
// source; compile.go, merge.go, vendor.go, overlay.go: making a program; spec.go, program.go, alias.go,
// cache.go, check.go: the cache; error.go, classify.go: messages.
package modules
