package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/kernel/export"
	"overcomplete/kernel/notebook"
)

const exportUsage = `usage: overcomplete export [--html | --markdown] [--out F] NOTEBOOK...

Writes notebooks, with the outputs that they have, as pages to read. HTML is
one file that needs no network: pictures, formulas and styles are in it.
Markdown has its pictures in a folder beside it, or with --inline in the text.

`

// An exporter writes notebooks in one format.
type exporter struct {
	format   string // html or markdown
	inline   bool
	hideCode bool
}

func (e exporter) extension() string {
	if e.format == "markdown" {
		return ".md"
	}
	return ".html"
}

// runExport is the subcommand that writes notebooks as pages.
func runExport(args []string) int {
	var e exporter
	fs := flag.NewFlagSet("overcomplete export", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), exportUsage)
		fs.PrintDefaults()
	}
	asHTML := fs.Bool("html", false, "write HTML (the default)")
	asMarkdown := fs.Bool("markdown", false, "write Markdown")
	out := fs.String("out", "", "write to this `file`, or into it if it is a folder; default: beside the notebook")
	fs.BoolVar(&e.inline, "inline", false, "Markdown with the pictures in the text instead of in files")
	fs.BoolVar(&e.hideCode, "hide-code", false, "leave the source of code cells out")
	notebooks, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	e.format = "html"
	switch {
	case len(notebooks) == 0:
		fs.Usage()
		return 2
	case *asHTML && *asMarkdown:
		fmt.Fprintln(os.Stderr, "overcomplete export: --html and --markdown exclude each other")
		return 2
	case *asMarkdown:
		e.format = "markdown"
	}
	if len(notebooks) > 1 && *out != "" && !isFolder(*out) {
		fmt.Fprintln(os.Stderr, "overcomplete export: --out must be a folder for several notebooks")
		return 2
	}
	for _, path := range notebooks {
		written, err := e.export(path, *out)
		if err != nil {
			fmt.Fprintln(os.Stderr, "overcomplete export:", err)
			code = 1
			continue
		}
		fmt.Printf("%s: written to %s\n", filepath.Base(path), shortPath(written))
	}
	return code
}

// parseMixed parses flags that may also follow the other arguments, which it
// returns; package flag stops at the first of them. ok is false when the
// command is to end with code.
func parseMixed(fs *flag.FlagSet, args []string) (rest []string, code int, ok bool) {
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, 0, false
			}
			return nil, 2, false
		}
		if fs.NArg() == 0 {
			return rest, 0, true
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// export writes one notebook and gives the path of what was written.
func (e exporter) export(path, out string) (string, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	switch {
	case out == "":
		out = filepath.Join(filepath.Dir(path), name+e.extension())
	case isFolder(out):
		out = filepath.Join(out, name+e.extension())
	}
	if same(out, path) {
		return "", fmt.Errorf("%s is the notebook itself", out)
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return "", err
	}
	if e.format == "html" {
		page := export.HTML(nb, export.HTMLOptions{Name: name, Dir: filepath.Dir(path), HideCode: e.hideCode})
		for _, u := range page.Unknown {
			fmt.Fprintf(os.Stderr, "%s: shown as its source: %s\n", filepath.Base(path), u)
		}
		return out, notebook.WriteFile(out, page.HTML)
	}
	opt := export.MarkdownOptions{HideCode: e.hideCode}
	folder := strings.TrimSuffix(out, filepath.Ext(out)) + "_files"
	if !e.inline {
		opt.Files = filepath.Base(folder)
	}
	text, files := export.Markdown(nb, opt)
	if len(files) > 0 {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
	}
	for _, f := range files {
		if err := notebook.WriteFile(filepath.Join(folder, f.Name), f.Data); err != nil {
			return "", err
		}
	}
	return out, notebook.WriteFile(out, text)
}

func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
