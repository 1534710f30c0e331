package record

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"overcomplete/internal/figuremeta"
	"overcomplete/internal/smallpng"
)

// A Difference is one difference between a run and the record.
type Difference struct {
	ID        string  // ID of the row
	Field     string  // "row" (added or missing), "measured", "verdict", "published", "rule"
	Old, New  string  // the values in the record and in the run; "" if one is missing
	Tolerance float64 // how much a measured number may differ
	// Expected is set if different numbers are no surprise: the size, the seeds or the data differ, or the row measures
	// a time. The field Why says which of these is the case.
	Expected bool
	Why      string
}

// String returns the difference in one line.
func (d Difference) String() string {
	show := func(s string) string {
		if s == "" {
			return "(none)"
		}
		return s
	}
	s := fmt.Sprintf("%s: %s was %s, is %s", d.ID, d.Field, show(d.Old), show(d.New))
	if d.Field == "measured" && d.Tolerance > 0 {
		s += fmt.Sprintf(" (tolerance %s)", formatNumber(d.Tolerance))
	}
	if d.Expected {
		s += " [" + d.Why + "]"
	}
	return s
}

// Compare lists the differences between a run and the record: first for the record's rows, in their order, then for
// rows that only the run has. Measured numbers differ if they are further apart than the recorded row's Repeat (by
// default a millionth of the recorded number). Published numbers differ if they are further apart than a billionth of
// the recorded number. Compare ignores how and when the rows were measured.
func Compare(run, recorded *Results) []Difference {
	var ds []Difference
	for _, o := range recorded.Rows {
		n, ok := run.Row(o.ID)
		if !ok {
			ds = append(ds, Difference{ID: o.ID, Field: "row", Old: o.What})
			continue
		}
		why := changedSetting(o, n)
		add := func(field, from, to string, tol float64) {
			ds = append(ds, Difference{ID: o.ID, Field: field, Old: from, New: to, Tolerance: tol,
				Expected: why != "", Why: why})
		}
		if !samePublished(o.Published, n.Published) {
			add("published", o.Published.String(), n.Published.String(), 0)
		}
		if o.Rule != n.Rule {
			add("rule", o.Rule.String(), n.Rule.String(), 0)
		}
		om, nm := o.Measured, n.Measured
		if om.Kind == KindNumber && nm.Kind == KindNumber && om.Unit == nm.Unit {
			tol := o.Repeat
			if tol == 0 {
				tol = 1e-6 * math.Abs(om.Number)
			}
			if om.Number != nm.Number && !(math.Abs(om.Number-nm.Number) <= tol) {
				from, to := om.String(), nm.String()
				if from == to { // equal to four digits: show all digits
					from, to = fmt.Sprint(om.Number), fmt.Sprint(nm.Number)
				}
				add("measured", from, to, tol)
			}
		} else if om.Kind != nm.Kind || om.Bool != nm.Bool || om.Unit != nm.Unit || (om.Kind == KindText && om.Text != nm.Text) {
			add("measured", om.String(), nm.String(), 0)
		}
		if o.Verdict != n.Verdict {
			add("verdict", string(o.Verdict), string(n.Verdict), 0)
		}
	}
	for _, n := range run.Rows {
		if _, ok := recorded.Row(n.ID); !ok {
			ds = append(ds, Difference{ID: n.ID, Field: "row", New: n.What})
		}
	}
	return ds
}

// samePublished reports whether two published values are equal up to rounding: some values are computed from
// a published formula, and processors round differently.
func samePublished(a, b Value) bool {
	if a.Kind == KindNumber && math.Abs(a.Number-b.Number) <= 1e-9*math.Abs(a.Number) {
		b.Number = a.Number
	}
	return a == b
}

// changedSetting says why different results are no surprise: the size, the seeds or the data of the recorded row o and
// the new row n differ, or the row measures a time. It returns "" if there is no such reason.
func changedSetting(o, n Row) string {
	var s []string
	if o.Size != n.Size {
		s = append(s, fmt.Sprintf("size %s, record %s", n.Size, o.Size))
	}
	if !slices.Equal(o.Seeds, n.Seeds) {
		s = append(s, "other seeds")
	}
	if n.Data.Timed() {
		s = append(s, "a time on this machine")
	}
	if o.Data != n.Data {
		s = append(s, fmt.Sprintf("data %s, record %s", n.Data, o.Data))
	}
	return strings.Join(s, "; ")
}

