// Gen writes kernel/bind/pkgs: for each package that cells may import, a file
// with a table of what the package exports. It also writes
// kernel/bind/apidoc/api.zip, the types and doc comments of these packages,
// unless only some of them are generated.
//
//	go run ./kernel/bind/gen            write the files that have changed
//	go run ./kernel/bind/gen -check     name the files that are not current
//	go run ./kernel/bind/gen -only PATTERN...   only the packages that match
//
// A package that does not compile is reported and its file is left as it is;
// the others are written all the same.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail and name the files that are not current")
	only := flag.Bool("only", false, "generate only the packages whose paths contain one of the arguments")
	flag.Parse()
	var words []string
	if *only {
		words = flag.Args()
	}
	if err := run(*check, words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run generates, and with check compares only. words, if any, restrict the
// work to packages whose path contains one of them; files of packages that
// are no longer in the list are then left alone.
func run(check bool, words []string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "kernel", "bind", "pkgs")
	files, errs := generate(root, words)
	if len(files) == 0 {
		return errors.Join(errs...)
	}
	for _, f := range files {
		if f.text == nil {
			continue
		}
		name := filepath.Join(dir, f.name)
		old, err := os.ReadFile(name)
		if err == nil && string(old) == string(f.text) {
			continue
		}
		if check {
			what := "is not current"
			if err != nil {
				what = "is missing"
			}
			errs = append(errs, fmt.Errorf("kernel/bind/pkgs/%s %s: run go run ./kernel/bind/gen", f.name, what))
			continue
		}
		if err := os.WriteFile(name, f.text, 0o666); err != nil {
			return err
		}
		fmt.Println("wrote", f.name)
	}
	if len(words) == 0 {
		errs = append(errs, stale(dir, files, check)...)
		if err := updateDescription(root, files, check); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// stale removes the generated files that no package accounts for. The file of
// a package that could not be loaded has its name in files with no text and is kept.
func stale(dir string, files []file, check bool) (errs []error) {
	want := map[string]bool{}
	for _, f := range files {
		want[f.name] = true
	}
	have, err := filepath.Glob(filepath.Join(dir, "*_bind.go"))
	if err != nil {
		return []error{err}
	}
	for _, path := range have {
		name := filepath.Base(path)
		if want[name] {
			continue
		}
		if check {
			errs = append(errs, fmt.Errorf("kernel/bind/pkgs/%s belongs to no package: run go run ./kernel/bind/gen", name))
			continue
		}
		if err := os.Remove(path); err != nil {
			errs = append(errs, err)
		}
		fmt.Println("removed", name)
	}
	return errs
}

// moduleRoot is the nearest directory above the working directory that has a go.mod.
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

// fileName turns an import path into the name of a file that no build
// constraint is read from: the ending rules out names such as x_linux.go and x_test.go.
func fileName(path string) string {
	path = strings.TrimPrefix(path, "gonum.org/v1/")
	path = strings.TrimPrefix(path, "github.com/go-gota/")
	return strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(path) + "_bind.go"
}
