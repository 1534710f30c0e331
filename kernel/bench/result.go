package main

import (
	"encoding/json"
	"os"
)

// A Result is a row of a table. A figure that was not measured is 0.
type Result struct {
	Name string
	Unit string // unit of all figures
	Size int    `json:",omitempty"`

	Cell      float64
	CellFirst float64 `json:",omitempty"` // time of the first turn
	Python    float64 `json:",omitempty"`
	Go        float64 `json:",omitempty"`
	GoNB      float64 `json:",omitempty"`
	GoNBFirst float64 `json:",omitempty"`
	Before    float64 `json:",omitempty"`

	Checksum string `json:",omitempty"`
	Fault    string `json:",omitempty"` // why the figures do not count

	goal goal
}

// Results are the rows of both tables, and what the report says about the run.
type Results struct {
	Date     string
	Machine  string
	Versions []string
	Missing  []string `json:",omitempty"` // peers that are not available
	Command  string
	Quick    bool `json:",omitempty"`
	Before   string
	Load     string `json:",omitempty"`
	Took     string

	Programs []Result
	Others   []Result
}

func (r *Results) write(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

func readResults(file string) (*Results, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	return r, json.Unmarshal(text, r)
}
