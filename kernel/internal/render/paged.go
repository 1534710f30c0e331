package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"overcomplete/kernel/internal/pagedtable"
)

// Limits for the data in the HTML of a paged table.
const (
	maxCarried = pagedtable.Most // number of rows
	maxPaged   = 300 << 10       // total size of the values in bytes
)

// html returns the first rows of the grid as a plain table. If the grid has at least g.live rows, html also adds data
// and a script that make the table sortable and paged. Front ends that do not run scripts remove the data and the
// script.
func (g *grid) html() string {
	cols := g.picked(maxWide)
	shown := min(g.rows, pageRows)
	caption := g.caption
	if shown < g.rows {
		caption = fmt.Sprintf("first %d of %s%s", shown, grouped(g.rows), g.unit)
	}
	rows := make([]int, shown)
	for i := range rows {
		rows[i] = i
	}
	t := g.table(cols, rows, caption)
	if g.rows < g.live || len(cols) == 0 {
		return t.html()
	}
	t.pale = func(i, j int) bool { return cols[j].entry != nil && cols[j].entry(i).null }
	data := g.carried(cols)
	// The classes keep MathJax from treating the text between two dollar signs as a formula.
	return "<div class=\"overcomplete-paged tex2jax_ignore mathjax_ignore\" style=\"overflow-x: auto\">\n" + t.html() +
		"<script type=\"application/json\">" + data + "</script>\n<script>\n" + pagedtable.Script + "</script>\n</div>\n"
}

// carried returns the data for the script of a paged table, as JSON that does not contain "<". The data contain as
// many of the grid's first rows as fit into maxCarried rows and maxPaged bytes, but at least one.
func (g *grid) carried(cols []gridColumn) string {
	for n := min(g.rows, maxCarried); ; {
		data := pagedtable.Data{Rows: n, All: g.rows, Unit: g.unit, Cols: make([]pagedtable.Column, len(cols))}
		for j, c := range cols {
			if c.entry != nil {
				data.Cols[j] = c.paged(n)
			}
		}
		b, err := json.Marshal(data)
		if err != nil {
			panic(err) // marshaling strings and numbers cannot fail
		}
		if len(b) <= maxPaged || n <= 1 {
			return string(b)
		}
		n = max(1, min(n-1, n*maxPaged/len(b)))
	}
}

// paged returns a column of a paged table with the first n values of c.
func (c gridColumn) paged(n int) pagedtable.Column {
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = c.entry(i)
		if word, ok := entries[i].key.(string); ok {
			entries[i].key = fold(word) // fold once, not in each comparison
		}
	}
	order := slices.Clone(entries)
	slices.SortFunc(order, compareEntries)
	order = slices.CompactFunc(order, func(a, b entry) bool { return compareEntries(a, b) == 0 })
	p := pagedtable.Column{Values: make([]string, len(order)), Places: make([]int, n)}
	for k, e := range order {
		p.Values[k] = e.text
		if !e.null {
			p.Known++
		}
	}
	for i, e := range entries {
		p.Places[i], _ = slices.BinarySearchFunc(order, e, compareEntries)
	}
	return p
}

// compareEntries orders entries by key, then by text; missing values come last.
func compareEntries(a, b entry) int {
	switch {
	case a.null && !b.null:
		return 1
	case b.null && !a.null:
		return -1
	case !a.null:
		if c := compareKeys(a.key, b.key); c != 0 {
			return c
		}
	}
	return strings.Compare(a.text, b.text)
}
