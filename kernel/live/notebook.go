package live

import (
	"regexp"

	"overcomplete/kernel/notebook"
)

// sizeParameter matches the assignment in a paper's notebook that sets the size of its experiments.
var sizeParameter = regexp.MustCompile(`(?m)^(\s*size\s*:?=\s*)"[a-z]+"`)

// GiveIDs gives ids to the cells of a notebook that have none, as writing it would. Call it before the page is
// made, because the page refers to them.
func GiveIDs(nb *notebook.Notebook) error {
	_, err := nb.Bytes()
	return err
}

// ForBrowser returns a notebook for a live page: without outputs, which the page already shows, and with the
// size parameter set to size. set is that size, "" if the notebook has no such parameter.
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
