// Package modules brings packages of other modules into cells: it decides which versions a
// notebook uses, lists the source of packages that are to be run from source, and makes
// programs in which they are compiled in. Only the go command downloads, resolves and
// checks anything, in the user's environment: GOPROXY, GOPRIVATE, GOFLAGS, netrc and the caches
// mean what they mean to go build.
//
// # Versions
//
// A go.mod or go.work beside the notebook or above rules ([Env.Ruling]), and is never written to: the go
// command runs on it as it is, or, with pins of [Env.Get] on top, on a copy. Without one the pins are the
// go.mod of the notebook. An import that nothing pins gets the newest version once, which the user's
// versions.json keeps for all notebooks (defaults.go): what a module needs is found out in a go.mod of its own, so
// that it does not depend on the order of imports.
//
// # Programs
//
// A program is this kernel, built from its own source (package selfsource) with a table for each wanted package,
// by an overlay; its go.mod is the kernel's and what the notebook requires. Modules that only the inside of
// the kernel uses keep their versions, others may be raised, and then their tables are made anew. Of those that are
// in the cache one is found without any command: by a hash of the kernel, the Go, the settings and the
// replacements (wish.go), by the required versions, and by the content of local packages.
//
// The cache, which only the user may write to, has
//
//	programs/KEY/overcomplete    the program
//	programs/KEY/manifest.json   what it is; its time is that of the last use, and who runs it has a lock on it
//	programs/KEY/checked         which file had the right checksum last
//	source/KEY/                  the kernel's source
//	aliases/                     which program serves for fewer packages than it has
//	build.lock                   held while one is made
//
// What is made is made in a folder whose name begins with a point, and is renamed as a whole; such folders of
// builds that were killed go with the next build. The ten programs that were used last are kept.
//
// # Files in reading order
//
// env.go, ruling.go, requirement.go: which file rules, and what it asks for; toolchain.go, command.go, view.go: how
// the go command is run; resolve.go, get.go, defaults.go: versions; list.go, sources.go: running from source;
// compile.go, merge.go, vendor.go, overlay.go: making a program; wish.go, program.go, alias.go, cache.go,
// check.go: the cache; error.go, classify.go: what is said.
package modules
