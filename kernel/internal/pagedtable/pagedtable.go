// Package pagedtable has the script that makes a table of many rows one that is sorted, leafed
// through and searched, and the form of the data that it reads. Package render writes such tables;
// package clean knows them again in a notebook of unknown origin.
package pagedtable

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// Most is how many rows a table carries at most.
const Most = 1000

// Script finds the tables in the page that are not yet live, and gives them buttons. It is part of
// each output, since an output is all that a front end keeps. What it takes from Data it shows as
// text.
//
//go:embed paged.js
var Script string

// Data is what the script reads, as JSON in a script element beside the table.
type Data struct {
	Rows int      `json:"rows"` // carried
	All  int      `json:"all"`  // of the value
	Unit string   `json:"unit"`
	Cols []Column `json:"cols"`
}

// A Column has its values in their order, those that are missing last, and of each row the
// place of its value there: so the order is computed in Go, where the types are known, and a
// value that occurs often is carried once.
type Column struct {
	Values []string `json:"v"` // nil for a column of gaps
	Known  int      `json:"k"` // how many of Values are not missing
	Places []int    `json:"i"`
}

// Valid reports whether text is data that the script can work with.
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
