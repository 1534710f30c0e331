package export

import "overcomplete/kernel/notebook"

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
