package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The sizes at which an experiment can run, smallest first.
const (
	Smoke   = "smoke"   // seconds: checks that the experiment runs at all
	Lecture = "lecture" // short enough to wait for in a lecture; the default
	Medium  = "medium"  // an evening's run, for papers whose full size takes hours; other papers run as at lecture size
	Full    = "full"    // the paper's own size
)

var sizes = []string{Smoke, Lecture, Medium, Full}

// Sizes returns the sizes at which an experiment can run, smallest first.
func Sizes() []string { return slices.Clone(sizes) }

// sizeRank returns the index of a size in Sizes, or -1 if there is no such size.
func sizeRank(size string) int { return slices.Index(sizes, size) }

// Data names the data on which something was measured.
type Data struct {
	Name      string `json:"name"`
	Generated bool   `json:"generated"`         // made by a program, not collected in the real world
	Example   bool   `json:"example,omitempty"` // made by hand to explain something, such as a matrix of four numbers
}

// Generated returns the Data for data that a program made.
func Generated(name string) Data { return Data{Name: name, Generated: true} }

// Real returns the Data for data collected in the real world.
func Real(name string) Data { return Data{Name: name} }

// Example returns the Data for an example that was made by hand.
func Example(name string) Data { return Data{Name: name, Example: true} }

// IsReal reports whether the data were collected in the real world.
func (d Data) IsReal() bool { return d.Name != "" && !d.Generated && !d.Example }

// times is the prefix of Data.Name for rows of measured times.
const times = "times on this machine"

// Times returns the Data for rows whose measured values are run times. The argument on is the data that was processed;
// it may be the zero Data. Times differ between runs and between machines, so checks do not expect to measure the same
// numbers again.
func Times(on Data) Data {
	if on.Name == "" {
		return Data{Name: times, Generated: true}
	}
	return Data{Name: times + ", " + on.Name, Generated: on.Generated}
}

// Timed reports whether d is the Data of measured times, as returned by Times.
func (d Data) Timed() bool { return strings.HasPrefix(d.Name, times) }

// String returns the name of the data, and says whether they are generated.
func (d Data) String() string {
	if d.Generated {
		return "generated: " + d.Name
	}
	return d.Name
}

// A Row is one claim or one cell of a published table, together with its measurement.
type Row struct {
	// ID names the row within its paper: lower-case letters, digits, hyphens.
	ID string
	// What says in one line what the number means, or what the claim is.
	What string
	// Published is the value in the source, with its place in the source.
	Published Value
	// Measured is the measured value.
	Measured Value
	// Spread is how far Measured varies (in the unit of Measured), 0 if
	// unknown.
	Spread float64
	// SpreadOf says how Spread is defined: "standard deviation over 50 seeds".
	SpreadOf string
	// Rule determines the verdict from Published and Measured.
	Rule Rule
	// Verdict is computed from Rule when the row is added; a value set before
	// that is ignored.
	Verdict Verdict
	// Reason says why the verdict is not REPRODUCED, or gives other information that readers of the row need.
	// It defaults to the reason given to NoData or ByHand.
	Reason string
	// Repeat is how far the measured number may differ from the recorded one
	// when the experiment is repeated at the same size with the same seed and
	// data. 0 means a millionth of the recorded number.
	Repeat float64
	// Size is smoke, lecture, medium or full; empty means the run's size.
	Size string
	// Data names the data on which the row was measured.
	Data Data
	// Seeds are the seeds of the random numbers; empty means the run's seed.
	Seeds []uint64
	// Look identifies the evaluation on test data that gave the number. It is the zero value if no test data are
	// used, or if nothing was chosen that other looks could have influenced.
	Look Look
	// Figure is the name of the figure that shows the row, as given to
	// Run.Figure; empty if there is none.
	Figure string
	// Origin is the code that produced the row; Add fills it in.
	Origin Origin
	// Made is the index in Results.Made of the entry that records how the row was measured.
	Made int
}

