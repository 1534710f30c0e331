// Package course writes the part of a site that is for students and lecturers: a first page with the purpose
// of the course, its prerequisites and its lectures week by week, each with slides, the notebook and a
// handout. The page introduces each lecture with the first paragraph of its notebook.
//
// lectures.go lists the lectures in order, and references.go the literature. pictures.go finds figures in the record
// and the notebook, and makes small pictures of them. course.go extracts facts from the notebook and makes the page,
// kit.go makes the pages for lecturers, and write.go the files next to the page.
package course

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"overcomplete/kernel/export"
	"overcomplete/kernel/notebook"
)

//go:embed page.md
var text string

//go:embed style.css
var style string

//go:embed offline.js
var offline string

// A chapter is a lecture as shown on the page.
type chapter struct {
	Lecture
	facts
	Title, Lead, Ask string
	Picture          string // address
	On               string // the data that the recorded results used
	Source, Further  []Reference
	Links            []link
}

// A link is a button on the page.
type link struct {
	Text, Href string
	Main       bool
	File       bool // to download instead of opening
}

// Page returns the course's page as HTML, made from the notebooks and the record of the project at root. report is the
// address of the report's folder. The page also links to the files that Write writes.
func Page(root, report string) ([]byte, error) {
	var list []chapter
	for _, l := range Lectures {
		c, err := newChapter(root, report, l)
		if err != nil {
			return nil, fmt.Errorf("course: %s: %w", l.Name, err)
		}
		list = append(list, c)
	}
	t, err := template.New("page.md").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("course: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]any{"Lectures": list, "Report": report, "Numpy": Numpy, "Kit": kitFolder + "/index.html"}); err != nil {
		return nil, fmt.Errorf("course: %w", err)
	}
	nb := &notebook.Notebook{Cells: []*notebook.Cell{
		htmlCell("<style>\n" + style + "</style>"),
		{Type: notebook.Markdown, ID: "course", Source: b.String()},
		htmlCell("<script>\n" + strings.ReplaceAll(offline, "REPORT", report) + "</script>"),
	}}
	page := export.HTML(nb, export.HTMLOptions{Name: "Course"})
	if len(page.Unknown) > 0 {
		return nil, fmt.Errorf("course: cannot show these formulas: %s", strings.Join(page.Unknown, "; "))
	}
	return page.HTML, nil
}

// htmlCell returns a cell of HTML.
func htmlCell(source string) *notebook.Cell {
	return &notebook.Cell{Type: notebook.Raw, Source: source, Metadata: map[string]any{"raw_mimetype": "text/html"}}
}

func newChapter(root, report string, l Lecture) (c chapter, err error) {
	nb, err := notebook.Read(filepath.Join(root, "notebooks", l.Name+".ipynb"))
	if err != nil {
		return c, err
	}
	c = chapter{Lecture: l, facts: factsOf(nb), On: joinNames(l.Data)}
	if c.Title, c.Lead, c.Ask, err = opening(nb); err != nil {
		return c, err
	}
	c.Shows = html.EscapeString(l.Shows)
	picture, err := pictureOf(nb, l.Name+"/"+l.Figure)
	if err != nil {
		return c, err
	}
	if c.Picture, err = thumbnail(picture, l.Part); err != nil {
		return c, fmt.Errorf("%s: %w", l.Figure, err)
	}
	if c.Source, err = lookUp(l.Source); err != nil {
		return c, err
	}
	if c.Further, err = lookUp(l.Further); err != nil {
		return c, err
	}
	page := report + "/notebook/" + l.Name + ".html"
	c.Links = []link{
		{Text: "Read", Href: page, Main: true},
		{Text: "Run in the browser", Href: page + "#" + firstCell(nb)},
		{Text: "Slides", Href: slidesFolder + "/" + l.Name + ".html"},
		{Text: "Notebook", Href: notebooksFolder + "/" + l.Name + ".ipynb", File: true},
		{Text: "Handout", Href: handoutFolder + "/" + l.Name + ".ipynb", File: true},
		{Text: "Claims", Href: report + "/" + l.Name + ".html"},
		{Text: "Teach", Href: kitFolder + "/" + l.Name + ".html"},
	}
	return c, nil
}

// firstCell returns the anchor of the first cell that runs.
func firstCell(nb *notebook.Notebook) string {
	for _, c := range nb.Cells {
		if c.Type == notebook.Code {
			return "cell-" + c.ID
		}
	}
	return "page"
}

// joinNames joins names as a list in a sentence.
func joinNames(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// opening returns a notebook's title, the line below the title, and the notebook's first paragraph.
func opening(nb *notebook.Notebook) (title, lead, ask string, err error) {
	for _, c := range nb.Cells {
		if c.Type != notebook.Markdown {
			continue
		}
		parts := strings.SplitN(strings.TrimSpace(c.Source), "\n\n", 4)
		if len(parts) < 3 || !strings.HasPrefix(parts[0], "# ") {
			break
		}
		return strings.TrimPrefix(parts[0], "# "), strings.Trim(parts[1], "*"), parts[2], nil
	}
	return "", "", "", errors.New("it must begin with a title, a line below the title and a paragraph")
}

// facts is the length of a notebook: its numbers of words, pictures and exercises, and the reading time in minutes.
type facts struct {
	Words, Minutes      int
	Pictures, Exercises int
}

// wordsPerMinute is a slow reading speed, because the text has formulas.
const wordsPerMinute = 150

var (
	tableLine = regexp.MustCompile(`(?m)^\|.*$`)
	numbered  = regexp.MustCompile(`(?m)^\*\*\d+\. `)
)

// factsOf counts the words and the pictures of a notebook, and its numbered exercises. It leaves out solutions and what
// folded sections hide. Words are rounded to hundreds, and Minutes is the time to read them.
func factsOf(nb *notebook.Notebook) (f facts) {
	folded := nb.Folded()
	for i, c := range nb.Cells {
		switch {
		case c.Tagged("solution"), folded[i]:
		case c.Type == notebook.Markdown:
			f.Words += len(strings.Fields(tableLine.ReplaceAllString(c.Source, "")))
			if c.Tagged("exercise") {
				f.Exercises += len(numbered.FindAllString(c.Source, -1))
			}
		case c.Type == notebook.Code:
			for _, o := range c.Outputs {
				f.Pictures += pictures(o)
			}
		}
	}
	f.Words = (f.Words + 50) / 100 * 100
	f.Minutes = max(5, (f.Words/wordsPerMinute+2)/5*5)
	return f
}

// pictures returns 1 for an output that is a picture, otherwise 0.
func pictures(o notebook.Output) int {
	data, _ := o["data"].(map[string]any)
	for _, mime := range []string{"image/svg+xml", "image/png"} {
		if data[mime] != nil {
			return 1
		}
	}
	return 0
}
