// Package pagedtable contains the script that makes a table with many rows sortable, paged and searchable,
// and the format of the script's data. Package render writes these tables; package clean recognizes them in a
// notebook of unknown origin.
package pagedtable

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// Most is the maximum number of rows that a table carries.
const Most = 1000

// Script is the source of the script. It finds the tables in the page that have no buttons yet, and adds the
// buttons. It is part of each output, because a front end stores nothing but outputs. It inserts all values
// of Data as text, not as HTML.
//
//go:embed paged.js
var Script string

// Data is the data that the script reads, as JSON in a script element next to the table.
type Data struct {
	Rows int      `json:"rows"` // number of rows in the table
	All  int      `json:"all"`  // number of rows of the shown value
	Unit string   `json:"unit"`
	Cols []Column `json:"cols"`
}

// A Column holds its distinct values in sorted order, missing values last, and for each row the index of its
// value. So the order is computed in Go, where the types are known, and a frequent value is stored only once.
type Column struct {
	Values []string `json:"v"` // nil for the column that stands for omitted columns
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