// A Look is an evaluation of a recipe on test data. Looks are recorded because an earlier look at the same test data
// may have influenced the choice of a later recipe, even if that choice itself used other data.
type Look struct {
	// At names the test data, the task, and the method whose recipes are chosen: "S3C, all labels, the test images
	// of CIFAR-10".
	At string `json:"at"`
	// Recipe names everything that was chosen before the evaluation.
	Recipe string `json:"recipe"`
}

// Looks returns, oldest first, the recipes that were evaluated earlier than the recipe of the row called of, on the
// same test data (the same Look.At). The recipes come from rows, which must be in the order in which they were first
// measured. Rows with the same recipe count as one look, and rows without a measurement do not count.
func Looks(rows []Row, of Row) (earlier []string) {
	if of.Look == (Look{}) || of.Verdict == Unknown {
		return nil
	}
	for _, r := range rows {
		switch {
		case r.Look.At != of.Look.At || r.Verdict == Unknown:
		case r.Look.Recipe == of.Look.Recipe:
			return earlier
		case !slices.Contains(earlier, r.Look.Recipe):
			earlier = append(earlier, r.Look.Recipe)
		}
	}
	return earlier
}

type rowJSON struct {
	ID        string     `json:"id"`
	What      string     `json:"what"`
	Published Value      `json:"published,omitzero"`
	Measured  Value      `json:"measured"`
	Spread    jsonNumber `json:"spread,omitempty"`
	SpreadOf  string     `json:"spread_of,omitempty"`
	Rule      Rule       `json:"rule"`
	Verdict   Verdict    `json:"verdict"`
	Reason    string     `json:"reason,omitempty"`
	Repeat    jsonNumber `json:"repeat,omitempty"`
	Size      string     `json:"size,omitempty"`
	Data      Data       `json:"data,omitzero"`
	Seeds     []uint64   `json:"seeds,omitempty"`
	Look      Look       `json:"look,omitzero"`
	Figure    string     `json:"figure,omitempty"`
	Origin    Origin     `json:"origin,omitzero"`
	Made      int        `json:"made,omitempty"`
}

// MarshalJSON returns the row as JSON.
func (r Row) MarshalJSON() ([]byte, error) {
	return marshal(rowJSON{r.ID, r.What, r.Published, r.Measured, jsonNumber(r.Spread), r.SpreadOf,
		r.Rule, r.Verdict, r.Reason, jsonNumber(r.Repeat), r.Size, r.Data, r.Seeds, r.Look, r.Figure, r.Origin, r.Made})
}

// UnmarshalJSON parses the output of MarshalJSON. Unknown fields are errors.
func (r *Row) UnmarshalJSON(b []byte) error {
	var j rowJSON
	if err := unmarshalStrict(b, &j); err != nil {
		return err
	}
	*r = Row{j.ID, j.What, j.Published, j.Measured, float64(j.Spread), j.SpreadOf,
		j.Rule, j.Verdict, j.Reason, float64(j.Repeat), j.Size, j.Data, j.Seeds, j.Look, j.Figure, j.Origin, j.Made}
	return nil
}

