package live

import (
	"regexp"

	"overcomplete/kernel/notebook"
)

// sizeParameter matches the assignment in a paper's notebook that sets the size of its experiments.
var sizeParameter = regexp.MustCompile(`(?m)^(\s*size\s*:?=\s*)"[a-z]+"`)

// GiveIDs gives an id to each cell without an id, in the same way as writing the notebook would. Call it
// before making the page, because the page refers to cells by their ids.
func GiveIDs(nb *notebook.Notebook) error {
	_, err := nb.Bytes()
	return err
}

// ForBrowser returns the text of a notebook for a live page. It removes the outputs, because the page already shows
// them, and sets the size parameter of the notebook to the given size. The second result is the size that was set, or
// "" if size is "" or the notebook has no size parameter.
func ForBrowser(nb *notebook.Notebook, size string) (text []byte, set string, err error) {
	before, err := nb.Bytes()
	if err != nil {
		return nil, "", err
	}
	if nb, err = notebook.Parse(before); err != nil { // copies the notebook
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
