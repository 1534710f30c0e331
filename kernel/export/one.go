package export

import "overcomplete/kernel/notebook"

// Output returns one output as HTML, as a page has it, "" if there is nothing to see: for a page on
// which cells run.
func Output(o notebook.Output) string {
	c := &converter{anchors: map[string]bool{}, characters: map[rune]bool{}}
	return c.output(o)
}