// Validate returns the first error in the row, or nil. It computes the verdict again and returns an error if
// the row has a different verdict.
func (r Row) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("record: row %q: %s", r.ID, fmt.Sprintf(format, args...))
	}
	if !slug.MatchString(r.ID) {
		return fmt.Errorf("record: the row ID %q is not made of lower-case letters, digits and hyphens", r.ID)
	}
	if strings.TrimSpace(r.What) == "" || strings.ContainsAny(r.What, "\r\n") {
		return fail("What is %q; it must be one line that says what the row is about", r.What)
	}
	if err := r.Published.validate("the published value"); err != nil {
		return fail("%v", err)
	}
	if err := r.Measured.validate("the measured value"); err != nil {
		return fail("%v", err)
	}
	if r.Published.Kind != KindNone && r.Published.Source == "" {
		return fail("the published value does not say where it stands")
	}
	for _, x := range []struct {
		name string
		v    float64
	}{{"spread", r.Spread}, {"repeat", r.Repeat}} {
		if math.IsNaN(x.v) || x.v < 0 {
			return fail("the %s is %v; it must not be negative or NaN", x.name, x.v)
		}
	}
	v, err := r.Rule.Judge(r.Published, r.Measured)
	if err != nil {
		return fail("%v", err)
	}
	if r.Verdict != v {
		return fail("the verdict is %q, but its rule (%s) gives %q", r.Verdict, r.Rule, v)
	}
	if sizeRank(r.Size) < 0 {
		return fail("the size is %q; it must be one of %v", r.Size, sizes)
	}
	if v != Unknown && r.Data.Name == "" {
		return fail("it does not say which data was used")
	}
	if (r.Look.At == "") != (r.Look.Recipe == "") {
		return fail("the look at test data is %+v; it must name both the data and the recipe, or neither", r.Look)
	}
	if r.Figure != "" && !slug.MatchString(r.Figure) {
		return fail("the figure %q is not made of lower-case letters, digits and hyphens", r.Figure)
	}
	return nil
}

// Own reports whether the row is one of the project's own checks, which have no published value.
func (r Row) Own() bool { return r.Published.Kind == KindNone }

// Called returns the verdict in lower-case words, as reports show it. For the project's own checks, which reproduce no
// source, it says holds, partly holds or fails.
func (r Row) Called() string {
	if r.Own() {
		switch r.Verdict {
		case Reproduced:
			return "holds"
		case Partial:
			return "partly holds"
		case NotReproduced:
			return "fails"
		}
	}
	return strings.ToLower(string(r.Verdict))
}

// A FigureFile describes a figure of a run and names its files.
type FigureFile struct {
	Name    string   `json:"name"`              // as given to Run.Figure
	Caption string   `json:"caption,omitempty"` // description, and the function that made the figure
	Files   []string `json:"files,omitempty"`   // base names, sorted
	Timed   bool     `json:"timed,omitempty"`   // the figure shows times: a row of times names it, or Run.Timed was called
	Rounded bool     `json:"rounded,omitempty"` // details of the figure depend on rounding: Run.Rounded was called
	Origin  Origin   `json:"origin,omitzero"`
}

// Results holds the results of one run of a paper's experiments: the content of results.json.
type Results struct {
	Schema  string       `json:"schema"`
	Paper   string       `json:"paper"`
	Size    string       `json:"size"`
	Seed    uint64       `json:"seed"`
	Rows    []Row        `json:"rows"`
	Sheets  []Layout     `json:"sheets,omitempty"` // layouts of rows that follow the published tables
	Figures []FigureFile `json:"figures,omitempty"`
	Files   []string     `json:"files,omitempty"` // base names of other files, sorted
	// Made records how the rows were measured. The first element is for rows that the run itself measured, and the
	// others are for rows kept from earlier runs.
	Made []Making `json:"made"`
}

// Schema is the version of the file format.
const Schema = "overcomplete/results/2"