// A Promotion describes what Promote did.
type Promotion struct {
	Paper       string
	New         bool         // there was no record before
	Unchanged   bool         // the run has the same results and files as the record, so nothing was written
	Differences []Difference // between the old and the new record
	Added       []string     // base names of added files
	Changed     []string
	Removed     []string
	Large       []string // figure data that are too large for version control
	Uncommitted bool     // the program was not built from a commit, so its exact source is not recorded
}

// mostData limits the size of a figure's data under version control. Larger data must be recreated by a run.
const mostData = 768 << 10

// String says whether the record is new, replaced or unchanged, and lists what changed, one item per line.
func (p *Promotion) String() string {
	var b strings.Builder
	switch {
	case p.Unchanged:
		fmt.Fprintf(&b, "%s: the record is unchanged\n", p.Paper)
	case p.New:
		fmt.Fprintf(&b, "%s: first record\n", p.Paper)
	default:
		fmt.Fprintf(&b, "%s: record replaced\n", p.Paper)
	}
	for _, d := range p.Differences {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	for _, l := range []struct {
		what  string
		files []string
	}{{"added", p.Added}, {"changed", p.Changed}, {"removed", p.Removed}, {"too large, not kept", p.Large}} {
		if len(l.files) > 0 {
			fmt.Fprintf(&b, "  %s: %s\n", l.what, strings.Join(l.files, ", "))
		}
	}
	if p.Uncommitted {
		b.WriteString("  not to be committed: it names no commit that it was measured at; commit what changed, build with make, and run again\n")
	}
	return b.String()
}

// Promote makes the last run of a paper its record: figures/PAPER receives exactly the files in figures/run/PAPER
// that the run's results name. For a figure whose SVG contains its data, it keeps only the SVG. It does not keep CSV
// files that are too large for version control.
//
// Unless force is set, Promote refuses to replace a record with a run of a smaller size, a row of a larger size with
// one of a smaller size, or a row on real data with one on generated data. It refuses to drop a row that the paper's
// protocol does not withdraw, and to add a row that the protocol does not declare. It also refuses a row that is NOT
// REPRODUCED and has no Reason, and a paper whose package or notebook still has a place to fill in (FillIn).
//
// Promote assembles the new record next to the old one and replaces the old one by renaming. If Promote is
// interrupted, the next call completes or undoes the replacement.
func Promote(paper string, force bool) (*Promotion, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return PromoteIn(root, paper, force)
}

// PromoteIn is like Promote, but takes the project's root as an argument.
func PromoteIn(root, paper string, force bool) (*Promotion, error) {
	if err := checkPaper(paper); err != nil {
		return nil, err
	}
	from, to := runDir(root, paper), recordDir(root, paper)
	if err := repair(root, paper); err != nil {
		return nil, err
	}
	run, err := Read(filepath.Join(from, FileName))
	if err != nil {
		return nil, fmt.Errorf("no finished run of %s to promote: %w", paper, err)
	}
	if run.Paper != paper {
		return nil, fmt.Errorf("record: %s holds the results of %q", from, run.Paper)
	}
	rules, err := declaredRules(root, paper)
	if err != nil {
		return nil, err
	}
	if bad := undeclaredRows(run, rules); len(bad) > 0 && !force {
		return nil, fmt.Errorf("record: the run cannot become the record of %s: nothing is declared of %s. 'overcomplete protocol %s' adds entries to %s in the paper's package, to be filled in and committed before the run that counts (paper/PROTOCOL.md)",
			paper, strings.Join(bad, ", "), paper, ProtocolName)
	}
	if places, err := unfilled(root, paper); err != nil {
		return nil, err
	} else if len(places) > 0 && !force {
		return nil, fmt.Errorf("record: the run cannot become the record of %s: %s still says %s", paper, strings.Join(places, ", "), FillIn)
	}
	for _, r := range run.Rows {
		if r.Verdict == NotReproduced && strings.TrimSpace(r.Reason) == "" && !force {
			return nil, fmt.Errorf("record: the run cannot become the record of %s: %s is NOT REPRODUCED, and its row does not say why: write the best explanation into its Reason", paper, r.ID)
		}
	}
	p := &Promotion{Paper: paper}
	old, err := Read(filepath.Join(to, FileName))
	switch {
	case errors.Is(err, os.ErrNotExist):
		p.New, old = true, nil
	case err != nil && !force:
		return nil, fmt.Errorf("the present record cannot be read: %w", err)
	case err != nil:
		old = nil
	}
	if old != nil {
		gone, err := withdrawnRows(root, paper)
		if err != nil && !force {
			return nil, err
		}
		if bad := worseReasons(run, old, gone); len(bad) > 0 && !force {
			return nil, fmt.Errorf("record: the run cannot replace the record of %s: %s", paper, strings.Join(bad, "; "))
		}
		p.Differences = Compare(run, old)
	}
	content, err := p.content(run, from)
	if err != nil {
		return nil, err
	}
	results := run
	// The same results measured at another time need no new file, unless only the new results name their
	// commit.
	if old != nil && sameResults(run, old) && (old.Committed() || !run.Committed()) {
		results = old
	}
	p.Uncommitted = !results.Committed()
	if content[FileName], err = results.Bytes(); err != nil {
		return nil, err
	}
	present, err := os.ReadDir(to)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("record: %w", err)
	}
	had := map[string]bool{}
	for _, e := range present {
		name := e.Name()
		had[name] = true
		b, ok := content[name]
		if !ok {
			p.Removed = append(p.Removed, name)
			continue
		}
		now, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
		if !bytes.Equal(now, b) {
			p.Changed = append(p.Changed, name)
		}
	}
	for name := range content {
		if !had[name] {
			p.Added = append(p.Added, name)
		}
	}
	sort.Strings(p.Added)
	if len(p.Added)+len(p.Changed)+len(p.Removed) == 0 {
		p.Unchanged = true
		return p, nil
	}
	tmp, err := os.MkdirTemp(filepath.Dir(to), ".new-"+paper+"-*")
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	for name, b := range content {
		if err := writeFile(filepath.Join(tmp, name), b); err != nil {
			return nil, err
		}
	}
	aside := asideDir(root, paper)
	if len(present) > 0 || !p.New {
		if err := os.Rename(to, aside); err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
	} else if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := os.Rename(tmp, to); err != nil {
		// Put the old record back.
		return nil, errors.Join(fmt.Errorf("record: %w", err), repair(root, paper))
	}
	if err := os.RemoveAll(aside); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return p, nil
}

