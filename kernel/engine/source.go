package engine

import "context"

// A Source is a package that is run from source.
type Source struct {
	Path, Name string
	Dir        string            // of its files
	Files      []string          // Go files, in Dir
	GoVersion  string            // language version: "go1.24", "" for the newest
	Embeds     bool              // it has go:embed directives
	ImportMap  map[string]string // import paths in the files -> packages, if they differ
	Module     string            // path of its module
	Version    string            // of its module, "" for a local one
	WithoutC   bool              // files are left out because they need cgo
	// Prefer runs the package from source although it is compiled in, for its generic functions. This works
	// only if neither the session nor another compiled package uses it.
	Prefer bool
}

// A Loader is a Session that can run packages from source.
type Loader interface {
	// Load makes the packages importable. A package must come after its imports. Packages are initialized once,
	// now, and can be stopped like a cell. Packages that are already importable are skipped. If Load fails, or
	// ctx ends, the session is unchanged. The error is an *Error, of kind Type if the interpreter cannot run a
	// package. Frames in a package have its file as Cell: module@version/folder/file.go.
	Load(ctx context.Context, list []Source) error

	// Loaded lists the packages that run from source, in the order of Load. It may be called at
	// any time, also while Run or Load is running, and by several goroutines.
	Loaded() []Source

	// Unload makes the packages, and those that import them, importable again by Load. Values and types of the
	// old packages live on, like those of a redeclared type.
	Unload(paths []string)

	// Importable reports whether a cell can import a package: it is compiled in or loaded.
	Importable(path string) bool

	// Declarations returns cells that redeclare the session's imports, types, functions and constants in
	// another session, in order. They have the names of the cells that declared them, and where possible the
	// lines; the imports come first, in a cell of their own. Variables are left out, as are declarations that
	// do not compile without them or no longer compile.
	Declarations() []Cell
}
