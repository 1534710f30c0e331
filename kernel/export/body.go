package export

import (
	"strings"

	"overcomplete/kernel/notebook"
)

// A page folds solutions, and the same sections as JupyterLab (see notebook.Folded).

const (
	restStart = "<details class=\"rest\"><summary>The rest of this section</summary>\n"
	restEnd   = "</details>\n"
)

// A body collects the HTML of a page's cells, and folds sections and solutions.
type body struct {
	done    strings.Builder
	rest    bool            // whether a folded section is open
	folded  strings.Builder // the open solution
	visible bool            // whether the open solution contains more than anchors
	between strings.Builder // raw cells after the open solution; they become part of the solution if it continues
}

// add adds s, the HTML of a cell. rest says whether the cell is in a folded section, and bare whether s shows nothing
// to the reader.
func (b *body) add(cell *notebook.Cell, rest bool, s string, bare bool) {
	switch {
	case solution(cell):
		b.fold(rest)
		b.folded.WriteString(b.between.String() + s)
		b.between.Reset()
		b.visible = b.visible || !bare
	case cell.Type == notebook.Raw && b.folded.Len() > 0:
		b.between.WriteString(s)
	default:
		b.endSolution()
		b.fold(rest)
		b.done.WriteString(s)
	}
}

// fold begins a folded section if rest is true and no section is open. If rest is false, fold ends the open section, if
// any.
func (b *body) fold(rest bool) {
	if rest == b.rest {
		return
	}
	b.endSolution()
	if rest {
		b.done.WriteString(restStart)
	} else {
		b.done.WriteString(restEnd)
	}
	b.rest = rest
}

// endSolution closes the open solution, if there is one.
func (b *body) endSolution() {
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
	b.endSolution()
	b.fold(false)
	return b.done.String()
}

// Lecture notebooks keep the solutions to exercises in collapsed cells with the tag solution. A page joins
// consecutive solution cells into one part that the reader can expand. Its summary line asks the reader to try first; a
// live page hides this request once a check has judged a try (kernel/live/page/cell.js).

func solution(cell *notebook.Cell) bool { return cell.Tagged("solution") }

const (
	solutionStart = "<details class=\"solution\"><summary>Solution<span class=\"untried\">: try it first, or show it anyway</span></summary>\n"
	solutionEnd   = "</details>\n"
)
