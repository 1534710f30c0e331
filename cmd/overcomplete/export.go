package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcomplete/internal/atomicfile"
	"overcomplete/internal/figuremeta"
	"overcomplete/internal/inside"
	"overcomplete/kernel/export"
	"overcomplete/kernel/notebook"
)

const exportUsage = `usage: overcomplete export [--html | --markdown] [--trust | --clean] [--out F] NOTEBOOK...
       overcomplete export --slides [--minutes N] [--out F] NOTEBOOK...
       overcomplete export --slide-types [--out F] NOTEBOOK...
       overcomplete export --live --out FOLDER [--set NAME] [--trust | --clean] NOTEBOOK...
       overcomplete export --go [--package NAME] [--out FOLDER] NOTEBOOK...
       overcomplete export [--out F] FIGURE.svg...

Writes notebooks, with their saved outputs, as pages to read. HTML is one file that needs no
network: it contains the pictures, formulas and styles. Sliders work if 'overcomplete run' has
written the notebook. Markdown has its pictures in a folder beside it, or with --inline in the
text.

Opening a page is safe, whoever wrote the notebook: HTML and Markdown leave out anything that
could run, fetch, send or cover something, and the page says so. Outputs made on this computer,
by run or in Jupyter, are kept as they are; --clean cleans them too, for example when you grade
strangers' notebooks. --trust leaves nothing out.

--slides writes a talk as one HTML file. If the notebook has a plan, which says how many minutes
each slide takes, only the slides of the plan, and with --minutes, if the talk is longer than that,
without those that are optional. Otherwise a slide for each heading, picture and other output.
Keys: arrows, space, Home and End move; f is full screen, s opens the presenter's window with
notes and a clock, d switches between light and dark. On a phone, swipe or tap an edge; held
upright, the phone shows the slides one below the other. Prose becomes the notes, solutions are
left out, and the printed slides are a handout. --slide-types writes a copy of the notebook,
NAME-slides.ipynb, whose cells have slide types for nbconvert.

--live writes pages whose cells run in the reader's browser; the reader installs nothing. Beside
the pages it writes sw.js and the folder "live", which contains the kernel and its scripts; the
browser fetches the kernel when the reader runs a cell. Any web server can publish the output
folder. A page opened from the disk only shows its saved outputs. Experiments run at size smoke.

--go writes the cells as a Go program that go run and go vet accept: main.go with a go.mod file,
or with --package NAME the file NAME.go, whose function Run executes the cells. The notebook's
parameters become flags of the program. The export runs nothing, and downloads nothing without
--modules: the go command reads the notebook's other modules from its cache. A program that does
not compile is written anyway, and the exit status is 1.

From a figure saved as SVG, export writes the data that the figure contains, as CSV.

`

