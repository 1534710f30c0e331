// Package pagedtable contains the script that makes a table with many rows sortable, paged and searchable, and
// the format of the data that it reads. Package render writes these tables; package clean recognizes them in a
// notebook of unknown origin.
package pagedtable

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// Most is the maximum number of rows that a table carries.
const Most = 1000

// Script finds the tables in the page that are not yet live, and gives them buttons. It is part of each
// output, because a front end keeps nothing but outputs. It shows everything from Data as text.
//
//go:embed paged.js
var Script string

// Data is the data that the script reads, as JSON in a script element next to the table.
type Data struct {
	Rows int      `json:"rows"` // number of rows carried
	All  int      `json:"all"`  // number of rows of the value
	Unit string   `json:"unit"`
	Cols []Column `json:"cols"`
}

// A Column holds its distinct values in sorted order, the missing ones last, and for each row the index of its
// value. So the order is computed in Go, where the types are known, and a frequent value is stored once.
type Column struct {
	Values []string `json:"v"` // nil for a column of gaps
	Known  int      `json:"k"` // number of Values that are not missing
	Places []int    `json:"i"`
}

// Valid reports whether text is data that the script can use.
func Valid(text string) bool {
	var d Data
	if strings.Contains(text, "<") || json.Unmarshal([]byte(text), &d) != nil || d.Rows < 0 || d.Rows > Most {
		return false
	}
	for _, c := range d.Cols {
		if c.Values == nil {
			continue
		}
		if len(c.Places) != d.Rows {
			return false
		}
		for _, at := range c.Places {
			if at < 0 || at >= len(c.Values) {
				return false
			}
		}
	}
	return true
}
