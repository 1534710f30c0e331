package export

import "overcomplete/kernel/notebook"

// Output returns the HTML of one output as in a page, "" if nothing is visible: for a page on which cells run.
func Output(o notebook.Output) string {
	c := &converter{anchors: map[string]bool{}, characters: map[rune]bool{}}
	return c.output(o)
}
