package paired

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"overcomplete/kernel/notebook"
)

// The beginnings of the lines that are not of a cell.
const (
	build      = "//go:build ignore"
	note       = "// A notebook as text, without its outputs: 'overcomplete pair' takes it to the notebook and back."
	headMark   = "// %%% "  // of a key of the notebook's metadata
	headMore   = "// %%%+ " // of what else the notebook has
	cellMark   = "// %%"
	cellMore   = "// %%+ "
	minorField = "nbformat_minor"
	lowest     = 5 // the minor version that is not written
)

// The fields of a cell that stand in its line of more.
const (
	fieldExtra  = "extra"
	fieldEnd    = "eol"
	fieldSource = "source"
	fieldType   = "cell_type"
)

// looks matches the lines of a cell that would be taken for a mark, or for an escaped one.
var looks = regexp.MustCompile(`^// +%%\+?( |$)`)

// Text returns the notebook as text. The error concerns values in metadata that JSON cannot hold.
func Text(n *notebook.Notebook) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(build + "\n\n" + note + "\n")
	metadata, _ := stable(n.Metadata)
	for _, k := range slices.Sorted(maps.Keys(metadata)) {
		if err := mark(&out, headMark, map[string]any{k: metadata[k]}); err != nil {
			return nil, err
		}
	}
	more := maps.Clone(n.Extra)
	if more == nil {
		more = map[string]any{}
	}
	if n.Minor > lowest {
		more[minorField] = n.Minor
	}
	if len(more) > 0 {
		if err := mark(&out, headMore, more); err != nil {
			return nil, err
		}
	}
	for i, c := range n.Cells {
		out.WriteByte('\n')
		if err := cell(&out, c); err != nil {
			return nil, fmt.Errorf("cell %d: %w", i+1, err)
		}
	}
	return out.Bytes(), nil
}

// mark writes a line of a mark and JSON.
func mark(out *bytes.Buffer, m string, v map[string]any) error {
	text, err := oneLine(v)
	if err != nil {
		return err
	}
	out.WriteString(m + text + "\n")
	return nil
}

// oneLine returns v as JSON in one line.
func oneLine(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// plainType matches the types of cells that can stand in brackets.
var plainType = regexp.MustCompile(`^[a-z_]+$`)

// cell writes a cell.
func cell(out *bytes.Buffer, c *notebook.Cell) error {
	more := map[string]any{}
	if len(c.Extra) > 0 {
		more[fieldExtra] = c.Extra
	}
	line := cellMark
	switch {
	case c.Type == notebook.Code:
	case plainType.MatchString(c.Type):
		line += " [" + c.Type + "]"
	default:
		more[fieldType] = c.Type
	}
	if c.ID != "" {
		line += " id=" + c.ID
	}
	if metadata, _ := split(c.Metadata, volatileCell); len(metadata) > 0 {
		text, err := oneLine(metadata)
		if err != nil {
			return err
		}
		line += " " + text
	}
	source := c.Source
	switch {
	case strings.Contains(source, "\r\n") && !bare.MatchString(strings.ReplaceAll(source, "\r\n", "")) && strings.Count(source, "\r\n") == strings.Count(source, "\n"):
		more[fieldEnd] = "\r\n"
		source = strings.ReplaceAll(source, "\r\n", "\n")
	case bare.MatchString(source):
		more[fieldSource] = source
		source = ""
	}
	out.WriteString(line + "\n")
	if len(more) > 0 {
		if err := mark(out, cellMore, more); err != nil {
			return err
		}
	}
	for _, l := range lines(source) {
		if c.Type != notebook.Code {
			if l = "// " + l; l == "// " {
				l = "//"
			}
		}
		if looks.MatchString(l) {
			l = "// " + l[2:]
		}
		out.WriteString(l + "\n")
	}
	return nil
}

// bare matches what cannot stand in a line of text: carriage returns by themselves, which tools take for line ends,
// and control characters, for which they take the file for no text.
var bare = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)

// lines cuts a source into lines; an empty one has none.
func lines(source string) []string {
	if source == "" {
		return nil
	}
	return strings.Split(source, "\n")
}