// content reads the files of a run from a folder and returns their contents, by name. These files become the new
// record. To keep the record small, content omits the following files, and removes their names from the run's results:
//
//   - CSV files that are too large;
//   - the other files of a figure whose SVG contains its data, unless run.Files lists them.
func (p *Promotion) content(run *Results, from string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range fileNames(run) {
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return nil, fmt.Errorf("record: a file of the run is missing, run it again: %w", err)
		}
		files[name] = b
	}
	var gone []string
	for _, f := range run.Figures {
		svg := f.Name + ".svg"
		about, err := figuremeta.Read(files[svg])
		for _, name := range f.Files {
			switch {
			case strings.HasSuffix(name, ".csv") && len(files[name]) > mostData:
				p.Large = append(p.Large, name)
				gone = append(gone, name)
				if err == nil {
					about.SetData(nil)
					files[svg] = figuremeta.Write(files[svg], about)
				}
			case slices.Contains(run.Files, name): // the run also lists the file independently of the figure
			case name != svg && err == nil:
				gone = append(gone, name)
			case strings.HasSuffix(name, ".png"):
				files[name] = smallpng.Reduce(files[name])
			}
		}
		if b, ok := files[svg]; ok {
			files[svg] = figuremeta.Recompress(b)
		}
	}
	for _, name := range gone {
		delete(files, name)
	}
	run.removeFiles(gone)
	return files, nil
}

