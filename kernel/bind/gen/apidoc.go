package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"overcomplete/kernel/internal/apidoc"
	"overcomplete/kernel/internal/tablegen"
	"overcomplete/kernel/toolchain"
)

// describe returns the archives with the types and doc comments that completion and inspection show for the packages
// that cells import. The result maps the folder of each archive to the archive's members, by name. missing maps package
// paths to the exported names that cells cannot use.
func describe(root string, missing map[string][]string) (map[string]map[string][]byte, error) {
	ownPaths, err := discover(root)
	if err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{
		Dir:        root,
		Mode:       packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedFiles,
		BuildFlags: buildFlags,
	}, slices.Concat(standardOf(toolchain.Current()), viaInterpreter, thirdParty, ownPaths, []string{"unsafe", apidoc.Builtin, byHand})...)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	of := map[string][]*packages.Package{}
	for _, p := range pkgs {
		folder := kernelHome.archives
		if slices.Contains(ownPaths, p.PkgPath) {
			folder = commandHome.archives
		}
		of[folder] = append(of[folder], p)
	}
	archives := map[string]map[string][]byte{}
	for folder, pkgs := range of {
		if archives[folder], err = tablegen.Describe(pkgs, missing); err != nil {
			return nil, err
		}
	}
	return archives, nil
}

// patchedFunctions returns the names of the functions that kernel/bind/patch declares for the package at path, as
// source for the interpreter.
func patchedFunctions(root, path string) (map[string]bool, error) {
	names := map[string]bool{}
	file := filepath.Join(root, "kernel", "bind", "patch", strings.ReplaceAll(path, "/", "_")+".go.txt")
	src, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return names, nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			names[fn.Name.Name] = true
		}
	}
	return names, nil
}

// description calls describe with the names that cells cannot use. These are the exported names that the given tables
// leave out, except names that a patch declares (see patchedFunctions).
func description(root string, files []file) (map[string]map[string][]byte, error) {
	missing := map[string][]string{}
	for _, f := range files {
		have, err := patchedFunctions(root, f.path)
		if err != nil {
			return nil, err
		}
		for _, name := range f.skipped {
			if !have[name] {
				missing[f.path] = append(missing[f.path], name)
			}
		}
	}
	var err error
	if missing[byHand], err = notByHand(root); err != nil {
		return nil, err
	}
	return describe(root, missing)
}

// byHand is the package whose tables are written by hand.
const byHand = "syscall"

// notByHand returns the exported names of package syscall that its hand-written tables lack. (The path of this package
// is the constant byHand.)
func notByHand(root string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(root, kernelHome.tables, byHand+"*.go"))
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, m := range regexp.MustCompile(`\{Name: "(\w+)"`).FindAllSubmatch(text, -1) {
			have[string(m[1])] = true
		}
	}
	pkgs, err := packages.Load(&packages.Config{Dir: root, Mode: packages.NeedTypes, BuildFlags: buildFlags}, byHand)
	if err != nil {
		return nil, err
	}
	for _, name := range pkgs[0].Types.Scope().Names() {
		if token.IsExported(name) && !have[name] {
			names = append(names, name)
		}
	}
	return names, nil
}