// An exporter writes notebooks in one format.
type exporter struct {
	format   string // html, slides, slide-types or markdown
	inline   bool
	hideCode bool
	minutes  float64
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
	fs := newFlags("export", exportUsage)
	asHTML := fs.Bool("html", false, "write HTML (the default)")
	asMarkdown := fs.Bool("markdown", false, "write Markdown")
	asSlides := fs.Bool("slides", false, "write HTML slides")
	fs.Float64Var(&e.minutes, "minutes", 0, "with --slides: leave out the optional slides of a talk that is longer than this `number` of minutes")
	asTypes := fs.Bool("slide-types", false, "write a copy of the notebook whose cells have slide_type metadata, for nbconvert's slides")
	asGo := fs.Bool("go", false, "write a Go program, into a folder beside the notebook with the notebook's name, or into --out")
	asLive := fs.Bool("live", false, "write HTML whose cells run in the browser, into the folder --out")
	var l liveExporter
	fs.StringVar(&l.set, "set", "", "with --live: the `name` of the set of packages that cells can import, base or full; default: the smallest set with all that the notebooks import")
	fs.BoolVar(&l.fast, "fast", false, "with --live: compress the kernel in seconds instead of minutes, for trying things out; it is a fifth larger")
	pkg := fs.String("package", "", "with --go: write a package of this `name` instead of a program")
	withModules := fs.Bool("modules", false, "with --go: let the go command download modules that the notebook imports, and read folders that replace modules")
	fs.BoolVar(&e.trust, "trust", false, "leave nothing out, not even scripts; only for notebooks from people you trust")
	fs.BoolVar(&e.always, "clean", false, "also remove scripts and the like from outputs that were made on this computer")
	out := fs.String("out", "", "write to this `file`, or into it if it is a folder; default: beside the notebook")
	fs.BoolVar(&e.inline, "inline", false, "put Markdown's pictures in the text instead of in files")
	fs.BoolVar(&e.hideCode, "hide-code", false, "leave out the source of code cells")
	notebooks, code, ok := parseMixed(fs, args)
	if !ok {
		return code
	}
	e.format = "html"
	switch {
	case len(notebooks) == 0:
		return mistake(fs, "name at least one notebook")
	case anyTwo(*asHTML, *asMarkdown, *asSlides, *asTypes, *asLive, *asGo):
		return wrong(fs, "use only one of --html, --markdown, --slides, --slide-types, --live and --go")
	case !*asLive && (l.set != "" || l.fast):
		return wrong(fs, "--set and --fast need --live")
	case e.trust && e.always:
		return wrong(fs, "use either --trust or --clean, not both")
	case e.minutes != 0 && (!*asSlides || e.minutes < 0):
		return wrong(fs, "--minutes needs --slides, and a number above 0")
	case (e.trust || e.always) && (*asTypes || *asGo):
		return wrong(fs, "--trust and --clean apply only to HTML, slides and Markdown")
	case *asLive && (*out == "" || e.inline || e.hideCode):
		return wrong(fs, "--live needs --out FOLDER, and does not work with --inline or --hide-code")
	case *pkg != "" && !*asGo:
		return wrong(fs, "--package needs --go")
	case *withModules && !*asGo:
		return wrong(fs, "--modules needs --go")
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
		return wrong(fs, "with several notebooks, --out must be a folder")
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

// parseMixed parses flags that may also follow other arguments, and returns the other arguments. (Package flag would
// stop at the first argument that is not a flag.) If ok is false, the command must end, and code is its exit status.
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

// write is like export, but for a notebook that is already in memory. There need not be a file at path.
func (e exporter) write(nb *notebook.Notebook, path, out string) (string, error) {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	out, err := destination(path, out, name+e.extension())
	if err != nil {
		return "", err
	}
	if sameFile(out, path) {
		return "", fmt.Errorf("%s is the notebook itself: use another --out", out)
	}
	switch e.format {
	case "slide-types":
		if filepath.Ext(out) != ".ipynb" {
			return "", fmt.Errorf("%s is not the name of a notebook: it must end in .ipynb", out)
		}
		return out, export.SlideTypes(nb).Write(out)
	case "html", "slides":
		write := export.HTML
		if e.format == "slides" {
			write = export.Slides
		}
		opt := e.options(export.HTMLOptions{Name: name, Dir: filepath.Dir(path), HideCode: e.hideCode, Minutes: e.minutes})
		opt.Sealed = true
		opt.Figure = export.FiguresBeside(opt.Dir)
		page := write(nb, opt)
		switch {
		case e.minutes == 0:
		case page.Minutes == 0:
			return "", fmt.Errorf("%s has no plan for a talk: no cell says how many minutes its slide takes", path)
		case page.Minutes > e.minutes:
			return "", fmt.Errorf("%s: even without its optional slides the talk takes %g minutes", path, page.Minutes)
		}
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

// destination returns the path of the file to which a command writes its output for a notebook, and makes that file's
// folder. out is the file or folder that the user chose; "" stands for the notebook's folder. In a folder, the file
// gets the given name. If a symbolic link with this name leads out of the folder, destination returns an error, because
// the user has not chosen the name.
func destination(notebook, out, name string) (string, error) {
	folder := filepath.Dir(notebook)
	switch {
	case isFolder(out):
		folder = filepath.Clean(out)
	case out != "":
		return out, os.MkdirAll(filepath.Dir(out), 0o755)
	}
	to := filepath.Join(folder, name)
	if err := inside.Check(folder, to); err != nil {
		return "", err
	}
	return to, os.MkdirAll(filepath.Dir(to), 0o755)
}
