package export

import (
	"strings"

	"overcomplete/kernel/notebook"
)

// Lecture notebooks keep the solutions of exercises in collapsed cells with the tag solution. A page joins
// consecutive solution cells into one part that the reader can expand. Its line asks for a try first; a live page takes
// the request back once a check has judged one (kernel/live/page/cell.js).

func solution(cell *notebook.Cell) bool { return cell.Tagged("solution") }

// sourceHidden reports whether Jupyter collapses the source of the cell.
func sourceHidden(cell *notebook.Cell) bool {
	m, _ := cell.Metadata["jupyter"].(map[string]any)
	hidden, _ := m["source_hidden"].(bool)
	return hidden
}

const (
	solutionStart = "<details class=\"solution\"><summary>Solution<span class=\"untried\">: try it first, or show it anyway</span></summary>\n"
	solutionEnd   = "</details>\n"
)

// A body is the main part of a page, cell by cell.
type body struct {
	done    strings.Builder
	folded  strings.Builder // the open solution
	visible bool            // whether the open solution contains more than anchors
	between strings.Builder // raw cells after the open solution, which are added to it if it continues
}

// add adds the HTML of a cell. The flag bare means that the cell shows nothing.
func (b *body) add(cell *notebook.Cell, s string, bare bool) {
	switch {
	case solution(cell):
		b.folded.WriteString(b.between.String() + s)
		b.between.Reset()
		b.visible = b.visible || !bare
	case cell.Type == notebook.Raw && b.folded.Len() > 0:
		b.between.WriteString(s)
	default:
		b.end()
		b.done.WriteString(s)
	}
}

// end closes the open solution, if there is one.
func (b *body) end() {
	if b.visible {
		b.done.WriteString(solutionStart + b.folded.String() + solutionEnd)
	} else {
		b.done.WriteString(b.folded.String())
	}
	b.done.WriteString(b.between.String())
	b.folded.Reset()
	b.between.Reset()
	b.visible = false
}

func (b *body) String() string {
	b.end()
	return b.done.String()
}
