package live

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"strings"

	"overcomplete/kernel/notebook"
)

// A PageOptions says what a live page is of.
type PageOptions struct {
	Title    string
	Notebook string // the name of the notebook's file, for those who download it
	Size     string // of the experiments, for notebooks that have such a parameter
	// Root leads from the page's folder to the site's, with a slash at its end: "" or "../".
	Root string
}

// Page adds to the exported page of a notebook the notebook itself and the tags of the script that
// makes its cells run, with experiments of a size that a browser can bear. Without script it is the
// page that it was, but for a word on cells that measure time. The notebook must have the cells'
// ids that it had when the page was made, see [GiveIDs].
func Page(page []byte, nb *notebook.Notebook, f *Files, opt PageOptions) ([]byte, error) {
	text, size, err := ForBrowser(nb, opt.Size)
	if err != nil {
		return nil, err
	}
	page = noted(page, nb)
	at := bytes.LastIndex(page, []byte("</body>"))
	if at < 0 {
		return nil, errors.New("the page has no end, before which the script could stand")
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

// inScript is JSON that a script element can hold: no text in it ends the element.
func inScript(json []byte) string {
	return strings.NewReplacer("<", `\u003c`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(json))
}

// timing is the tag of cells that measure how long something takes here.
const timing = "measures-time"

// noted says below the cells that measure time that a browser finds other figures.
func noted(page []byte, nb *notebook.Notebook) []byte {
	for _, c := range nb.Cells {
		if c.Type != notebook.Code || !c.Tagged(timing) {
			continue
		}
		begin := []byte(` id="` + html.EscapeString("cell-"+c.ID) + "\">\n")
		page = bytes.Replace(page, begin, append(begin, "<p class=\"made\">Measures time: other figures in a browser, and it may take a while.</p>\n"...), 1)
	}
	return page
}
