package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"overcomplete/kernel/bind"
	"overcomplete/kernel/export"
	"overcomplete/kernel/live"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
)

// liveSize is the size of experiments in a browser, where code is about five times slower.
const liveSize = record.Smoke

// A liveExporter writes notebooks as pages with cells that run in the reader's browser.
type liveExporter struct {
	out  string // folder for the pages
	set  string // name of the package set; "" means the smallest sufficient set
	fast bool   // compress less
	htmlFilter
}

// export writes the pages of notebooks and the files that they share.
func (e liveExporter) export(notebooks []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var all []*notebook.Notebook
	for _, path := range notebooks {
		nb, err := notebook.Read(path)
		if err != nil {
			return err
		}
		for _, p := range missingImports(nb) {
			fmt.Fprintf(os.Stderr, "%s: imports %s, which is not available to a kernel in a browser: the cell will fail there\n", filepath.Base(path), p)
		}
		all = append(all, nb)
	}
	files, err := e.kernel(ctx, e.out, live.Imports(all...), live.Options{})
	if err != nil {
		return err
	}
	for i, path := range notebooks {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		page, err := e.page(all[i], path, name, files)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out, err := destination(path, e.out+string(filepath.Separator), name+".html")
		if err != nil {
			return err
		}
		if err := notebook.WriteFile(out, page); err != nil {
			return err
		}
		fmt.Printf("%s: written to %s\n", filepath.Base(path), shortPath(out))
	}
	return live.Tidy(e.out)
}

// kernel writes, into the folder of the site, the files that live pages need: the scripts, and a compiled kernel that
// provides the given packages.
func (e liveExporter) kernel(ctx context.Context, site string, imports []string, opt live.Options) (*live.Files, error) {
	set := live.Smallest(imports)
	if e.set != "" {
		var err error
		if set, err = live.Named(e.set); err != nil {
			return nil, err
		}
		for _, p := range imports {
			if set.Leaves(p) {
				fmt.Fprintf(os.Stderr, "overcomplete: the set %s does not contain %s, which a cell imports: the cell will fail in a browser\n", set.Name, p)
			}
		}
	}
	b := live.Builder{Version: releaseVersion(), Say: func(s string) { fmt.Fprintln(os.Stderr, s+" …") }}
	if e.fast {
		b.Quality = live.Fast
	}
	k, err := b.Kernel(ctx, set)
	if err != nil {
		return nil, err
	}
	f, err := live.Write(ctx, site, k, opt)
	if err != nil {
		return nil, err
	}
	fmt.Printf("the kernel: set %s, %.1f MB to fetch, %.1f MB on the server\n", set.Name, float64(f.Size)/1e6, float64(f.Total)/1e6)
	return f, nil
}

// page returns the exported page of a notebook, with the scripts that make it live.
func (e liveExporter) page(nb *notebook.Notebook, path, name string, files *live.Files) ([]byte, error) {
	if err := live.GiveIDs(nb); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	page := export.HTML(nb, e.options(export.HTMLOptions{Name: name, Dir: dir, Figure: export.FiguresBeside(dir)}))
	sayLeft(path, page.Left)
	return live.Page(page.HTML, nb, files, live.PageOptions{Title: page.Title, Notebook: name + ".ipynb", Size: liveSize})
}

// missingImports lists the imports of a notebook that no kernel for browsers provides.
func missingImports(nb *notebook.Notebook) (list []string) {
	for _, p := range live.Imports(nb) {
		if bind.Name(p) == "" {
			list = append(list, p)
		}
	}
	return list
}

// pseudo matches Go's pseudo-versions, which denote commits without a tag, and versions with modified files.
var pseudo = regexp.MustCompile(`\d{14}-[0-9a-f]{12}|\+`)

// releaseVersion returns the version of this program that the kernel for browsers is to report. It returns "" if the
// program was built from modified source or from a commit without a tag. The version of such a program names the
// commit, but two commits with the same source must produce the same kernel for browsers.
func releaseVersion() string {
	if v := buildVersion(); !pseudo.MatchString(v) {
		return v
	}
	return ""
}

// liveKernelCommand is the subcommand with which cmd/dist builds the kernel for browsers. A release contains
// this kernel next to the program, so that users can export live pages without Go.
const liveKernelCommand = "live-kernel"

// runLiveKernel writes the kernel for browsers, with the smallest set of packages, into a folder. Its arguments are
// the folder and the version that the kernel reports; a third one, "fast", shortens the compression.
func runLiveKernel(args []string) int {
	fast := len(args) == 3 && args[2] == "fast"
	if len(args) != 2 && !fast {
		fmt.Fprintf(os.Stderr, "usage: overcomplete %s FOLDER VERSION [fast]\n", liveKernelCommand)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := live.Builder{Version: args[1], Say: func(s string) { fmt.Fprintln(os.Stderr, s+" …") }}
	if fast {
		b.Quality = live.Fast
	}
	k, err := b.Kernel(ctx, live.Sets[0])
	if err != nil {
		return fail(err)
	}
	if err := k.CopyTo(args[0]); err != nil {
		return fail(err)
	}
	return 0
}
