// Package overlay repairs two faults in Go's own library that keep the kernel from running as js/wasm. It uses go
// build -overlay, so the installed toolchain stays unchanged.
//
// First, on wasm a map uses only the lower 32 bits of a hash, and uses the upper bits of these as the index into its
// directory of tables. But the hash of a nil interface is the map's seed, which has 64 bits. In a map with interface
// keys and more than 896 elements, a nil key then leads to a table far outside of the directory: the program reads
// unrelated memory, or crashes. The interpreter has such maps for the values of functions; without the repair the
// kernel crashes in cells of more than about 150 statements.
//
// Second, on wasm the address of a function is the function's number in the upper 16 of 32 bits, so it looks like a
// memory address. Packages reflect and reflectx keep these addresses in variables that the garbage collector treats as
// pointers. When the heap has grown to these addresses, at about 300 MB, objects there are not freed. If an object
// there was freed before, the program ends with "found pointer to free object". The interpreter is affected because it
// asks for the addresses of many methods.
//
// For each fault, a test builds a program that shows it. The test fails if a toolchain no longer needs the repair.
package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A repair replaces faulty lines in a file of Go's library. The fields faulty and repaired hold whole lines.
type repair struct{ file, faulty, repaired string }

var repairs = []repair{
	{
		"src/internal/runtime/maps/map.go",
		"\treturn hash >> (m.globalShift & 63)\n",
		"\tif !Use64BitHash {\n\t\thash = uintptr(uint32(hash))\n\t}\n\treturn hash >> (m.globalShift & 63)\n",
	},
	// Package reflect asks the runtime for the address of a method, and so does reflectx, which imitates it.
	// The returned address has a bit set that no memory address has; calls shift this bit out.
	{
		"src/runtime/runtime1.go",
		"\treturn toRType((*_type)(rtype)).textOff(textOff(off))\n",
		"\tf := toRType((*_type)(rtype)).textOff(textOff(off))\n" +
			"\tif uintptr(f)&(1<<16-1) == 0 {\n\t\tf = add(f, 1<<48)\n\t}\n\treturn f\n",
	},
	{
		"src/reflect/type.go",
		"\ttfn := t.textOff(p.Tfn)\n",
		"\ttfn := uintptr(t.textOff(p.Tfn)) &^ (1 << 48)\n", // runtime.FuncForPC needs the plain address
	},
	// Types made at run time have the addresses of their methods in a table of pointers, among other places.
	{
		"src/runtime/type.go",
		"\t\treturn res\n\t}\n\tres := md.textAddr(uint32(off))\n",
		"\t\treturn unsafe.Pointer(uintptr(res) &^ (1 << 48))\n\t}\n\tres := md.textAddr(uint32(off))\n",
	},
}

// An Overlay holds the settings for go build.
type Overlay struct {
	File string // file for the flag -overlay=FILE
	// Root is the folder of the Go installation to build with: the given folder, or a link to it. The go
	// command refuses to replace files of a Go that it has downloaded itself, through GOTOOLCHAIN, because
	// that Go is in its module cache.
	Root string
}

// Env returns the environment variables that go build needs in addition to GOOS and GOARCH.
func (o *Overlay) Env() []string { return []string{"GOROOT=" + o.Root, "GOTOOLCHAIN=local"} }

// Go returns the path of the go command to build with.
func (o *Overlay) Go() string { return filepath.Join(o.Root, "bin", "go") }

// downloaded is a part of the path of each Go installation that the go command has downloaded.
var downloaded = filepath.Join("golang.org", "toolchain@")

// Write writes the repaired files of the Go installation in goroot into the folder dir. That folder must
// exist as long as the overlay is used.
func Write(dir, goroot string) (*Overlay, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, r := range repairs {
		text, ok := files[r.file]
		if !ok {
			if text, err = os.ReadFile(filepath.Join(goroot, filepath.FromSlash(r.file))); err != nil {
				return nil, fmt.Errorf("overlay: cannot read Go's library: %w", err)
			}
		}
		if files[r.file], err = r.apply(text); err != nil {
			return nil, fmt.Errorf("overlay: %s in %s: %w", r.file, goroot, err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	o := &Overlay{File: filepath.Join(dir, "overlay.json"), Root: goroot}
	if strings.Contains(goroot, downloaded) {
		o.Root = filepath.Join(dir, "go")
		if err := os.Symlink(goroot, o.Root); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("overlay: %w: install this Go from https://go.dev/dl, and do without GOTOOLCHAIN", err)
		}
	}
	replace := map[string]string{}
	for file, text := range files {
		replacement := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		if err := os.WriteFile(replacement, text, 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(o.Root, filepath.FromSlash(file))] = replacement
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return o, os.WriteFile(o.File, list, 0o600)
}

// apply applies the repair to text, the content of the file, and returns the result.
func (r repair) apply(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte("\n"+r.faulty)); n != 1 {
		return nil, fmt.Errorf("%q is there %d times, not once: look whether this Go still has the fault (go test ./kernel/internal/overlay), and change the repair or remove it",
			strings.TrimSpace(r.faulty), n)
	}
	return bytes.Replace(text, []byte("\n"+r.faulty), []byte("\n"+r.repaired), 1), nil
}
