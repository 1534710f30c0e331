package modules

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"overcomplete/internal/module"
	"overcomplete/kernel/internal/selfsource"
)

// compiledIn holds the data passed to Register.
var compiledIn struct {
	Packages []string
	Modules  []Module
	Version  string
	Local    []localPackage // the packages and dependencies with files that may change
}

// Register records which packages and modules Compile has compiled into this program. text is a JSON object with these
// data. Generated code calls Register.
func Register(text string) {
	if err := json.Unmarshal([]byte(text), &compiledIn); err != nil {
		panic(fmt.Sprintf("modules: %v", err))
	}
}

// CompiledIn lists the packages of other modules that Compile has compiled into the running program, and the
// modules with their versions. Both lists are empty if the program was not made by Compile.
func CompiledIn() (packages []string, mods []Module) {
	return slices.Clone(compiledIn.Packages), slices.Clone(compiledIn.Modules)
}

// Version returns the version of this project's module, or "" if unknown. A program made by Compile has the
// version of the program that called Compile.
func Version() string {
	if compiledIn.Version != "" {
		return compiledIn.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == module.Path && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return ""
}

// builtWith returns the versions of the modules that are linked into this program.
var builtWith = sync.OnceValue(func() map[string]string {
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = &debug.Module{Path: m.Path, Version: m.Replace.Version}
			}
			if m.Version != "" && m.Version != "(devel)" {
				versions[m.Path] = m.Version
			}
		}
	}
	return versions
})

// isOwn reports whether path is this project's module.
func isOwn(path string) bool { return path == module.Path }

// kernelSource provides the kernel's source, from which extended programs are built.
var kernelSource interface {
	// Key identifies the source.
	Key() (string, error)
	// Extract writes the source into a folder.
	Extract(dir string) error
	// GoMod returns the text of the kernel's go.mod.
	GoMod() ([]byte, error)
} = ownSource{}

// ownSource is the source embedded in this program.
type ownSource struct{}

func (ownSource) Key() (string, error)     { return selfsource.Key() }
func (ownSource) Extract(dir string) error { return selfsource.Extract(dir) }
func (ownSource) GoMod() ([]byte, error)   { return selfsource.GoMod() }
