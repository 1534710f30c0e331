package course

import (
	"regexp"
	"strings"

	"overcomplete/kernel/notebook"
)

// facts says how long a notebook is: its numbers of words, pictures and exercises, and the minutes that reading takes.
type facts struct {
	Words, Minutes      int
	Pictures, Exercises int
}

// wordsPerMinute is a slow reading speed, because the text has formulas.
const wordsPerMinute = 150

var (
	tableLine = regexp.MustCompile(`(?m)^\|.*$`)
	numbered  = regexp.MustCompile(`(?m)^\*\*\d+\. `)
)

// factsOf counts the words and the pictures of a notebook, and its numbered exercises. It leaves out solutions and what
// folded sections hide. Words are rounded to hundreds, and Minutes is the time to read them.
func factsOf(nb *notebook.Notebook) (f facts) {
	folded := nb.Folded()
	for i, c := range nb.Cells {
		switch {
		case c.Tagged("solution"), folded[i]:
		case c.Type == notebook.Markdown:
			f.Words += len(strings.Fields(tableLine.ReplaceAllString(c.Source, "")))
			if c.Tagged("exercise") {
				f.Exercises += len(numbered.FindAllString(c.Source, -1))
			}
		case c.Type == notebook.Code:
			for _, o := range c.Outputs {
				f.Pictures += pictures(o)
			}
		}
	}
	f.Words = (f.Words + 50) / 100 * 100
	f.Minutes = max(5, (f.Words/wordsPerMinute+2)/5*5)
	return f
}

// pictures returns 1 for an output that is a picture, otherwise 0.
func pictures(o notebook.Output) int {
	data, _ := o["data"].(map[string]any)
	for _, mime := range []string{"image/svg+xml", "image/png"} {
		if data[mime] != nil {
			return 1
		}
	}
	return 0
}
