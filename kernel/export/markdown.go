package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"overcomplete/kernel/notebook"
)

// MarkdownOptions are options for Markdown. The zero value is ready to use.
type MarkdownOptions struct {
	// Files is the name of the folder for pictures, as written in the Markdown. If Files is empty, pictures
	// become data addresses in the text.
	Files string
	// HideCode omits the source of code cells.
	HideCode bool
	// Clean and Trusted are as in HTMLOptions, and Dir is the notebook's folder. Active text is replaced by the
	// harmless part of its HTML.
	Clean   func(html string) (cleaned string, left []string)
	Trusted func(notebook.Output) bool
	Dir     string
}

// A File is a picture to be saved with the Markdown.
type File struct {
	Name string // name within the folder
	Data []byte
}

// A MarkdownPage is a notebook as Markdown.
type MarkdownPage struct {
	Text  []byte
	Files []File
	// Left has the names of the parts that Clean removed, without duplicates.
	Left []string
}

// Markdown converts a notebook to GitHub's variant of Markdown, with formulas between dollar signs as in the notebook.
// It returns the text and the pictures.
func Markdown(nb *notebook.Notebook, opt MarkdownOptions) (text []byte, files []File) {
	p := NewMarkdown(nb, opt)
	return p.Text, p.Files
}

// NewMarkdown is like Markdown, and also returns the names of the parts that opt.Clean removed.
func NewMarkdown(nb *notebook.Notebook, opt MarkdownOptions) MarkdownPage {
	w := &writer{opt: opt, page: converter{dir: opt.Dir, clean: newCleaner(HTMLOptions{Clean: opt.Clean, Trusted: opt.Trusted})}}
	if !goNotebook(nb) {
		w.language = language(nb)
	} else {
		w.language = "go"
	}
	made, madeIn := madeWith(nb)
	for i, cell := range nb.Cells {
		w.cell = i + 1
		if cell.Type != notebook.Raw {
			w.fold(solution(cell))
		}
		switch cell.Type {
		case notebook.Markdown:
			w.block(w.text(w.attachments(cell), cell))
		case notebook.Code:
			w.code(cell)
			if made != "" && cell.ID == madeIn {
				w.block(madeBefore + "`" + made + "`.")
			}
		}
	}
	w.fold(false)
	text := w.b.Bytes()
	if note := w.page.clean.markdownNote(); note != "" {
		text = append([]byte(note+"\n\n"), text...)
	}
	return MarkdownPage{text, w.files, w.page.clean.names()}
}

// fold hides solutions in HTML elements that the reader can expand. in says whether the next cell belongs to a
// solution. If it does, fold opens an element unless one is open. If it does not, fold closes the open element, if any,
// or removes that element if nothing visible is in it. There are blank lines around the element's tags, so that the
// Markdown inside is parsed.
func (w *writer) fold(in bool) {
	switch {
	case in && w.folded == 0:
		w.before = w.b.Len()
		w.block("<details>\n<summary>Solution</summary>")
		w.folded = w.b.Len()
	case !in && w.folded > 0:
		if w.b.Len() == w.folded {
			w.b.Truncate(w.before) // the solution contains nothing visible
		} else {
			w.block("</details>")
		}
		w.folded = 0
	}
}

func language(nb *notebook.Notebook) string {
	m, _ := nb.Metadata["language_info"].(map[string]any)
	s, _ := m["name"].(string)
	if strings.ContainsAny(s, " `\n") {
		return ""
	}
	return s
}

type writer struct {
	opt      MarkdownOptions
	language string
	cell     int
	b        bytes.Buffer
	files    []File
	page     converter // renders texts so that they can be cleaned
	// Inside a solution, two lengths of the text are kept: before is the length up to the solution's first line, and
	// folded is the length including this line.
	before, folded int
}

// block writes a paragraph or another block.
func (w *writer) block(s string) {
	s = strings.Trim(s, "\n")
	if strings.TrimSpace(s) == "" {
		return
	}
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString(s + "\n")
}

var backticks = regexp.MustCompile("`{3,}")

