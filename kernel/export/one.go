package export

import "overcomplete/kernel/notebook"

// Output returns the HTML that a page shows for one output, or "" if nothing is visible. It is for pages on
// which cells run.
func Output(o notebook.Output) string {
	c := &converter{anchors: map[string]bool{}, characters: map[rune]bool{}}
	return c.output(o)
}
