package course

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/inside"
	"overcomplete/kernel/export"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
	"overcomplete/suite/handout"
)

// Folders of the site.
const (
	slidesFolder    = "slides"
	notebooksFolder = "notebooks"
	handoutFolder   = "handout"
)

// Numpy is the page "Go for users of numpy", to which the course links. Write does not write it.
const Numpy = "numpy.html"

// scoreboard is the page that redirects from a memorable address to the report's first page.
//
//go:embed scoreboard.html
var scoreboard string

// NotFound is the page for addresses that do not exist in the site. A server may show it at any address, so a script
// in the page computes the link to the course.
//
//go:embed 404.html
var NotFound string

// Write writes the course of the project at root into the folder of the site: index.html and the files that it links
// to. The report must already be in the subfolder that report names, together with the recorded figures.
func Write(root, site, report string) error {
	page, err := Page(root, report)
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"index.html":      page,
		"404.html":        []byte(NotFound),
		"scoreboard.html": []byte(strings.ReplaceAll(scoreboard, "REPORT", report)),
		"references.json": References,
		".nojekyll":       nil,
	}
	pages, err := kit(root, report)
	if err != nil {
		return fmt.Errorf("course: %w", err)
	}
	maps.Copy(files, pages)
	for _, l := range Lectures {
		if err := add(files, root, report, l.Name); err != nil {
			return fmt.Errorf("course: %s: %w", l.Name, err)
		}
	}
	for name, text := range files {
		path := filepath.Join(site, filepath.FromSlash(name))
		if err := inside.Check(site, path); err != nil {
			return fmt.Errorf("course: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("course: %w", err)
		}
		if err := notebook.WriteFile(path, text); err != nil {
			return fmt.Errorf("course: %w", err)
		}
	}
	return nil
}

// add stores the files of one lecture in the map called files, by their paths in the site: the slides, the notebook,
// and the handout, which is the notebook without solutions. The argument called name is the lecture's name.
func add(files map[string][]byte, root, report, name string) error {
	folder := filepath.Join(root, "notebooks")
	nb, err := notebook.Read(filepath.Join(folder, name+".ipynb"))
	if err != nil {
		return err
	}
	files[slidesFolder+"/"+name+".html"] = export.Slides(nb, export.HTMLOptions{Name: name, Dir: folder, Clean: clean.HTML, Trusted: signature.ForUser().Signed,
		FigureAddress: figureAddresses(root, "../"+report+"/files/record/")}).HTML
	for to, solutions := range map[string]bool{notebooksFolder: true, handoutFolder: false} {
		n, err := handout.Make(nb, handout.Options{Solutions: solutions}) // outputs are on the lecture's page
		if err != nil {
			return err
		}
		if files[to+"/"+name+".ipynb"], err = n.Bytes(); err != nil {
			return err
		}
	}
	return nil
}
