package notebook

import (
	"slices"
	"testing"
)

func TestFolded(t *testing.T) {
	n := &Notebook{}
	var want []bool
	for _, c := range []struct {
		source            string
		collapsed, folded bool
	}{
		{"text", true, false}, // without a heading the metadata mean nothing
		{"## One\n\nfound", true, false},
		{"text", false, true},
		{"### Below its level", true, true},
		{"```\n# a comment\n```\n#tag", false, true},
		{"intro\n\n## Two", false, false},
		{"text", false, false},
		{"### Three", true, false},
		{"text", true, true},
		{"# A higher one", true, false},
		{"the end", false, true},
	} {
		cell := &Cell{Type: Markdown, Source: c.source}
		if c.collapsed {
			cell.Metadata = map[string]any{"jp-MarkdownHeadingCollapsed": true}
		}
		n.Cells, want = append(n.Cells, cell), append(want, c.folded)
	}
	if got := n.Folded(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	n.Cells[1].Type = Code
	if got := n.Folded(); got[2] {
		t.Error("code has no heading")
	}
}
