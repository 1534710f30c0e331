package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"overcomplete/internal/inside"
	"overcomplete/kernel/export"
	"overcomplete/kernel/live"
	"overcomplete/kernel/notebook"
	"overcomplete/paper/record"
	"overcomplete/suite/course"
	"overcomplete/suite/report"
)

const siteUsage = `usage: overcomplete site [--out FOLDER]

Writes the course, the record's report and the notebooks into one folder. The notebooks'
cells run in the reader's browser. Any web server, for example GitHub Pages, can publish
the folder at any address. The report in it leaves out PNG figures and large data, so that
the folder stays below 60 MB.

`

const (
	reportFolder = "report" // in the site
	// siteMark is the file that marks a folder as a site.
	siteMark = ".overcomplete-course"
	// largestSite limits the size of a site, in bytes.
	largestSite = 60_000_000
)

// runSite writes the course as a site: the subcommand "site".
func runSite(args []string) int {
	flags := newFlags("site", siteUsage)
	out := flags.String("out", "", "write to this `folder`; default: site")
	var e liveExporter
	flags.BoolVar(&e.fast, "fast", false, "compress the kernel in seconds instead of minutes, for trying things out; it is a fifth larger")
	if code, ok := parse(flags, args); !ok {
		return code
	}
	root, err := record.Root()
	if err != nil {
		return fail(err)
	}
	if *out == "" {
		*out = "site"
		if err := inside.Check(".", *out); err != nil {
			return fail(err)
		}
	}
	if err := writeCourse(root, *out, e); err != nil {
		return fail(err)
	}
	return 0
}

// writeCourse writes the course of the project at root as a site, into the output folder. The exporter e makes the
// pages whose cells run in the browser. A site that is too large is an error, but is written all the same.
func writeCourse(root, out string, e liveExporter) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := ownSite(out); err != nil {
		return err
	}
	all, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		return err
	}
	var notebooks []*notebook.Notebook
	for _, path := range all {
		nb, err := notebook.Read(path)
		if err != nil {
			return err
		}
		notebooks = append(notebooks, nb)
	}
	numpy := filepath.Join(root, "docs", "numpy.ipynb")
	begin, err := notebook.Read(numpy)
	if err != nil {
		return err
	}
	notebooks = append(notebooks, begin)
	files, err := e.kernel(ctx, out, live.Imports(notebooks...), live.Options{BrotliOnly: true})
	if err != nil {
		return err
	}
	r, err := report.Write(root, filepath.Join(out, reportFolder), report.Options{RecordOnly: true, Small: true, Live: &report.Live{Files: files, Root: "../", Home: "../index.html", Papers: declaredPapers()}})
	if err != nil {
		return err
	}
	for _, p := range r.Problems {
		fmt.Fprintln(os.Stderr, "overcomplete:", p)
	}
	if err := course.Write(root, out, reportFolder); err != nil {
		return err
	}
	page, err := e.page(begin, numpy, "numpy", files)
	if err != nil {
		return err
	}
	if err := notebook.WriteFile(filepath.Join(out, course.Numpy), page); err != nil {
		return err
	}
	if err := export.Share(out); err != nil {
		return err
	}
	if err := live.Tidy(out); err != nil {
		return err
	}
	size, err := folderSize(out)
	if err != nil {
		return err
	}
	published := size
	if e.fast {
		published -= files.Size / 6 // kernels that are compressed quickly are a fifth larger
	}
	if published > largestSite {
		return fmt.Errorf("%.1f MB are more than the %d MB that a site may have; it is written all the same", float64(published)/1e6, largestSite/1_000_000)
	}
	fmt.Printf("%.1f MB: publish %s, or try it: python3 -m http.server --directory %s\n", float64(size)/1e6, shortPath(out), shortPath(out))
	return nil
}

// ownSite creates the folder of a site and marks it as written by this command. It returns an error if the folder
// is not empty and does not have the mark.
func ownSite(out string) error {
	list, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mark := filepath.Join(out, siteMark)
	if _, err := os.Stat(mark); err != nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty, and this command has not written it: choose another folder", out)
	}
	if err := inside.Check(out, mark); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return notebook.WriteFile(mark, []byte("Written by 'overcomplete site', which replaces the files that it has written.\n"))
}

func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