// fenced writes code between fences that are longer than any run of backticks in the code.
func (w *writer) fenced(language, s string) {
	fence := "```"
	for _, run := range backticks.FindAllString(s, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	w.block(fence + language + "\n" + strings.Trim(s, "\n") + "\n" + fence)
}

func (w *writer) code(cell *notebook.Cell) {
	if cell.Tagged("remove-cell") || cell.Tagged("remove_cell") {
		return
	}
	if !w.opt.HideCode && strings.TrimSpace(cell.Source) != "" {
		w.fenced(w.language, cell.Source)
	}
	for i, o := range cell.Outputs {
		switch o.Type() {
		case notebook.Stream:
			w.plain(o.Text())
		case notebook.ErrorOutput:
			w.plain(traceback(o))
		case notebook.DisplayData, notebook.ExecuteResult:
			w.bundle(o, i+1)
		}
	}
}

func (w *writer) plain(s string) {
	if s = plainText(s); strings.TrimSpace(s) != "" {
		w.fenced("text", s)
	}
}

// bundle writes the output o, the nth of its cell, in the representation that suits Markdown best.
func (w *writer) bundle(o notebook.Output, n int) {
	data, _ := o["data"].(map[string]any)
	text := func(mime string) string { s, _ := data[mime].(string); return s }
	w.page.clean.setOutput(o)
	defer w.page.clean.clearOutput()
	for _, kind := range pictureTypes {
		if s := text(kind); s != "" && w.drawing(kind, s) {
			about := caption(o.Text())
			w.block(fmt.Sprintf("![%s](%s)", altText(about), w.picture(kind, s, fmt.Sprintf("cell-%d-%d", w.cell, n))))
			return
		}
	}
	switch {
	case text("text/markdown") != "":
		w.block(w.text(text("text/markdown"), nil))
	case text("text/latex") != "":
		w.block(w.text(latexSource(text("text/latex")), nil))
	case isTable(text("text/html"), text("text/plain")):
		w.block(w.html(text("text/html")))
	case text("text/plain") != "":
		w.plain(text("text/plain"))
	case text("text/html") != "":
		w.block(w.html(text("text/html")))
	case data["application/json"] != nil:
		if b, err := json.MarshalIndent(data["application/json"], "", "  "); err == nil {
			w.fenced("json", string(b))
		}
	}
}

// isTable reports whether html is a table that is to stay a table in Markdown, such as a slice of structs. For a data
// frame or a matrix, the given text is shown instead: the table then has a caption, and the text has several lines.
func isTable(html, text string) bool {
	if !strings.Contains(strings.TrimSpace(text), "\n") {
		return strings.HasPrefix(html, "<table")
	}
	return strings.HasPrefix(html, `<table class="dataframe">`) && !strings.Contains(html, "<p>")
}

// altText escapes s for use as the alternative text of a picture.
func altText(s string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`, "\n", " ", "\r", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "`", "'", "$", `\$`, "<", "&lt;").Replace(s)
}

var extensions = map[string]string{"image/svg+xml": ".svg", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}

// picture adds a picture to the files, and returns the file's address. If there is no folder for files, it returns a
// data URL, which contains the picture. name is the file's name without extension.
func (w *writer) picture(kind, content, name string) string {
	b := []byte(content)
	if kind != "image/svg+xml" {
		var err error
		b, err = base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), ""))
		if err != nil {
			return dataAddress(kind, content)
		}
	}
	if w.opt.Files == "" {
		return dataAddress(kind, content)
	}
	name += extensions[kind]
	w.files = append(w.files, File{name, b})
	return strings.ReplaceAll(path.Join(w.opt.Files, name), " ", "%20")
}

var attachment = regexp.MustCompile(`\(attachment:([^)\s]+)`)

// attachments returns the cell's source, in which each reference to an attached picture is replaced by the picture's
// address.
func (w *writer) attachments(cell *notebook.Cell) string {
	n := 0
	return attachment.ReplaceAllStringFunc(cell.Source, func(m string) string {
		all, _ := cell.Extra["attachments"].(map[string]any)
		bundle, _ := all[attachment.FindStringSubmatch(m)[1]].(map[string]any)
		for _, kind := range pictureTypes {
			if s, ok := bundle[kind].(string); ok {
				n++
				return "(" + w.picture(kind, s, fmt.Sprintf("cell-%d-attachment-%d", w.cell, n))
			}
		}
		return m
	})
}
