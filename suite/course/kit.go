package course

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"overcomplete/kernel/export"
	"overcomplete/kernel/notebook"
)

// kitFolder is the site's folder for lecturers. Its first page is made from docs/teach/course.md, guidePage from
// docs/teach.md, and each lecture has a page.
const (
	kitFolder = "teach"
	guidePage = "guide.html"
)

// kitStyle hides the links to other pages when a page of the kit is printed. A printed page fits on two sheets.
const kitStyle = "<style>.trail { font-size: .86rem; } @media print { .trail { display: none; } }</style>"

// kit returns the pages for lecturers, by their paths in the site. They are made from the texts in the project at
// root. report is the name of the report's folder in the site.
func kit(root, report string) (map[string][]byte, error) {
	const course, lecturers = `<a href="../index.html">Course</a> › `, `<a href="index.html">For lecturers</a> › `
	files := map[string][]byte{}
	write := func(page, source, trail string) error {
		b, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(source)))
		if err != nil {
			return err
		}
		to := kitFolder + "/" + page
		files[to], err = kitPage(string(b), path.Dir("docs/"+source), report, trail)
		if err != nil {
			return fmt.Errorf("docs/%s: %w", source, err)
		}
		return nil
	}
	if err := write("index.html", "teach/course.md", course+"For lecturers"); err != nil {
		return nil, err
	}
	if err := write(guidePage, "teach.md", course+lecturers+"Guide"); err != nil {
		return nil, err
	}
	for _, l := range Lectures {
		trail := course + lecturers + l.Name + fmt.Sprintf(` · <a href="../%s/notebook/%s.html">lecture</a>`, report, l.Name) +
			fmt.Sprintf(` · <a href="../%s/%s.html">slides</a>`, slidesFolder, l.Name) +
			fmt.Sprintf(` · <a href="../%s/%s.ipynb" download>handout</a>`, handoutFolder, l.Name)
		if err := write(l.Name+".html", "teach/"+l.Name+".md", trail); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// kitPage returns a page for lecturers, made from text, the Markdown source of a file. dir is the file's folder,
// relative to the project's root. trail is HTML that is placed above the text.
func kitPage(text, dir, report, trail string) ([]byte, error) {
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		htmlCell(kitStyle + "\n" + `<p class="trail">` + trail + "</p>"),
		{Type: notebook.Markdown, ID: "text", Source: siteLinks(text, dir, report)},
	}}
	page := export.HTML(nb, export.HTMLOptions{})
	if len(page.Unknown) > 0 {
		return nil, fmt.Errorf("cannot show these formulas: %s", strings.Join(page.Unknown, "; "))
	}
	return page.HTML, nil
}

var markdownLink = regexp.MustCompile(`\[([^\]\n]+)\]\(([^)\s]+)\)`)

// siteLinks changes the links in a Markdown text. Links to files of the project become links to the corresponding
// pages of the site. Links to files that the site does not have become plain text. dir is the folder of the text's
// file.
func siteLinks(text, dir, report string) string {
	return markdownLink.ReplaceAllStringFunc(text, func(link string) string {
		m := markdownLink.FindStringSubmatch(link)
		file, fragment, found := strings.Cut(m[2], "#")
		if file == "" || strings.Contains(file, ":") {
			return link
		}
		if found {
			fragment = "#" + fragment
		}
		file = path.Join(dir, file)
		name := strings.TrimSuffix(path.Base(file), path.Ext(file))
		switch {
		case file == "docs/teach.md":
			file = guidePage
		case file == "docs/teach/course.md":
			file = "index.html"
		case path.Dir(file) == "docs/teach":
			file = name + ".html"
		case file == "docs/numpy.ipynb":
			file = "../" + Numpy
		case path.Dir(file) == "notebooks":
			file = "../" + report + "/notebook/" + name + ".html"
		default:
			return m[1]
		}
		return "[" + m[1] + "](" + file + fragment + ")"
	})
}
