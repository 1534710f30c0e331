package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/figuremeta"
)

// exportData writes the data of a figure as CSV and returns the path of the file.
func exportData(path, out string) (string, error) {
	svg, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	about, err := figuremeta.Read(svg)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	csv, err := about.Data()
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if csv == nil {
		return "", fmt.Errorf("%s contains no data", path)
	}
	if out, err = destination(path, out, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".csv"); err != nil {
		return "", err
	}
	return out, atomicfile.Write(out, csv, 0o644)
}
