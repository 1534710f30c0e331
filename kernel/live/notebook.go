package live

import (
	"regexp"

	"overcomplete/kernel/notebook"
)

// sizeParameter is the assignment of a papers' notebook that says how large its experiments are.
var sizeParameter = regexp.MustCompile(`(?m)^(\s*size\s*:?=\s*)"[a-z]+"`)

// GiveIDs gives ids to the cells of a notebook that have none, as writing it would. It comes before
// the page is made, which refers to them.
func GiveIDs(nb *notebook.Notebook) error {
	_, err := nb.Bytes()
	return err
}

// ForBrowser is a notebook as a live page has it: without outputs, which the page shows already,
// and with experiments of a size, which is returned; "" if it has no such parameter.
func ForBrowser(nb *notebook.Notebook, size string) (text []byte, set string, err error) {
	before, err := nb.Bytes()
	if err != nil {
		return nil, "", err
	}
	if nb, err = notebook.Parse(before); err != nil { // a copy
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
