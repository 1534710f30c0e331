package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"overcomplete/internal/inside"
	"overcomplete/internal/module"
	"overcomplete/kernel/goprogram"
	"overcomplete/kernel/notebook"
)

// A goExporter writes notebooks as Go programs.
type goExporter struct {
	// pkg is the name of the package to write; "" means that a program is written.
	pkg string
	// out is the folder to write into. If the field called each is set, every notebook gets its own subfolder of out.
	// "" means a new folder next to the notebook.
	out  string
	each bool
	// modules allows the go command to download imported modules, and to use module folders that the notebook
	// names.
	modules bool
}

// check returns an error if the package name is invalid.
func (e goExporter) check() error {
	if e.pkg != "" && (!token.IsIdentifier(e.pkg) || e.pkg == "main" || e.pkg == "_") {
		return fmt.Errorf("--package %s: not a valid package name", e.pkg)
	}
	return nil
}

// export exports the notebook at path. It returns the program, and the folder into which it has written the program.
func (e goExporter) export(path string) (folder string, program *goprogram.Program, err error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return "", nil, err
	}
	opt := goprogram.Options{Name: moduleName(path), Package: e.pkg, Modules: e.modules}
	folder = e.out
	named := folder
	switch {
	case folder == "":
		named = filepath.Dir(path)
		folder = filepath.Join(named, opt.Name)
	case e.each:
		folder = filepath.Join(folder, opt.Name)
	}
	if err := inside.MkdirAll(named, folder, 0o777); err != nil {
		return "", nil, err
	}
	unpacked, err := findSource(&opt, folder, filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	program, err = goprogram.Write(nb, opt)
	if err == nil && e.pkg != "" && isInModule(folder, e.pkg) { // the package becomes part of that module
		delete(program.Files, "go.mod")
		delete(program.Files, "go.sum")
	}
	if err == nil {
		err = writeProgram(folder, program.Files)
	}
	if unpacked != "" {
		var needed []string
		if err == nil && bytes.Contains(program.Files["go.mod"], []byte("=> "+opt.Source)) {
			needed, err = program.Source(unpacked)
		}
		err = errors.Join(err, keepSource(unpacked, folder, needed))
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	return folder, program, nil
}

// isInModule reports whether folder belongs to a module, that is, whether folder or any folder above it has a go.mod.
// The go.mod of an earlier export of the package pkg to the same folder does not count.
func isInModule(folder, pkg string) bool {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && !(dir == abs && bytes.HasPrefix(b, []byte("module "+pkg+"\n"))) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// sourceFolder is the name of the folder, next to a program, that receives this project's source if there is
// no checkout.
const sourceFolder = "overcomplete"

// findSource finds this project's source, which the exported program imports, and sets the fields of opt that describe
// it. The source is the checkout that contains the program's folder. Failing that, it is the first checkout that
// contains one of these: near (the notebook's folder), the working directory, the folder of this command. If there is
// no checkout, findSource unpacks the source that is embedded in this command into a temporary folder, and returns
// that folder.
func findSource(opt *goprogram.Options, folder, near string) (unpacked string, err error) {
	defer func() {
		if err != nil && unpacked != "" {
			err = errors.Join(err, os.RemoveAll(unpacked))
		}
	}()
	exe, _ := os.Executable()
	root := goprogram.Checkout(folder, near, ".", filepath.Dir(exe))
	if root == "" {
		if root, err = os.MkdirTemp(folder, ".source"); err != nil {
			return "", err
		}
		unpacked, opt.Source = root, "./"+sourceFolder
		if err := goprogram.Extract(root); err != nil {
			return unpacked, fmt.Errorf("%w: run the command in a checkout of %s", err, module.Path)
		}
	} else {
		opt.Source = filepath.ToSlash(root)
		abs, err := filepath.Abs(folder)
		if err != nil {
			return "", err
		}
		// Within the checkout, use a relative path, which stays valid if the checkout is moved.
		if down, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(down) {
			if up, err := filepath.Rel(abs, root); err == nil {
				opt.Source = filepath.ToSlash(up)
			}
		}
	}
	if opt.Root, err = filepath.Abs(root); err != nil {
		return unpacked, err
	}
	if opt.GoMod, err = os.ReadFile(filepath.Join(root, "go.mod")); err != nil {
		return unpacked, err
	}
	opt.GoSum, err = os.ReadFile(filepath.Join(root, "go.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return unpacked, err
}

// keepSource moves the needed files of this project's source to a folder next to the written program. The source is in
// the folder called unpacked, which keepSource removes at the end.
func keepSource(unpacked, folder string, needed []string) (err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(unpacked)) }()
	if len(needed) == 0 {
		return nil
	}
	to := filepath.Join(folder, sourceFolder)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	for _, name := range needed {
		file := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(unpacked, filepath.FromSlash(name)), file); err != nil {
			return err
		}
	}
	return nil
}

// written appears in the first line of every program that this command writes.
const written = "written by 'overcomplete export --go'"

// writeProgram writes the files of a program into the given folder. It returns an error, and writes nothing, if it
// would overwrite a Go file that this command has not written, or add a go.mod where there is another module.
func writeProgram(folder string, files map[string][]byte) error {
	for name := range files {
		path := filepath.Join(folder, name)
		if err := inside.Check(folder, path); err != nil {
			return err
		}
		if filepath.Ext(name) != ".go" {
			continue
		}
		old, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil && files["go.mod"] != nil {
				return fmt.Errorf("%s is already a module: use another --out, or --package NAME to add a package to it", folder)
			}
			continue
		}
		if err != nil {
			return err
		}
		if first, _, _ := bytes.Cut(old, []byte("\n")); !bytes.Contains(first, []byte(written)) {
			return fmt.Errorf("%s was not written by this command, and would be overwritten: use another --out", path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := notebook.WriteFile(filepath.Join(folder, name), files[name]); err != nil {
			return err
		}
	}
	return nil
}

// notInPath matches characters that are invalid in the path of a module.
var notInPath = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// moduleName derives a program's name, which is also its module path, from the notebook's path.
func moduleName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if name = strings.Trim(notInPath.ReplaceAllString(name, "-"), "-_"); name == "" || name == module.Path {
		return "notebook"
	}
	return name
}