// FileName is the name of the results file in a paper's folder.
const FileName = "results.json"

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate returns the first error in the results, or nil.
func (r *Results) Validate() error {
	if r == nil {
		return errors.New("record: no results")
	}
	if r.Schema != Schema {
		return fmt.Errorf("record: the schema is %q, not %q", r.Schema, Schema)
	}
	if err := checkPaper(r.Paper); err != nil {
		return err
	}
	if sizeRank(r.Size) < 0 {
		return fmt.Errorf("record: the size is %q; it must be one of %v", r.Size, sizes)
	}
	figures := map[string]bool{}
	for i, f := range r.Figures {
		if !slug.MatchString(f.Name) || figures[f.Name] {
			return fmt.Errorf("record: figure %d has the bad or repeated name %q", i, f.Name)
		}
		figures[f.Name] = true
		for _, name := range f.Files {
			if err := checkFile(name); err != nil {
				return err
			}
		}
	}
	for _, name := range r.Files {
		if err := checkFile(name); err != nil {
			return err
		}
	}
	seen := map[string]int{}
	for i, row := range r.Rows {
		if err := row.Validate(); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if j, dup := seen[row.ID]; dup {
			return fmt.Errorf("record: rows %d and %d have the same ID %q", j, i, row.ID)
		}
		seen[row.ID] = i
		if row.Made < 0 || row.Made >= len(r.Made) {
			return fmt.Errorf("record: row %q was made in run %d of %d", row.ID, row.Made, len(r.Made))
		}
		if row.Figure != "" && !figures[row.Figure] {
			return fmt.Errorf("record: row %q names the figure %q, which the run did not make", row.ID, row.Figure)
		}
	}
	for i, l := range r.Sheets {
		if err := l.validate(seen); err != nil {
			return err
		}
		if slices.ContainsFunc(r.Sheets[:i], func(m Layout) bool { return m.Name == l.Name }) {
			return fmt.Errorf("record: there are two sheets %q", l.Name)
		}
	}
	return nil
}

// Row returns the row with the given ID.
func (r *Results) Row(id string) (Row, bool) {
	for _, row := range r.Rows {
		if row.ID == id {
			return row, true
		}
	}
	return Row{}, false
}

// Bytes returns the results in their file format: each row on its own line, so that a change to a row changes only
// that line. The same results give the same bytes.
func (r *Results) Bytes() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return inLines(b.Bytes()), nil
}

// inLines breaks compact JSON into lines. Each field of the outermost object gets its own line, and so does each
// element of such a field.
func inLines(text []byte) []byte {
	const most = 2 // depth at which lines are broken
	var out []byte
	depth, quoted := 0, false
	for i, c := range text {
		if quoted {
			out = append(out, c)
			quoted = c != '"' || escaped(text[:i])
			continue
		}
		empty := i > 0 && (c == '}' && text[i-1] == '{' || c == ']' && text[i-1] == '[')
		if c == '}' || c == ']' {
			if depth--; depth < most && !empty {
				out = append(append(out, '\n'), "  "[:depth]...)
			}
		}
		out = append(out, c)
		if c == '{' || c == '[' {
			depth++
		}
		quoted = c == '"'
		closed := i+1 < len(text) && (text[i+1] == '}' || text[i+1] == ']')
		if depth <= most && depth > 0 && (c == ',' || (c == '{' || c == '[') && !closed) {
			out = append(append(out, '\n'), "  "[:depth]...)
		}
	}
	return out
}

// escaped reports whether the text ends with an odd number of backslashes, so that the next character is escaped.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, "\\")))%2 == 1
}

// Parse parses the output of Bytes. Unknown fields, verdicts that do not follow from their rules, repeated
// IDs and trailing data are errors. No input makes Parse panic.
func Parse(b []byte) (*Results, error) {
	var r Results
	if err := unmarshalStrict(b, &r); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Read reads results from a file.
func Read(path string) (*Results, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func checkPaper(paper string) error {
	if !slug.MatchString(paper) || paper == "run" || paper == "site" {
		return fmt.Errorf("record: the paper's name %q is not made of lower-case letters, digits and hyphens, or is \"run\" or \"site\"", paper)
	}
	return nil
}

func checkFile(name string) error {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\`) || name == FileName {
		return fmt.Errorf("record: %q is not a valid name for a file in a paper's folder", name)
	}
	return nil
}

// marshal is like json.Marshal, but does not escape <, > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// unmarshalStrict is like json.Unmarshal, but refuses unknown fields and trailing data.
func unmarshalStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("there is text after the end, at byte %d", d.InputOffset())
	}
	return nil
}
