package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/internal/tablefile"
)

// sheetName returns the path, relative to the root, of the generated file that contains a table. name is the table's
// name (see fileName), and text is the table's text. The packages of the standard library share a file, and so do other
// packages if the short forms of their paths (see place) have the same first element.
func sheetName(name string, text []byte) string {
	at := tablefile.Path(text)
	folder, library := place(at)
	library, _, _ = strings.Cut(library, "/")
	if first, _, _ := strings.Cut(at, "/"); folder == kernelHome.tables && !strings.Contains(first, ".") {
		library = "std"
	}
	base, _ := versionOf(name)
	return path.Join(folder, strings.ReplaceAll(library, "-", "_")+strings.TrimPrefix(name, strings.TrimSuffix(base, suffix)))
}

// sheets returns the paths, relative to root, of the generated files with tables. Each file contains the tables of one
// or more packages.
func sheets(root string) ([]string, error) {
	var names []string
	for _, h := range homes {
		found, err := filepath.Glob(filepath.Join(root, h.tables, "*"+suffix))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			names = append(names, path.Join(h.tables, filepath.Base(f)))
		}
	}
	return names, nil
}

// tables reads all tables from the generated files. The result maps the name of each table (see fileName) to its text,
// which is what a file with only this table would contain.
func tables(root string) (map[string][]byte, error) {
	names, err := sheets(root)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, sheet := range names {
		list, err := tablefile.Read(filepath.Join(root, sheet))
		if err != nil {
			return nil, fmt.Errorf("gen: %w", err)
		}
		base, minor := versionOf(sheet)
		for _, t := range list {
			name := fileName(tablefile.Path(t))
			if minor > 0 {
				name = strings.TrimSuffix(name, suffix) + strings.TrimPrefix(sheet, strings.TrimSuffix(base, suffix))
			}
			all[name] = t
		}
	}
	return all, nil
}

// writeSheets writes the given tables into their generated files, and removes all other generated files that contain
// tables.
func writeSheets(root string, tables map[string][]byte) error {
	lists := map[string][][]byte{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		sheet := sheetName(name, tables[name])
		lists[sheet] = append(lists[sheet], tables[name])
	}
	var errs []error
	for _, sheet := range slices.Sorted(maps.Keys(lists)) {
		text, err := tablefile.Join(lists[sheet]...)
		if err == nil {
			err = update(root, sheet, text)
		}
		errs = append(errs, err)
	}
	have, err := sheets(root)
	errs = append(errs, err)
	for _, sheet := range have {
		if lists[sheet] == nil {
			errs = append(errs, os.Remove(filepath.Join(root, sheet)))
			fmt.Println("removed", sheet)
		}
	}
	return errors.Join(errs...)
}
