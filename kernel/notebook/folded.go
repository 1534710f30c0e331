package notebook

import "strings"

// Folded reports for each cell whether JupyterLab hides it because a section is collapsed. A section is collapsed if
// the metadata of its heading cell have "jp-MarkdownHeadingCollapsed". The cells below the heading cell are then
// hidden, up to the next heading of the same or a higher level. The heading cell itself stays visible.
func (n *Notebook) Folded() []bool {
	folded := make([]bool, len(n.Cells))
	level := 0 // of the folded section, 0 outside one
	for i, c := range n.Cells {
		own := c.headingLevel()
		if own > 0 && own <= level {
			level = 0
		}
		folded[i] = level > 0
		if collapsed, _ := c.Metadata["jp-MarkdownHeadingCollapsed"].(bool); collapsed && level == 0 {
			level = own
		}
	}
	return folded
}

// headingLevel returns the level of the highest heading in a Markdown cell, from 1 (the highest) to 6. It returns 0 if
// the cell has no heading.
func (c *Cell) headingLevel() (level int) {
	if c.Type != Markdown {
		return 0
	}
	fenced := false
	for line := range strings.Lines(c.Source) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if !fenced && marks >= 1 && marks <= 6 && strings.HasPrefix(line[marks:], " ") && (level == 0 || marks < level) {
			level = marks
		}
	}
	return level
}
