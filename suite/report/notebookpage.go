package report

import (
	"fmt"
	"html"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"overcomplete/kernel/export"
	"overcomplete/kernel/export/clean"
	"overcomplete/kernel/live"
	"overcomplete/kernel/notebook"
	"overcomplete/kernel/signature"
	"overcomplete/paper/record"
)

// notebookPage returns the path, within the site, of the page of a paper's notebook. If the argument which is "run",
// this is the page of the last run's notebook. Otherwise it is the page of the committed notebook.
func notebookPage(name, which string) string {
	if which == "run" {
		return "notebook/run/" + name + ".html"
	}
	return "notebook/" + name + ".html"
}

// cellAnchor returns the id that package export gives a cell.
func cellAnchor(cell string) string { return "cell-" + cell }

func (p *paper) hasCell(which, id string) bool {
	nb := p.notebook
	if which == "run" {
		nb = p.ranNotebook
	}
	if nb == nil {
		return false
	}
	for _, c := range nb.Cells {
		if c.ID == id {
			return true
		}
	}
	return false
}

// A notebookJob is a paper's notebook for which a page is written.
type notebookJob struct {
	paper             *paper
	which, up, folder string
	nb                *notebook.Notebook
}

// notebookPages renders the pages of all notebooks in parallel, as many at a time as there are processors. Then it
// writes them.
func (w *writer) notebookPages() error {
	var all []notebookJob
	for _, p := range w.papers {
		all = append(all, notebookJob{p, "record", "../", "notebooks", p.notebook}, notebookJob{p, "run", "../../", "notebooks/run", p.ranNotebook})
	}
	all = slices.DeleteFunc(all, func(n notebookJob) bool { return n.nb == nil })
	signed := signature.ForUser().Signed
	made := make([]func() error, len(all)) // functions that write the pages
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, n := range all {
		g.Go(func() (err error) {
			made[i], err = w.notebookPage(n, signed)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, write := range made {
		if err := write(); err != nil {
			return err
		}
	}
	return w.folder.writeList()
}

// notebookPage renders the page of a notebook, or reuses the old site's page. It returns a function that
// writes the page.
func (w *writer) notebookPage(n notebookJob, signed func(notebook.Output) bool) (write func() error, err error) {
	p, name := n.paper, notebookPage(n.paper.name, n.which)
	if err := live.GiveIDs(n.nb); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	linked := w.withLinks(p, n.nb, n.which, n.up)
	from := "" // unknown: the page is not reused
	if w.options.Live == nil {
		if from, err = w.inputsSum(p, linked, n.which, signed); err != nil {
			from = ""
		} else if b := w.folder.reuse(name, from); b != nil {
			return func() error { return w.folder.writeKept(name, from, b) }, nil
		}
	}
	folder := filepath.Join(w.root, filepath.FromSlash(n.folder))
	page := export.HTML(linked, export.HTMLOptions{Name: p.name, Dir: folder, Clean: clean.HTML, Trusted: signed, Figure: export.FiguresBeside(folder)})
	b := links.ReplaceAllFunc(page.HTML, func(tag []byte) []byte {
		return []byte(w.relink(string(tag), n.folder, n.up))
	})
	if l := w.options.Live; l != nil && n.which == "record" {
		o := live.PageOptions{Title: page.Title, Notebook: p.name + ".ipynb", Size: record.Smoke, Root: n.up + l.Root}
		if b, err = live.Page(b, n.nb, l.Files, o); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
	}
	if from == "" {
		return func() error { return w.folder.write(name, b) }, nil
	}
	return func() error { return w.folder.writeKept(name, from, b) }, nil
}

// withLinks returns a copy of the notebook with links into the site. The links above the first cell lead to the
// scoreboard, the paper's page and the notebook's other version. The links below each cell that calls an experiment
// lead to the experiment's results on the paper's page. The links are in raw HTML cells, which package export copies
// unchanged.
func (w *writer) withLinks(p *paper, nb *notebook.Notebook, which, up string) *notebook.Notebook {
	raw := func(format string, args ...any) *notebook.Cell {
		return &notebook.Cell{Type: notebook.Raw, Source: fmt.Sprintf(format, args...), Metadata: map[string]any{"raw_mimetype": "text/html"}}
	}
	const small = `style="font-size:.86rem"`
	as := "The notebook as it was recorded"
	if which == "run" {
		as = "The notebook as it last ran"
	}
	other := ""
	for _, o := range [][2]string{{"record", "as it was recorded"}, {"run", "as it last ran"}} {
		if name := notebookPage(p.name, o[0]); o[0] != which && w.has[name] {
			other = fmt.Sprintf(` · <a href="%s">%s</a>`, up+name, o[1])
		}
	}
	home := ""
	if l := w.options.Live; l != nil && l.Home != "" {
		home = fmt.Sprintf(`<a href="%s">Course</a> › `, html.EscapeString(up+l.Home))
	}
	list := []*notebook.Cell{raw(`<p %s>%s<a href="%sindex.html">Scoreboard</a> › <a href="%s.html">its claims and figures</a> › %s%s</p>`,
		small, home, up, up+p.name, as, other)}
	called := map[string][]group{}
	for _, g := range p.groups {
		if g.cell != "" {
			called[g.cell] = append(called[g.cell], g)
		}
	}
	for _, c := range nb.Cells {
		list = append(list, c)
		for _, g := range called[c.ID] {
			list = append(list, raw(`<p %s><a href="%s.html#%s">%s</a></p>`, small, up+p.name, html.EscapeString(fragment(g.id())), html.EscapeString(linkText(g))))
		}
	}
	return &notebook.Notebook{Metadata: nb.Metadata, Cells: list, Minor: nb.Minor, Extra: nb.Extra}
}

// linkText returns the text of the link from a cell to the paper's page.
func linkText(g group) string {
	if len(g.rows) == 0 {
		return "this figure, its data and code →"
	}
	c := record.Count(g.rows)
	s := fmt.Sprintf("%d claims depend on this", c.Total())
	if c.Total() == 1 {
		s = "one claim depends on this"
	}
	if good := c.Reproduced; good < c.Total() {
		s += fmt.Sprintf(", %d hold", good)
	}
	return s + " →"
}

var (
	links = regexp.MustCompile(`<a href="[^"#][^"]*"[^>]*>`)
	href  = regexp.MustCompile(`href="([^"]*)"`)
)

// relink returns an <a> tag of a notebook's page with its address adapted to the site. A link to a source file or
// notebook of the project now leads to that file's page. A link to any other file of the project loses its address. Web
// addresses and links within the site stay unchanged. folder is the notebook's folder in the project, and rootPath is
// the path from the page to the site's root.
func (w *writer) relink(tag, folder, rootPath string) string {
	address := html.UnescapeString(href.FindStringSubmatch(tag)[1])
	if strings.Contains(address, ":") || strings.HasPrefix(address, "/") || strings.HasPrefix(address, rootPath) && w.isForReaders(strings.TrimPrefix(address, rootPath)) {
		return tag
	}
	file, anchor, _ := strings.Cut(address, "#")
	target := path.Join(folder, file)
	to := ""
	switch {
	case w.sources.files[target] != nil:
		to = place{File: target}.address(rootPath)
	case strings.HasPrefix(target, "notebooks/") && strings.HasSuffix(target, ".ipynb"):
		to = "notebook/" + strings.TrimSuffix(strings.TrimPrefix(target, "notebooks/"), ".ipynb") + ".html"
		if !w.has[to] {
			to = ""
			break
		}
		if to = rootPath + to; anchor != "" {
			to += "#" + anchor
		}
	}
	if to == "" {
		return `<a title="` + html.EscapeString(target) + ` is not a part of these pages">`
	}
	return href.ReplaceAllLiteralString(tag, `href="`+html.EscapeString(to)+`"`)
}

// isForReaders reports whether an address, relative to the site's root, leads to a page or a result file of the site.
// It returns false for the pages of source files.
func (w *writer) isForReaders(address string) bool {
	name, _, _ := strings.Cut(address, "#")
	if l := w.options.Live; name == "index.html" || name == "claims.html" || w.has[name] || l != nil && name == l.Home {
		return true
	}
	for _, p := range w.papers {
		if name == p.name+".html" {
			return true
		}
	}
	return false
}
