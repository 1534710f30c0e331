package report

import (
	"fmt"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"

	"overcomplete/kernel/export"
)

type codeView struct {
	Up, Title, Path string
	Folder          string
	Synopsis        string
	Mentions        []mention
	Functions       []function
	Siblings        []link
	Listing         template.HTML
}

// codePages writes a page for each source file.
func (w *writer) codePages() error {
	w.mention()
	for _, name := range slices.Sorted(maps.Keys(w.sources.files)) {
		s := w.sources.files[name]
		v := codeView{Up: strings.Repeat("../", 1+strings.Count(name, "/")), Title: name, Path: name, Folder: path.Dir(name),
			Synopsis: s.synopsis, Mentions: s.mentioned, Functions: s.funcs, Listing: listing(s.text)}
		for _, o := range w.sources.folders[v.Folder] {
			l := link{Text: path.Base(o.path)}
			if o != s {
				l.Href = escapePath(l.Text) + ".html"
			}
			v.Siblings = append(v.Siblings, l)
		}
		if err := w.page("code/"+name+".html", "code.html", v); err != nil {
			return err
		}
	}
	return nil
}

// mention adds to each source file the list of the experiments whose rows or figures the file computes.
func (w *writer) mention() {
	for _, p := range w.papers {
		for _, g := range p.groups {
			found := map[string]*mention{}
			var order []string
			at := func(pl place) *mention {
				if pl.File == "" {
					return &mention{}
				}
				if found[pl.File] == nil {
					found[pl.File] = &mention{Paper: plainHeading(p.title()), Title: g.method(), Href: p.name + ".html#" + fragment(g.id())}
					order = append(order, pl.File)
				}
				return found[pl.File]
			}
			for _, r := range g.rows {
				at(w.sources.place(r.Origin)).Claims++
			}
			for _, f := range g.figures {
				at(w.sources.place(f.Origin)).Figures++
			}
			for _, file := range order {
				s := w.sources.files[file]
				s.mentioned = append(s.mentioned, *found[file])
			}
		}
	}
}

// listing returns Go source as HTML with numbered lines.
func listing(text []byte) template.HTML {
	var b strings.Builder
	src := strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range strings.Split(export.GoHTML(src), "\n") {
		fmt.Fprintf(&b, "<span class=\"line\" id=\"L%d\"><a class=\"ln\" href=\"#L%d\">%d</a>%s\n</span>", i+1, i+1, i+1, line)
	}
	return template.HTML(b.String())
}
