package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcomplete/internal/tablefile"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/toolchain"
)

// The kernel for the browser is built from a copy of the source, modified by the functions in this file.

// The folders of import tables, and the folders of documentation.
var (
	tableFolders = []string{"kernel/internal/bindings", "cmd/overcomplete/bindings"}
	docFolders   = []string{"kernel/internal/apidoc", "cmd/overcomplete/bindings"}
)

// leaveOut changes the program's source, which is in the given folder: it removes the import tables of the packages
// that s leaves out, and adds a file that tells package bind which packages these are. It returns the paths of these
// packages.
func leaveOut(source string, s Set) (out []string, err error) {
	for _, folder := range tableFolders {
		files, err := filepath.Glob(filepath.Join(source, filepath.FromSlash(folder), "*_bind.go"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s has no tables of packages", folder)
		}
		for _, name := range files {
			tables, err := tablefile.Read(name)
			if err != nil {
				return nil, err
			}
			all := len(tables)
			tables = slices.DeleteFunc(tables, func(t []byte) bool {
				path := tablefile.Path(t)
				if s.Leaves(path) {
					out = append(out, path)
				}
				return s.Leaves(path)
			})
			switch {
			case len(tables) == all:
				continue
			case len(tables) == 0:
				err = os.Remove(name)
			default:
				var text []byte
				if text, err = tablefile.Join(tables...); err == nil {
					err = os.WriteFile(name, text, 0o600)
				}
			}
			if err != nil {
				return nil, err
			}
		}
	}
	// A package that differs between versions of Go has several tables, one for each version.
	slices.Sort(out)
	out = slices.Compact(out)
	var b strings.Builder
	b.WriteString("package bind\n\nfunc init() {\n\tleftOut = map[string]bool{\n")
	for _, path := range out {
		fmt.Fprintf(&b, "\t\t%s: true,\n", strconv.Quote(path))
	}
	b.WriteString("\t}\n}\n")
	return out, os.WriteFile(filepath.Join(source, "kernel", "bind", "leftout_live.go"), []byte(b.String()), 0o600)
}

// withoutBrotli replaces kernel/internal/apidoc/brotli.go in a kernel whose archives are not compressed.
const withoutBrotli = `package apidoc

import (
	"archive/zip"
	"bytes"
)

func NewReader(archive []byte) (*zip.Reader, error) {
	return zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
}
`

// document changes the documentation in the program's source. In each folder with archives of documentation, it
// replaces these archives with a single archive. The new archive covers only the given version of Go and the packages
// of the set s.
func document(source, version string, s Set) error {
	if err := os.WriteFile(filepath.Join(source, "kernel", "internal", "apidoc", "brotli.go"), []byte(withoutBrotli), 0o600); err != nil {
		return err
	}
	for _, folder := range docFolders {
		dir := filepath.Join(source, filepath.FromSlash(folder))
		files, err := filepath.Glob(filepath.Join(dir, "api*.zip"))
		if err != nil {
			return err
		}
		texts, names := map[string][]byte{}, []string{}
		for _, name := range files {
			if texts[filepath.Base(name)], err = os.ReadFile(name); err != nil {
				return err
			}
			if err := os.Remove(name); err != nil {
				return err
			}
			names = append(names, filepath.Base(name))
		}
		var archives [][]byte
		for _, name := range apidoc.Archives(names, toolchain.Minor(version)) {
			archives = append(archives, texts[name])
		}
		text, err := docs(archives, s.Leaves)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		if err := os.WriteFile(filepath.Join(dir, apidoc.ArchiveName(0)), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A listedPackage is an element of go list's output.
type listedPackage struct {
	ImportPath string
	EmbedFiles []string
	Module     *struct {
		Path, Dir string
		Main      bool
	}
}

func (p *listedPackage) hasFonts() bool {
	for _, name := range p.EmbedFiles {
		if filepath.Ext(name) == ".ttf" {
			return p.Module != nil && !p.Module.Main
		}
	}
	return false
}

// thinFonts copies the modules that contain fonts, removes the hints from the copied fonts, and makes the program use
// the copied modules. The parameter copies is the path of the folder for the copied modules.
func (c *compiler) thinFonts(ctx context.Context, copies string) error {
	out, err := c.run(ctx, "list", "-deps", "-tags="+c.tags, "-json=ImportPath,EmbedFiles,Module", program)
	if err != nil {
		return err
	}
	folders := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.hasFonts() {
			folders[p.Module.Path] = p.Module.Dir
		}
	}
	for path, dir := range folders {
		to := filepath.Join(copies, strconv.Itoa(len(path))+"-"+filepath.Base(path))
		if err := copyModule(to, dir); err != nil {
			return err
		}
		if err := oneFace(to); err != nil {
			return err
		}
		if _, err := c.run(ctx, "mod", "edit", "-replace="+path+"="+to); err != nil {
			return err
		}
	}
	return nil
}

// copyModule copies the module in the folder dir to the folder dst, with hints removed from its TrueType fonts.
func copyModule(dst, dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dst, rel), 0o700)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".ttf" {
			if bare, err := withoutHints(text); err == nil {
				text = bare
			} else if !errors.Is(err, errFont) { // a font in an unknown format stays unchanged
				return err
			}
		}
		return os.WriteFile(filepath.Join(dst, rel), text, 0o600)
	})
}

// monospaced matches font files that plots do not use. They are replaced by the regular face.
var monospaced = regexp.MustCompile(`^(.*Mono-)(?:Bold|Italic|BoldItalic)\.ttf$`)

// oneFace replaces the bold and italic faces of the module's monospaced fonts with copies of the regular face. Plots do
// not use these faces. Compression then stores this face only once.
func oneFace(module string) error {
	var regular []byte
	var others []string
	err := filepath.WalkDir(module, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case strings.HasSuffix(name, "Mono-Regular.ttf"):
			regular, err = os.ReadFile(name)
		case monospaced.MatchString(d.Name()):
			others = append(others, name)
		}
		return err
	})
	if err != nil || regular == nil {
		return err
	}
	for _, name := range others {
		if err := os.WriteFile(name, regular, 0o600); err != nil {
			return err
		}
	}
	return nil
}