// Committed reports whether everything in r was measured by programs that were built from a known commit, without
// changes.
func (r *Results) Committed() bool {
	return !slices.ContainsFunc(r.Made, func(m Making) bool { return !m.Committed() })
}

// undeclaredRows returns the IDs of the rows of a run that the paper's protocol does not declare. The list is empty if
// the paper has no protocol.
func undeclaredRows(run *Results, rules map[string]declaredRule) []string {
	var ids []string
	for _, r := range run.Rows {
		if _, ok := rules[r.ID]; !ok && rules != nil {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func asideDir(root, paper string) string { return filepath.Join(root, "figures", ".old-"+paper) }

// repair completes or undoes a call to Promote that was interrupted while it replaced the record. Promote first moves
// the old record aside, to figures/.old-PAPER. If there is no record, repair moves the old one back; otherwise it
// deletes the old one.
func repair(root, paper string) error {
	aside, to := asideDir(root, paper), recordDir(root, paper)
	if _, err := os.Stat(aside); err != nil {
		return nil
	}
	var err error
	if _, e := os.Stat(to); errors.Is(e, os.ErrNotExist) {
		err = os.Rename(aside, to)
	} else {
		err = os.RemoveAll(aside)
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// sameResults reports whether two runs have the same results, regardless of when and by which code they were
// measured.
func sameResults(a, b *Results) bool {
	plain := func(r *Results) []byte {
		p := *r
		p.Made = []Making{{}}
		p.Rows, p.Figures = slices.Clone(p.Rows), slices.Clone(p.Figures)
		for i := range p.Rows {
			p.Rows[i].Made, p.Rows[i].Origin = 0, Origin{}
		}
		for i := range p.Figures {
			p.Figures[i].Origin = Origin{}
		}
		b, err := p.Bytes()
		if err != nil {
			return nil
		}
		return b
	}
	x, y := plain(a), plain(b)
	return x != nil && bytes.Equal(x, y)
}

// withdrawnRows returns, by ID, the rows that the paper's protocol withdraws from the record with a reason.
func withdrawnRows(root, paper string) (map[string]bool, error) {
	all, err := Protocols(root)
	p := all[paper]
	if p == nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, e := range p.Rows {
		gone[e.ID] = e.Withdrawn != nil && strings.TrimSpace(e.Withdrawn.Why) != ""
	}
	return gone, nil
}

// worseReasons lists the reasons why a run must not replace the old record, such as missing rows. Rows may be missing
// if their IDs are in withdrawn.
func worseReasons(run, old *Results, withdrawn map[string]bool) []string {
	var bad []string
	if sizeRank(run.Size) < sizeRank(old.Size) {
		bad = append(bad, fmt.Sprintf("it has %s size, the record %s", run.Size, old.Size))
	}
	for _, o := range old.Rows {
		n, ok := run.Row(o.ID)
		switch {
		case !ok && withdrawn[o.ID]:
		case !ok:
			bad = append(bad, fmt.Sprintf("row %q is missing", o.ID))
		case sizeRank(n.Size) < sizeRank(o.Size) && n.Size != run.Size:
			bad = append(bad, fmt.Sprintf("row %q has %s size, the record's %s", o.ID, n.Size, o.Size))
		case o.Data.Name != "" && !o.Data.Generated && (n.Data.Generated || n.Data.Name == ""):
			bad = append(bad, fmt.Sprintf("row %q was measured on real data (%s)", o.ID, o.Data.Name))
		}
	}
	return bad
}

// removeFiles removes the given file names from the figures of r.
func (r *Results) removeFiles(names []string) {
	for i := range r.Figures {
		f := &r.Figures[i]
		f.Files = slices.DeleteFunc(slices.Clone(f.Files), func(n string) bool { return slices.Contains(names, n) })
	}
}

// fileNames lists the files that the results name, except results.json.
func fileNames(r *Results) []string {
	names := slices.Clone(r.Files)
	for _, f := range r.Figures {
		names = append(names, f.Files...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
