package record

import (
	"fmt"
	"slices"
)

// A Layout is a Sheet with row IDs in place of rows, as stored in results.json.
type Layout struct {
	Name      string     `json:"name"` // lower-case letters, digits, hyphens: "table2"
	Title     string     `json:"title,omitempty"`
	Corner    string     `json:"corner,omitempty"`
	Columns   []string   `json:"columns"`
	Lines     []string   `json:"lines"`
	IDs       [][]string `json:"ids"` // lines × columns, "" for an empty cell
	StandIn   [][]string `json:"stand_in,omitempty"`
	StandInOf string     `json:"stand_in_of,omitempty"`
	Note      string     `json:"note,omitempty"`
}

// Sheet adds a sheet to the results under a name, so that reports show the rows as the published table does. Rows that
// do not exist when the run ends become empty cells. Sheet panics if the name contains characters other than
// lower-case letters, digits and hyphens, or if the cells do not match the sheet's lines and columns.
func (r *Run) Sheet(name string, s Sheet) {
	l := Layout{Name: name, Title: s.Title, Corner: s.Corner, Columns: slices.Clone(s.Columns), Lines: slices.Clone(s.Lines),
		StandIn: s.StandIn, StandInOf: s.standInNote(), Note: s.Note}
	for _, line := range s.Cells {
		ids := make([]string, len(line))
		for j, row := range line {
			ids[j] = row.ID
		}
		l.IDs = append(l.IDs, ids)
	}
	if err := l.shape(); err != nil {
		panic(err.Error())
	}
	r.putSheet(l)
	tell(Event{Sheet: &l})
}

func (r *Run) putSheet(l Layout) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sheets = place(r.sheets, l, func(old Layout) bool { return old.Name == l.Name })
}

// shape returns an error if the layout's name is invalid or its cells do not match its lines and columns. It does not
// check whether the rows exist.
func (l Layout) shape() error {
	if !slug.MatchString(l.Name) {
		return fmt.Errorf("record: the sheet's name %q is not made of lower-case letters, digits and hyphens", l.Name)
	}
	for _, cells := range [][][]string{l.IDs, l.StandIn} {
		if cells == nil {
			continue
		}
		if len(cells) != len(l.Lines) {
			return fmt.Errorf("record: sheet %q has %d lines of cells for %d names", l.Name, len(cells), len(l.Lines))
		}
		for _, line := range cells {
			if len(line) != len(l.Columns) {
				return fmt.Errorf("record: sheet %q has a line of %d cells for %d columns", l.Name, len(line), len(l.Columns))
			}
		}
	}
	return nil
}

func (l Layout) validate(rows map[string]int) error {
	if err := l.shape(); err != nil {
		return err
	}
	for _, line := range l.IDs {
		for _, id := range line {
			if _, ok := rows[id]; id != "" && !ok {
				return fmt.Errorf("record: sheet %q has the row %q, which does not exist", l.Name, id)
			}
		}
	}
	return nil
}

// Sheet returns the rows of the results, arranged as in l.
func (r *Results) Sheet(l Layout) Sheet {
	s := Lay(l.Title, l.Corner, l.Columns, l.Lines, l.IDs, r.Rows)
	s.StandIn, s.StandInOf, s.Note = l.StandIn, l.StandInOf, l.Note
	return s
}
