package paired

import (
	"maps"

	"overcomplete/kernel/notebook"
)

// The metadata that running or looking at a notebook changes. The text does not have it, and Merge keeps
// that of the notebook.
var (
	// volatile are keys of the notebook's metadata: the state of controls, and what is not kept in a file
	// either (see package notebook).
	volatile = []string{"widgets", "signature", "orig_nbformat", "orig_nbformat_minor"}
	// volatileOwn are keys below the project's own key.
	volatileOwn = []string{"ran", "timing", "changed"}
	// volatileCell are keys of a cell's metadata: times that JupyterLab and an extension note, and what is not
	// kept in a file.
	volatileCell = []string{"execution", "ExecuteTime", "trusted"}
)

// keyOwn is the key in the notebook's metadata under which everything of this project is.
const keyOwn = "overcomplete"

// split returns a copy of m without some keys, and what is left out.
func split(m map[string]any, keys []string) (rest, out map[string]any) {
	rest, out = maps.Clone(m), map[string]any{}
	for _, k := range keys {
		if v, ok := m[k]; ok {
			out[k] = v
			delete(rest, k)
		}
	}
	return rest, out
}

// stable returns what is not volatile of the notebook's metadata, and the rest.
func stable(m map[string]any) (rest, out map[string]any) {
	rest, out = split(m, volatile)
	own, ok := rest[keyOwn].(map[string]any)
	if !ok {
		return rest, out
	}
	kept, ran := split(own, volatileOwn)
	if len(ran) == 0 {
		return rest, out
	}
	out[keyOwn] = ran
	if rest[keyOwn] = kept; len(kept) == 0 {
		delete(rest, keyOwn)
	}
	return rest, out
}

// Merge gives a notebook that was read from a text what the text does not have, from the notebook that it
// was before: the outputs, counts and volatile metadata of its cells and its own. A cell is the one
// of its id before; one without an id, or with a new one, is the first of the same type and source that is nobody
// else's. A cell whose source has changed keeps its outputs until it is run again, as in an editor. before is not
// changed; the result shares maps with both.
func Merge(text, before *notebook.Notebook) *notebook.Notebook {
	merged := &notebook.Notebook{Minor: text.Minor, Extra: text.Extra, Metadata: maps.Clone(text.Metadata)}
	if merged.Metadata == nil {
		merged.Metadata = map[string]any{}
	}
	_, out := stable(before.Metadata)
	if ran, ok := out[keyOwn].(map[string]any); ok {
		own, _ := merged.Metadata[keyOwn].(map[string]any)
		if own = maps.Clone(own); own == nil {
			own = map[string]any{}
		}
		maps.Copy(own, ran)
		out[keyOwn] = own
	}
	maps.Copy(merged.Metadata, out)
	was := match(text.Cells, before.Cells)
	for i, c := range text.Cells {
		cell := *c
		if old := was[i]; old != nil {
			cell.ID, cell.Outputs, cell.ExecutionCount = old.ID, old.Outputs, old.ExecutionCount
			_, out := split(old.Metadata, volatileCell)
			cell.Metadata = maps.Clone(c.Metadata)
			if cell.Metadata == nil {
				cell.Metadata = map[string]any{}
			}
			maps.Copy(cell.Metadata, out)
		}
		merged.Cells = append(merged.Cells, &cell)
	}
	return merged
}

// match finds for each cell the one that it was before, nil if there is none.
func match(cells, before []*notebook.Cell) []*notebook.Cell {
	was := make([]*notebook.Cell, len(cells))
	taken := map[*notebook.Cell]bool{}
	find := func(same func(c, old *notebook.Cell) bool) {
		for i, c := range cells {
			for _, old := range before {
				if was[i] == nil && !taken[old] && old.Type == c.Type && same(c, old) {
					was[i], taken[old] = old, true
				}
			}
		}
	}
	find(func(c, old *notebook.Cell) bool { return c.ID == old.ID })
	find(func(c, old *notebook.Cell) bool { return c.Source == old.Source })
	return was
}
