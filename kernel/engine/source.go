package engine

import "context"

// A Source is a package that the interpreter runs from source.
type Source struct {
	Path, Name string
	Dir        string            // directory of the files
	Files      []string          // Go files, in Dir
	GoVersion  string            // language version: "go1.24", or "" for the newest
	Embeds     bool              // the package has go:embed directives
	ImportMap  map[string]string // import paths in the files -> package paths, for the imports where the two differ
	Module     string            // path of the package's module
	Version    string            // version of the package's module, "" for a local module
	WithoutC   bool              // some files are left out because they need cgo
	// Prefer makes the package run from source although it is compiled in, so that cells can use its generic
	// functions. This works only if neither the session nor another compiled package uses the package.
	Prefer bool
}

// A Loader runs packages from source.
type Loader interface {
	// Load makes the packages importable. A package must come after its imports in the list. Load initializes the
	// packages; their initialization can be stopped, as a cell can. Packages that are already importable are skipped.
	// If Load fails, or ctx is done, the session is unchanged. The error is an *Error, of kind Type if the interpreter
	// cannot run a package. In the frames of a package, the field Cell is the name of the file, in the form
	// module@version/folder/file.go.
	Load(ctx context.Context, list []Source) error

	// Loaded lists the packages that run from source, in the order of loading. It may be called at any time,
	// even during Run or Load, and by several goroutines.
	Loaded() []Source

	// Unload unloads the packages and all packages that import them; Load can then load them again. Values and
	// types of the old packages live on, like those of a redeclared type.
	Unload(paths []string)

	// Importable reports whether a cell can import a package, that is, whether the package is compiled in or loaded.
	Importable(path string) bool

	// Declarations returns cells that redeclare the session's imports, types, functions and constants in
	// another session, in order. The cells have the names of the cells that made the declarations, and keep the
	// line numbers where possible; the imports come first, in a cell of their own. Variables are left out.
	// Declarations that do not compile without the variables, or that no longer compile, are left out too.
	Declarations() []Cell
}
