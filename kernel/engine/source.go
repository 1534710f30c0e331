package engine

import "context"

// A Source is a package that is run from source.
type Source struct {
	Path, Name string
	Dir        string            // of its files
	Files      []string          // Go files, in Dir
	GoVersion  string            // of the language: "go1.24", "" for the newest
	Embeds     bool              // it has go:embed directives
	ImportMap  map[string]string // import paths in the files -> packages, where they differ
	Module     string            // path of its module
	Version    string            // of its module, "" for a local one
	WithoutC   bool              // it has files that are left out because they need cgo
	// Prefer runs the package from source though it is compiled in, for its generic functions.
	// This is possible as long as neither the session nor another compiled package uses it.
	Prefer bool
}

// A Loader is a Session that can run packages from source.
type Loader interface {
	// Load makes the packages importable; a package follows those that it imports. They are
	// initialised once, now, with the methods that a cell has of being stopped. Those that are importable
	// already are passed over. If it fails, or ctx ends, the session is as it was before. The
	// error is an *Error; of kind Type if the interpreter cannot run a package. Frames in a package have
	// its file as Cell: module@version/folder/file.go.
	Load(ctx context.Context, list []Source) error

	// Loaded lists the packages that run from source, in the order of Load. It may be called at
	// any time, also while Run or Load is running, and by several goroutines.
	Loaded() []Source

	// Unload makes the packages importable anew by Load, and those which import them. Values
	// and types of the old ones live on, as those of a type that is declared again do.
	Unload(paths []string)

	// Importable reports whether a cell can import a package: one that is compiled in or loaded.
	Importable(path string) bool

	// Declarations returns cells which declare again what the session's imports, types, functions and
	// constants are, in order, for another session. Their names are those of the cells that declared them, and
	// so are the lines where that is possible; the imports come first, in a cell of their own. Variables are
	// left out, and so is what does not compile without them, or no longer compiles.
	Declarations() []Cell
}
