// Gen writes, for each package that cells may import, a table of the package's exports. Packages whose paths
// begin alike (crypto, crypto/aes) have their tables in one file. Unless -only restricts it to some packages,
// Gen also writes archives with the types and doc comments of these packages. The tables and archives of the
// standard library and of other modules go to kernel/internal/bindings and kernel/internal/apidoc. Those of this
// module go to cmd/overcomplete/bindings: a table links its package, and the kernel must not link the papers.
//
//	go run ./kernel/bind/gen            write the files that have changed
//	go run ./kernel/bind/gen -check     name the files that are not current
//	go run ./kernel/bind/gen -only PATTERN...   only the packages that match
//
// The exports of the standard library differ between versions of Go. So Gen runs itself, through GOTOOLCHAIN,
// with each version that package toolchain lists; see versions.go. With -check Gen compares only the files for
// the running version of Go.
//
// A package that does not compile is reported and its table stays unchanged; the tables of the other packages
// are still written.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/module"
	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/tablegen"
	"overcomplete/kernel/toolchain"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail and list the files that are out of date")
	only := flag.Bool("only", false, "generate only the packages whose paths contain one of the arguments")
	emit := flag.Bool("emit", false, "write what this Go version contains to standard output, as JSON (used by gen itself)")
	flag.Parse()
	var words []string
	if *only {
		words = flag.Args()
	}
	root, err := moduleRoot()
	switch {
	case err != nil:
	case *emit:
		var s *snapshot
		if s, err = take(root, words); s != nil {
			err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(s))
		}
	case *check:
		err = compare(root, words)
	default:
		err = write(root, words)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A home is a pair of folders of this module: one for tables and one for archives, which may be the same folder.
type home struct{ tables, archives string }

// homes lists the folders for the packages of the kernel, and for the packages that the command adds.
var (
	kernelHome  = home{"kernel/internal/bindings", "kernel/internal/apidoc"}
	commandHome = home{"cmd/overcomplete/bindings", "cmd/overcomplete/bindings"}
	homes       = []home{kernelHome, commandHome}
)

// write generates the files once for each version of Go in the list of package toolchain, with that version. If words
// are given, write generates only the tables of packages whose paths contain one of the words, and changes neither
// other tables nor archives.
func write(root string, words []string) error {
	var snaps []*snapshot
	var errs []error
	for _, version := range toolchain.Tried() {
		s, err := takeWith(version, root, words)
		if s == nil {
			return err
		}
		snaps, errs = append(snaps, s), append(errs, err)
	}
	want := merged(snaps)
	have, err := tables(root)
	if err != nil {
		return err
	}
	for name := range have {
		// Remove tables without a package: the package or the version is no longer in the list.
		base, _ := versionOf(name)
		_, wanted := want.files[name]
		if !wanted && !want.failed[base] && (len(words) == 0 || want.bases[base]) {
			delete(have, name)
		}
	}
	maps.Copy(have, want.files)
	errs = append(errs, writeSheets(root, have))
	if len(words) == 0 {
		for _, name := range slices.Sorted(maps.Keys(want.archives)) {
			errs = append(errs, updateArchive(root, name, want.archives[name]))
		}
	}
	return errors.Join(errs...)
}

// update writes a file if its content has changed. name is the file's path relative to root.
func update(root, name string, text []byte) error {
	file := filepath.Join(root, name)
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, text) {
		return nil
	}
	fmt.Println("wrote", name)
	return atomicfile.Write(file, text, 0o644)
}

func updateArchive(root, name string, members map[string][]byte) error {
	if old, err := tablegen.ReadZip(filepath.Join(root, name)); err == nil && maps.EqualFunc(old, members, bytes.Equal) {
		return nil
	}
	data, err := tablegen.WriteZip(members, apidoc.Brotli, func(w io.Writer) (io.WriteCloser, error) {
		return brotli.NewWriterLevel(w, brotli.BestCompression), nil
	})
	if err != nil {
		return err
	}
	return update(root, name, data)
}

// compare returns an error that lists the outdated, missing and superfluous files for the running version of Go. If
// words are given, it compares only the tables of packages whose paths contain one of the words.
func compare(root string, words []string) error {
	const again = "run go run ./kernel/bind/gen"
	s, err := take(root, words)
	if s == nil {
		return err
	}
	errs := []error{err}
	have, err := compiled(root, toolchain.Current())
	if err != nil {
		return err
	}
	for _, base := range slices.Sorted(maps.Keys(s.Files)) {
		switch text, ok := have[base]; {
		case s.Files[base] == nil: // the package's error has been reported
		case !ok:
			errs = append(errs, fmt.Errorf("%s is missing: %s", base, again))
		case !bytes.Equal(text, s.Files[base]):
			errs = append(errs, fmt.Errorf("%s is out of date: %s", base, again))
		}
	}
	if len(words) > 0 {
		return errors.Join(errs...)
	}
	for _, base := range slices.Sorted(maps.Keys(have)) {
		if _, ok := s.Files[base]; !ok {
			errs = append(errs, fmt.Errorf("%s belongs to no package: %s", base, again))
		}
	}
	if !slices.Contains(toolchain.Tried(), runtime.Version()) {
		// Do not compare the archives: doc comments differ between patch releases of Go.
		return errors.Join(errs...)
	}
	for _, h := range homes {
		members, err := archiveMembers(filepath.Join(root, h.archives), toolchain.Current())
		if err != nil || !maps.EqualFunc(members, s.Members[h.archives], bytes.Equal) {
			errs = append(errs, fmt.Errorf("the archives in %s are out of date: %s", h.archives, again))
		}
	}
	return errors.Join(errs...)
}

// moduleRoot returns the nearest directory with a go.mod file, searching upwards from the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("gen: no go.mod above the working directory")
		}
		dir = up
	}
}

// fileName returns the name of a package's table: the path, relative to the root, that a file with only this table
// would have. The name ends in _bind.go, because the go command would take a name such as x_linux.go or x_test.go for
// a build constraint or a test.
func fileName(importPath string) string {
	folder, name := place(importPath)
	return path.Join(folder, strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(name)+suffix)
}

const suffix = "_bind.go"

// place returns the folder for a package's table, and a short form of the package's path: gonum/mat for
// gonum.org/v1/gonum/mat, and the path within the module for packages of this module.
func place(importPath string) (folder, name string) {
	if own, ok := module.Folder(importPath); ok {
		return commandHome.tables, own
	}
	return kernelHome.tables, strings.TrimPrefix(strings.TrimPrefix(importPath, "gonum.org/v1/"), "github.com/go-gota/")
}
