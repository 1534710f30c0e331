package export

import (
	"maps"
	"regexp"
	"strings"

	"overcomplete/kernel/notebook"
)

var headingLine = regexp.MustCompile(`^#{1,6} `)

// SlideTypes returns a copy of a notebook with slideshow metadata in its cells, from which nbconvert and RISE make
// slides. It follows the rules of Slides, except that these tools cannot split cells. Cells that start with a heading
// or have outputs become slides, and so do exercises. Other text becomes notes. Solutions, and code without outputs,
// are skipped. If the notebook has a plan, only the cells of the plan become slides. Existing slide types stay
// unchanged. SlideTypes does not change the argument nb.
func SlideTypes(nb *notebook.Notebook) *notebook.Notebook {
	out, plan := *nb, planned(nb)
	out.Cells = make([]*notebook.Cell, len(nb.Cells))
	for i, c := range nb.Cells {
		cell := *c
		if slideType(c) == "" {
			show := map[string]any{}
			if m, ok := c.Metadata["slideshow"].(map[string]any); ok {
				show = maps.Clone(m)
			}
			show["slide_type"] = typeOf(c, plan)
			if cell.Metadata = maps.Clone(c.Metadata); cell.Metadata == nil {
				cell.Metadata = map[string]any{}
			}
			cell.Metadata["slideshow"] = show
		}
		out.Cells[i] = &cell
	}
	return &out
}

func typeOf(c *notebook.Cell, plan bool) string {
	text := strings.TrimSpace(c.Source)
	switch {
	case solution(c) || isExerciseCheck(c) || text == "" && len(c.Outputs) == 0 || c.Type == notebook.Raw:
		return "skip"
	case plan && c.Type == notebook.Markdown:
		return "notes"
	case plan:
		return "skip"
	case c.Type == notebook.Markdown && headingLine.MatchString(text):
		return "slide"
	case c.Type == notebook.Markdown && c.Tagged("exercise"):
		return "subslide"
	case c.Type == notebook.Markdown:
		return "notes"
	case len(c.Outputs) > 0 || c.Tagged("exercise"):
		return "subslide"
	}
	return "skip"
}
