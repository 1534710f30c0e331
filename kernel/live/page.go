package live

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"

	"overcomplete/kernel/notebook"
)

// A PageOptions holds the options of a live page.
type PageOptions struct {
	Title    string
	Notebook string // name of the notebook's file, for downloads
	Size     string // size of the experiments, for notebooks with a size parameter
	// Root is the path from the page's folder to the site's folder, either "" or with a trailing slash as in
	// "../".
	Root string
}

// Page makes the cells of an exported page run. It returns the page with two additions: the notebook itself, and the
// script tags that run its cells. Experiments get a size that is suitable for a browser. Without scripting the page
// looks as before, except for a note on cells that measure time. The notebook's cells must have the ids that they had
// when the page was made; see [GiveIDs].
func Page(page []byte, nb *notebook.Notebook, f *Files, opt PageOptions) ([]byte, error) {
	text, size, err := ForBrowser(nb, opt.Size)
	if err != nil {
		return nil, err
	}
	page = withTimingNote(page, nb)
	at := bytes.LastIndex(page, []byte("</body>"))
	if at < 0 {
		return nil, errors.New("the page has no closing tag before which the script can be inserted")
	}
	var b bytes.Buffer
	b.Write(page[:at])
	fmt.Fprintf(&b, "<script type=\"application/json\" id=\"overcomplete-notebook\">%s</script>\n", inScript(text))
	b.WriteString(`<script id="overcomplete-live" src="` + html.EscapeString(opt.Root+f.Script) + `"`)
	for _, a := range []struct{ name, value string }{
		{"kernel", opt.Root + f.Kernel},
		{"br", f.BrotliSum},
		{"gz", f.GzipSum},
		{"worker", opt.Root + f.Worker},
		{"brotli", opt.Root + f.Brotli},
		{"purify", opt.Root + f.Purify},
		{"sw", opt.Root + f.SW},
		{"title", opt.Title},
		{"notebook", opt.Notebook},
		{"size", size},
	} {
		if a.value != "" {
			fmt.Fprintf(&b, " data-%s=\"%s\"", a.name, html.EscapeString(a.value))
		}
	}
	b.WriteString(" defer></script>\n")
	b.Write(page[at:])
	return b.Bytes(), nil
}

// inScript escapes JSON for a script element, so that no text in the JSON ends the element.
func inScript(json []byte) string {
	return strings.NewReplacer("<", `\u003c`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(json))
}

// timing is the tag of cells that measure time.
const timing = "measures-time"

// withTimingNote adds a note at the top of each cell that measures time, because the times in a browser differ from
// those on the page.
func withTimingNote(page []byte, nb *notebook.Notebook) []byte {
	for _, c := range nb.Cells {
		if c.Type != notebook.Code || !c.Tagged(timing) {
			continue
		}
		begin := []byte(` id="` + html.EscapeString("cell-"+c.ID) + "\">\n")
		page = bytes.Replace(page, begin, append(begin, "<p class=\"made\">This cell measures times: in a browser, they differ, and the cell may take a while.</p>\n"...), 1)
	}
	return page
}

// sizeParameter matches the assignment in a paper's notebook that sets the size of its experiments.
var sizeParameter = regexp.MustCompile(`(?m)^(\s*size\s*:?=\s*)"[a-z]+"`)

// GiveIDs gives an id to each cell without an id, in the same way as writing the notebook would. Call it
// before making the page, because the page refers to cells by their ids.
func GiveIDs(nb *notebook.Notebook) error {
	_, err := nb.Bytes()
	return err
}

// ForBrowser returns the text of a notebook for a live page. It removes the outputs, because the page already shows
// them, and sets the size parameter of the notebook to the given size. The result set is the size that was set,
// or "" if size is "" or the notebook has no size parameter.
func ForBrowser(nb *notebook.Notebook, size string) (text []byte, set string, err error) {
	before, err := nb.Bytes()
	if err != nil {
		return nil, "", err
	}
	if nb, err = notebook.Parse(before); err != nil { // copies the notebook
		return nil, "", err
	}
	for _, c := range nb.Cells {
		if c.Type != notebook.Code {
			continue
		}
		c.Outputs, c.ExecutionCount = nil, 0
		if c.Tagged("parameters") && size != "" && sizeParameter.MatchString(c.Source) {
			c.Source = sizeParameter.ReplaceAllString(c.Source, `${1}"`+size+`"`)
			set = size
		}
	}
	nb.SetChanged(nil)
	text, err = nb.Bytes()
	return text, set, err
}
