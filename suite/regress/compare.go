package regress

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"overcomplete/paper/record"
	"overcomplete/suite/picture"
)

// Compare returns the differences between a run and the expected results, one per line. It returns no lines
// if there are no differences.
func Compare(now, want *Snapshot) []string {
	var bad []string
	if now.Results.Size != want.Results.Size || now.Results.Seed != want.Results.Seed {
		bad = append(bad, fmt.Sprintf("the run has %s size and seed %d, but the expected results have %s size and seed %d",
			now.Results.Size, now.Results.Seed, want.Results.Size, want.Results.Seed))
	}
	for _, d := range record.Compare(now.Results, want.Results) {
		if row, _ := now.Results.Row(d.ID); !row.Data.Timed() {
			d.Expected = false // the expected results are of the same size, seeds and data
			bad = append(bad, d.String())
		}
	}
	rounded := map[string]bool{}
	for _, f := range now.Results.Figures {
		rounded[f.Name] = f.Rounded
	}
	for _, name := range slices.Sorted(maps.Keys(want.Figures)) {
		compare := picture.Compare
		if rounded[name] {
			compare = picture.CompareKinds
		}
		f, ok := now.Figures[name]
		if !ok {
			bad = append(bad, fmt.Sprintf("figure %s is missing", name))
			continue
		}
		if same, why := compare(want.Figures[name], f); !same {
			bad = append(bad, fmt.Sprintf("figure %s: %s", name, why))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.Figures)) {
		if _, ok := want.Figures[name]; !ok {
			bad = append(bad, fmt.Sprintf("figure %s is new", name))
		}
	}
	return bad
}

// Same compares two runs of a paper, given their folders, and returns one message for each row or figure file that
// differs. Figure files must have the same bytes, and rows exactly the same measured value and verdict. Timed rows and
// figures only have to exist in both runs.
func Same(a, b string) ([]string, error) {
	var results [2]*record.Results
	for i, folder := range []string{a, b} {
		r, err := record.Read(filepath.Join(folder, record.FileName))
		if err != nil {
			return nil, err
		}
		results[i] = r
	}
	var bad []string
	x, y := results[0], results[1]
	for _, row := range x.Rows {
		switch other, ok := y.Row(row.ID); {
		case !ok:
			bad = append(bad, fmt.Sprintf("row %s exists only in the first run", row.ID))
		case row.Data.Timed(), row.Measured == other.Measured && row.Verdict == other.Verdict:
		case row.Measured == other.Measured:
			bad = append(bad, fmt.Sprintf("row %s is %s in the first run, and %s in the second", row.ID, row.Verdict, other.Verdict))
		default:
			bad = append(bad, fmt.Sprintf("row %s is %v in the first run, and %v in the second", row.ID, row.Measured, other.Measured))
		}
	}
	for _, row := range y.Rows {
		if _, ok := x.Row(row.ID); !ok {
			bad = append(bad, fmt.Sprintf("row %s exists only in the second run", row.ID))
		}
	}
	timed := map[string]bool{}
	for _, f := range x.Figures {
		for _, name := range f.Files {
			timed[name] = f.Timed
		}
	}
	for _, name := range files(x, y) {
		var content [2][]byte
		gone := false
		for i, folder := range []string{a, b} {
			var err error
			content[i], err = os.ReadFile(filepath.Join(folder, name))
			if errors.Is(err, fs.ErrNotExist) {
				bad = append(bad, fmt.Sprintf("%s is missing the %s time", name, [...]string{"first", "second"}[i]))
				gone = true
			} else if err != nil {
				return nil, fmt.Errorf("regress: %w", err)
			}
		}
		if !gone && !timed[name] && !bytes.Equal(content[0], content[1]) {
			bad = append(bad, fmt.Sprintf("%s has different bytes in the second run", name))
		}
	}
	return bad, nil
}

// files returns the names of the files of all figures in x or y, sorted and without repetitions.
func files(x, y *record.Results) []string {
	var names []string
	for _, r := range []*record.Results{x, y} {
		for _, f := range r.Figures {
			names = append(names, f.Files...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
