package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/kernel/export"
	"overcomplete/kernel/notebook"
)

const exportUsage = `usage: overcomplete export [--html | --markdown] [--trust | --clean] [--out F] NOTEBOOK...
       overcomplete export --slides | --slide-types [--out F] NOTEBOOK...
       overcomplete export --live --out FOLDER [--set NAME] [--trust | --clean] NOTEBOOK...
       overcomplete export --go [--package NAME] [--out FOLDER] NOTEBOOK...
       overcomplete export [--out F] FIGURE.svg...

Writes notebooks, with the outputs that they have, as pages to read. HTML is
one file that needs no network: pictures, formulas and styles are in it, and
sliders of a notebook that overcomplete run has written move.
Markdown has its pictures in a folder beside it, or with --inline in the text.

To open a page is safe whoever wrote the notebook: what could run, fetch, send or cover
something is left out, of Markdown too, and the page says so. Outputs that were made on this
computer, by run or in Jupyter, keep it; those that were made by code of strangers, to be
graded say, do not with --clean. --trust leaves nothing out.

--slides writes a talk, one file of HTML: a slide for each heading, picture and other output.
Keys: arrows, space, Home, End; f the whole screen, s the presenter's window with notes and a
clock, d light or dark. On a phone a swipe or a touch of an edge turns them; held upright, it has
them one below the other. What is said in prose goes into the notes, solutions are left out, and
printed it is a handout. --slide-types writes a copy of the notebook, NAME-slides.ipynb, whose
cells say which slide they are, for nbconvert.

--live writes pages whose cells run in the reader's browser, where nothing has to be
installed: beside the pages come a folder live with the kernel and its scripts, which
is fetched when the reader runs a cell, and sw.js. Any web server can publish the
folder; a page that is opened from the disk only shows what it has. Experiments are of
size smoke there.

--go writes a program of its cells that go run and go vet accept: main.go with a
module file, or with --package NAME the file NAME.go, whose function Run is the
cells. The notebook's parameters are flags of the program. Nothing runs, and without
--modules nothing is downloaded: the go command reads other modules that the notebook
imports from its cache. The exit status is 1 if a program will not compile, which is
written nevertheless.

Of a figure that was saved as SVG it writes the data that are in it, as CSV.

`

// An exporter writes notebooks in one format.
type exporter struct {
	format   string // html, slides, slide-types or markdown
	inline   bool
	hideCode bool
	htmlFilter
}

func (e exporter) extension() string {
	switch e.format {
	case "markdown":
		return ".md"
	case "slides":
		return "-slides.html"
	case "slide-types":
		return "-slides.ipynb"
	}
	return ".html"
}

// runExport exports notebooks as pages: the subcommand "export".
func runExport(args []string) int {
	var e exporter
	fs := flag.NewFlagSet("overcomplete export", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), exportUsage)
		fs.PrintDefaults()
	}
	asHTML := fs.Bool("html", false, "write HTML (the default)")
	asMarkdown := fs.Bool("markdown", false, "write Markdown")
	asSlides := fs.Bool("slides", false, "write slides of HTML")
	asTypes := fs.Bool("slide-types", false, "write a copy of the notebook whose cells have the metadata slide_type, for nbconvert's slides")
	asGo := fs.Bool("go", false, "write a Go program, into a folder of the notebook's name beside it, or into --out")
	asLive := fs.Bool("live", false, "write HTML whose cells run in the browser, into the folder --out")
	var l liveExporter
	fs.StringVar(&l.set, "set", "", "with --live: the `name` of the set of packages that cells can import, base or full; default: the smallest that has what the notebooks import")
	fs.BoolVar(&l.fast, "fast", false, "with --live: compress the kernel in seconds instead of minutes, a fifth larger, to try things out")
	pkg := fs.String("package", "", "with --go: write a package of this `name` instead of a program")
	withModules := fs.Bool("modules", false, "with --go: let the go command download the modules that the notebook imports, and read the folders by which it replaces some")
	fs.BoolVar(&e.trust, "trust", false, "leave nothing out, scripts neither; for notebooks of those whom you trust")
	fs.BoolVar(&e.always, "clean", false, "leave out scripts and the like also of outputs that were made on this computer")
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
		return mistake(fs, "say which notebooks")
	case anyTwo(*asHTML, *asMarkdown, *asSlides, *asTypes, *asLive, *asGo):
		fmt.Fprintln(os.Stderr, "overcomplete export: --html, --markdown, --slides, --slide-types, --live and --go exclude each other")
		return 2
	case !*asLive && (l.set != "" || l.fast):
		fmt.Fprintln(os.Stderr, "overcomplete export: --set and --fast are for --live")
		return 2
	case e.trust && e.always:
		fmt.Fprintln(os.Stderr, "overcomplete export: --trust and --clean exclude each other")
		return 2
	case (e.trust || e.always) && (*asTypes || *asGo):
		fmt.Fprintln(os.Stderr, "overcomplete export: --trust and --clean are for pages: HTML, slides and Markdown")
		return 2
	case *asLive && (*out == "" || e.inline || e.hideCode):
		fmt.Fprintln(os.Stderr, "overcomplete export: --live wants a folder: --out FOLDER; --inline and --hide-code are not for it")
		return 2
	case *pkg != "" && !*asGo:
		fmt.Fprintln(os.Stderr, "overcomplete export: --package is for --go")
		return 2
	case *withModules && !*asGo:
		fmt.Fprintln(os.Stderr, "overcomplete export: --modules is for --go")
		return 2
	case *asGo:
		return exportGo(goExporter{pkg: *pkg, out: *out, each: len(notebooks) > 1, modules: *withModules}, notebooks)
	case *asLive:
		l.out, l.htmlFilter = *out, e.htmlFilter
		if err := l.export(notebooks); err != nil {
			fmt.Fprintln(os.Stderr, "overcomplete export:", err)
			return 1
		}
		return 0
	case *asMarkdown:
		e.format = "markdown"
	case *asSlides:
		e.format = "slides"
	case *asTypes:
		e.format = "slide-types"
	}
	if len(notebooks) > 1 && *out != "" && !isFolder(*out) {
		fmt.Fprintln(os.Stderr, "overcomplete export: --out must be a folder for several notebooks")
		return 2
	}
	for _, path := range notebooks {
		write := e.export
		if strings.EqualFold(filepath.Ext(path), ".svg") {
			write = exportData
		}
		written, err := write(path, *out)
		if err != nil {
			fmt.Fprintln(os.Stderr, "overcomplete export:", err)
			code = 1
			continue
		}
		fmt.Printf("%s: written to %s\n", filepath.Base(path), shortPath(written))
	}
	return code
}

