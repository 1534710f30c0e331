package export

import (
	"strings"
	"testing"

	"overcomplete/kernel/notebook"
)

// If outputs were made with other parameters than the page shows, a note below the parameters says so, unless a
// cell already does.
func TestMadeWith(t *testing.T) {
	parameters, set := notebook.NewCode(`size := "lecture"`), notebook.NewCode(`size = "full"`)
	parameters.ID, set.ID = "parameters", "set"
	set.SetTags("injected-parameters")
	nb := &notebook.Notebook{Cells: []*notebook.Cell{notebook.NewCode("first()"), parameters, notebook.NewCode("last()")}}
	pages := func() (html, markdown string) {
		text, _ := Markdown(nb, MarkdownOptions{})
		return string(HTML(nb, HTMLOptions{}).HTML), string(text)
	}
	if h, m := pages(); strings.Contains(h, madeBefore) || strings.Contains(m, madeBefore) {
		t.Error("outputs of the parameters that are shown have a note")
	}
	nb.SetChanged(&notebook.ParameterChanges{Cell: "parameters", Values: map[string]string{"size": `"full"`, "seed": "2"}})
	h, m := pages()
	inOrder(t, h, `id="cell-parameters"`, "lecture", madeBefore+"<code>seed = 2; size = &#34;full&#34;</code>", "</section>", "last")
	inOrder(t, m, `size := "lecture"`, madeBefore+"`seed = 2; size = \"full\"`.", "last()")
	nb.Cells = append(nb.Cells[:2:2], set, nb.Cells[2])
	h, m = pages()
	inOrder(t, h, `id="cell-parameters"`, madeBefore+"<code>seed = 2</code>", "last")
	inOrder(t, m, madeBefore+"`seed = 2`.", "last()")
	set.Source = "size = \"full\"\nseed = 2 // a remark"
	if h, m := pages(); strings.Contains(h, madeBefore) || strings.Contains(m, madeBefore) {
		t.Error("what a cell says is said twice")
	}
}
