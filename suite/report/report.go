package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/inside"
	"overcomplete/kernel/export/drawing"
	"overcomplete/kernel/live"
	"overcomplete/paper/lab"
	"overcomplete/paper/record"
)

//go:embed page
var pages embed.FS

// Options choose the contents of a site. The zero value includes everything except the ability to run cells in the
// browser.
type Options struct {
	// NoNotebooks omits the notebooks' pages, which take most of a site's size and time.
	NoNotebooks bool
	// RecordOnly omits later runs, for a published site.
	RecordOnly bool
	// Small omits the PNG of each figure that the site has as SVG, omits data of more than 100 kB, and writes
	// shorter SVG.
	Small bool
	// Live makes the notebooks' cells run in the reader's browser, so that readers can measure claims there.
	Live *Live
}

// Live describes a site's kernel, which runs in the browsers of the site's readers.
type Live struct {
	Files *live.Files
	Root  string // path from the folder of the report to that of Files: "../"
	Home  string // path of the site's first page, from the folder of the report: "../index.html"
	// Papers lists the papers with claims that readers can measure.
	Papers []lab.Paper
}

// mostData limits the size of a figure's data in a small site, in bytes.
const mostData = 100_000

// A Site describes a site that Write has written.
type Site struct {
	Dir      string // the folder
	Index    string // its first page
	Papers   []string
	Claims   int
	Files    int
	Bytes    int64
	Problems []string // what could not be read; also listed on the site
}

// Write writes the site of the project at root to the given folder, replacing an older site there. It omits unreadable
// files and lists them in Site.Problems. A folder that is neither empty nor a site is an error. The older site stays in
// place until the new one is complete.
func Write(root, out string, opt Options) (*Site, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	pr, err := readProject(root, opt.RecordOnly)
	if err != nil {
		return nil, err
	}
	t, err := template.New("").Funcs(template.FuncMap{"joined": joinNonEmpty}).ParseFS(pages, "page/*.html")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	f, err := newFolder(out)
	if err != nil {
		return nil, err
	}
	w := &writer{project: pr, options: opt, folder: f, templates: t, has: map[string]bool{}}
	if err := f.replace(w.writeAll(opt)); err != nil {
		return nil, err
	}
	s := &Site{Dir: f.final, Index: filepath.Join(f.final, "index.html"), Claims: w.claims, Files: f.files, Bytes: f.bytes, Problems: pr.problems}
	for _, p := range pr.papers {
		s.Papers = append(s.Papers, p.name)
	}
	return s, nil
}

// A writer writes the pages of a project to a folder.
type writer struct {
	*project
	options   Options
	folder    *folder
	templates *template.Template
	has       map[string]bool // the optional files that are in the site
	claims    int
}