// anyTwo reports whether more than one of the arguments is true.
func anyTwo(all ...bool) bool {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n > 1
}

// exportGo exports notebooks as Go programs.
func exportGo(e goExporter, notebooks []string) (code int) {
	if err := e.check(); err != nil {
		fmt.Fprintln(os.Stderr, "overcomplete export:", err)
		return 2
	}
	for _, path := range notebooks {
		folder, program, err := e.export(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "overcomplete export:", err)
			code = 1
			continue
		}
		for _, r := range program.Remarks {
			fmt.Fprintf(os.Stderr, "%s: %s\n", filepath.Base(path), r)
		}
		if program.Faulty {
			code = 1
		}
		fmt.Printf("%s: written to %s\n", filepath.Base(path), shortPath(folder))
	}
	return code
}

// parseMixed parses flags that may also follow other arguments, and returns the other arguments. (Package
// flag would stop at the first argument that is not a flag.) ok is false if the command must end with code.
func parseMixed(fs *flag.FlagSet, args []string) (rest []string, code int, ok bool) {
	for {
		if code, ok := parseFlags(fs, args); !ok {
			return nil, code, false
		}
		if fs.NArg() == 0 {
			return rest, 0, true
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// export exports the notebook at path and returns the path of the output.
func (e exporter) export(path, out string) (string, error) {
	nb, err := notebook.Read(path)
	if err != nil {
		return "", err
	}
	return e.write(nb, path, out)
}

// write is like export for a notebook that is already in memory, even if there is no file at path.
func (e exporter) write(nb *notebook.Notebook, path, out string) (string, error) {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	out, err := destination(path, out, name+e.extension())
	if err != nil {
		return "", err
	}
	if sameFile(out, path) {
		return "", fmt.Errorf("%s is the notebook itself", out)
	}
	switch e.format {
	case "slide-types":
		if filepath.Ext(out) != ".ipynb" {
			return "", fmt.Errorf("%s is no name of a notebook: end it in .ipynb", out)
		}
		return out, export.SlideTypes(nb).Write(out)
	case "html", "slides":
		write := export.HTML
		if e.format == "slides" {
			write = export.Slides
		}
		opt := e.options(export.HTMLOptions{Name: name, Dir: filepath.Dir(path), HideCode: e.hideCode})
		opt.Sealed = true
		opt.Figure = export.FiguresBeside(opt.Dir)
		page := write(nb, opt)
		sayLeft(path, page.Left)
		for _, u := range page.Unknown {
			fmt.Fprintf(os.Stderr, "%s: shown as its source: %s\n", filepath.Base(path), u)
		}
		return out, notebook.WriteFile(out, page.HTML)
	}
	opt := e.markdown(export.MarkdownOptions{HideCode: e.hideCode, Dir: filepath.Dir(path)})
	folder := strings.TrimSuffix(out, filepath.Ext(out)) + "_files"
	if !e.inline {
		opt.Files = filepath.Base(folder)
	}
	page := export.NewMarkdown(nb, opt)
	sayLeft(path, page.Left)
	for _, f := range page.Files {
		file, err := destination(out, "", filepath.Join(filepath.Base(folder), f.Name))
		if err != nil {
			return "", err
		}
		if err := notebook.WriteFile(file, f.Data); err != nil {
			return "", err
		}
	}
	return out, notebook.WriteFile(out, page.Text)
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