func (w *writer) writeAll(opt Options) error {
	for _, f := range [][2]string{{"style.css", drawing.Style}, {"script.js", drawing.Script}} {
		b, err := pages.ReadFile("page/" + f[0])
		if err == nil {
			err = w.folder.write(f[0], append(b, f[1]...))
		}
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	for _, p := range w.papers {
		if err := w.copyFiles(p); err != nil {
			return err
		}
	}
	if !opt.NoNotebooks {
		for _, p := range w.papers {
			if p.notebook != nil {
				w.has[notebookPage(p.name, "record")] = true
			}
			if p.ranNotebook != nil {
				w.has[notebookPage(p.name, "run")] = true
			}
		}
	}
	for _, p := range w.papers {
		if err := w.paperPage(p); err != nil {
			return err
		}
	}
	if !opt.NoNotebooks {
		if err := w.notebookPages(); err != nil {
			return err
		}
	}
	if err := w.codePages(); err != nil {
		return err
	}
	if err := w.folder.write("claims.csv", w.table()); err != nil {
		return err
	}
	return w.indexPage() // last, when all problems are known
}

// page executes a template with the given view and writes the result as the page called name.
func (w *writer) page(name, template string, view any) error {
	var b bytes.Buffer
	if err := w.templates.ExecuteTemplate(&b, template, view); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return w.folder.write(name, b.Bytes())
}

// copyFiles copies the files that a paper's results refer to. It omits the PNG of a run's figure if the
// record has the same figure.
func (w *writer) copyFiles(p *paper) error {
	for _, s := range []struct {
		which string
		res   *record.Results
	}{{"record", p.recorded}, {"run", p.run}} {
		if s.res == nil {
			continue
		}
		from := w.resultFolder(p.name, s.which)
		names := append([]string{record.FileName}, s.res.Files...)
		for _, f := range s.res.Figures {
			for _, name := range f.Files {
				if w.options.Small && w.isDispensable(filepath.Join(from, name), f.Files) {
					continue
				}
				if s.which == "run" && strings.HasSuffix(name, ".png") && p.recorded != nil && hasFigure(p.recorded, f.Name) {
					continue
				}
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			to := filePath(p.name, s.which, name)
			copied, err := w.copyFile(to, filepath.Join(from, name))
			if err != nil {
				return err
			}
			if !copied {
				w.problem("%s is missing, although the results name it", w.relative(filepath.Join(from, name)))
				continue
			}
			w.has[to] = true
		}
		for _, f := range s.res.Figures {
			if err := w.data(p.name, s.which, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// data writes the data of a figure to a CSV file, if the site has them only inside the figure's SVG. A small site
// omits large data.
func (w *writer) data(paper, which string, f record.FigureFile) error {
	to := filePath(paper, which, f.Name+".csv")
	if w.has[to] || !w.has[filePath(paper, which, f.Name+".svg")] {
		return nil
	}
	svg, err := os.ReadFile(filepath.Join(w.resultFolder(paper, which), f.Name+".svg"))
	if err != nil {
		return err
	}
	about, err := figuremeta.Read(svg)
	if err != nil {
		return nil // a figure without embedded data
	}
	csv, err := about.Data()
	if err != nil {
		w.problem("%s: %v", f.Name, err)
	}
	if csv == nil || w.options.Small && len(csv) > mostData {
		return nil
	}
	w.has[to] = true
	return w.folder.write(to, csv)
}

// copyFile copies a result file into the site, if the file exists. The argument to is the path of the copy within the
// site, and from is the path of the file. A small site gets a shorter form of an SVG. A file outside the project,
// perhaps behind a link, is not copied, but listed as a problem.
func (w *writer) copyFile(to, from string) (copied bool, err error) {
	if err := inside.Check(w.root, from); err != nil {
		w.problem("%v", err)
		return false, nil
	}
	if !w.options.Small || filepath.Ext(from) != ".svg" {
		return w.folder.copy(to, from)
	}
	b, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, w.folder.write(to, drawing.Compact(b))
}

// isDispensable reports whether a small site omits the file called name. The argument files lists all files of the same
// figure. A PNG is omitted if the figure also has an SVG, and a CSV file is omitted if it is large.
func (w *writer) isDispensable(name string, files []string) bool {
	switch base := filepath.Base(name); filepath.Ext(base) {
	case ".png":
		return slices.Contains(files, strings.TrimSuffix(base, ".png")+".svg")
	case ".csv":
		info, err := os.Stat(name)
		return err == nil && info.Size() > mostData
	}
	return false
}

func (pr *project) resultFolder(name, which string) string {
	if which == "run" {
		return filepath.Join(pr.root, "figures", "run", name)
	}
	return filepath.Join(pr.root, "figures", name)
}

// filePath returns the path, within the site, of a file of the results.
func filePath(name, which, file string) string { return path.Join("files", which, name, file) }

// file returns a link to a result file. The link's address is relative to the site's root. The link is empty if the
// site does not have the file.
func (w *writer) file(text, name, which, file string) link {
	p := filePath(name, which, file)
	if !w.has[p] {
		return link{}
	}
	return link{text, escapePath(p)}
}

func hasFigure(res *record.Results, name string) bool {
	return slices.ContainsFunc(res.Figures, func(f record.FigureFile) bool { return f.Name == name })
}

// sameFigure reports whether two SVG files draw the same figure.
func sameFigure(a, b string) bool {
	x, err1 := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	return err1 == nil && err2 == nil && figuremeta.Sum(x) == figuremeta.Sum(y)
}
