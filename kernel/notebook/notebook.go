package notebook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The cell types.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// The format version of written notebooks.
const (
	major = 4
	minor = 5
)

// A Notebook is a list of cells.
type Notebook struct {
	Metadata map[string]any
	Cells    []*Cell
	// Minor is the minor version of the format, which is at least 5.
	Minor int
	// Extra has the other top-level fields.
	Extra map[string]any
}

// A Cell is a piece of code or text.
type Cell struct {
	ID       string
	Type     string // Code, Markdown, Raw, or a type of a later format version
	Source   string
	Metadata map[string]any
	// ExecutionCount is the number in In[n], or 0 if the cell has not run.
	ExecutionCount int
	Outputs        []Output // only in code cells
	// Extra has the other fields of the cell, such as attachments.
	Extra map[string]any
}

// Tags returns the cell's tags.
func (c *Cell) Tags() []string {
	list, _ := c.Metadata["tags"].([]any)
	var tags []string
	for _, t := range list {
		if s, ok := t.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// Tagged reports whether the cell has the given tag.
func (c *Cell) Tagged(tag string) bool { return slices.Contains(c.Tags(), tag) }

// SetTags replaces the cell's tags.
func (c *Cell) SetTags(tags ...string) {
	if c.Metadata == nil {
		c.Metadata = map[string]any{}
	}
	list := make([]any, len(tags))
	for i, t := range tags {
		list[i] = t
	}
	c.Metadata["tags"] = list
}

// NewCode returns a code cell without an id. Writing the notebook assigns one.
func NewCode(source string) *Cell {
	return &Cell{Type: Code, Source: source, Metadata: map[string]any{}}
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Parse parses a notebook. An error names the faulty cell, counting from 1.
func Parse(b []byte) (*Notebook, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var top map[string]any
	if err := dec.Decode(&top); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("notebook: found %s instead of a notebook, which is a JSON object: {...}", indefinite(wrong.Value))
		}
		return nil, fmt.Errorf("notebook: not JSON: %w", position(b, err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("notebook: there is text after the end of the notebook")
	}
	if deeper(top, maxDepth) {
		return nil, fmt.Errorf("notebook: values are nested more than %d levels deep", maxDepth)
	}
	if top == nil {
		return nil, errors.New("notebook: found null instead of a notebook")
	}
	version, ok := integer(top["nbformat"])
	if !ok {
		return nil, errors.New("notebook: no nbformat: is this a notebook?")
	}
	if version > major {
		return nil, fmt.Errorf("notebook: cannot read format %d, only format %d: the file comes from a newer program, or is not a notebook; try a newer version of this program", version, major)
	}
	if version < major {
		return nil, fmt.Errorf("notebook: cannot read format %d, only format 4 (jupyter nbconvert --to notebook converts older notebooks)", version)
	}
	n := &Notebook{Extra: map[string]any{}}
	if n.Minor, ok = integer(top["nbformat_minor"]); !ok || n.Minor < 0 {
		return nil, errors.New("notebook: nbformat_minor is not a number")
	}
	n.Minor = max(n.Minor, minor)
	switch m := top["metadata"].(type) {
	case map[string]any:
		n.Metadata = m
	case nil:
		n.Metadata = map[string]any{}
	default:
		return nil, errors.New("notebook: metadata is not an object")
	}
	cells, ok := top["cells"].([]any)
	if !ok {
		return nil, errors.New("notebook: cells is not a list")
	}
	for k, v := range top {
		switch k {
		case "nbformat", "nbformat_minor", "metadata", "cells":
		default:
			n.Extra[k] = v
		}
	}
	for i, v := range cells {
		c, err := parseCell(v)
		if err != nil {
			return nil, fmt.Errorf("notebook: cell %d: %w", i+1, err)
		}
		n.Cells = append(n.Cells, c)
	}
	n.giveIDs()
	return n, nil
}

// maxDepth is the largest allowed nesting depth of the input. It is limited because the indentation of the
// output grows with the square of the depth.
const maxDepth = 300

// indefinite returns the name of a JSON kind with its indefinite article.
func indefinite(kind string) string {
	if kind == "array" {
		return "an array"
	}
	return "a " + kind
}

// deeper reports whether v is nested more than n levels deep.
func deeper(v any, n int) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, e := range x {
			if n == 0 || deeper(e, n-1) {
				return true
			}
		}
	case []any:
		for _, e := range x {
			if n == 0 || deeper(e, n-1) {
				return true
			}
		}
	}
	return false
}

// position adds the line number to a syntax error.
func position(b []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset <= int64(len(b)) {
		return fmt.Errorf("line %d: %w", 1+bytes.Count(b[:syntax.Offset], []byte("\n")), err)
	}
	return err
}

func parseCell(v any) (*Cell, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("not an object")
	}
	c := &Cell{Metadata: map[string]any{}, Extra: map[string]any{}}
	if c.Type, ok = m["cell_type"].(string); !ok {
		return nil, errors.New("no cell_type")
	}
	if c.Source, ok = joined(m["source"]); !ok {
		return nil, errors.New("source is neither text nor a list of lines")
	}
	switch x := m["metadata"].(type) {
	case map[string]any:
		c.Metadata = x
	case nil:
	default:
		return nil, errors.New("metadata is not an object")
	}
	c.ID, _ = m["id"].(string)
	for k, x := range m {
		switch {
		case slices.Contains([]string{"cell_type", "source", "metadata", "id"}, k):
		case c.Type == Code && (k == "outputs" || k == "execution_count"):
		default:
			c.Extra[k] = x
		}
	}
	if att, ok := c.Extra["attachments"].(map[string]any); ok {
		for _, bundle := range att {
			if b, ok := bundle.(map[string]any); ok {
				join(b)
			}
		}
	}
	if c.Type != Code {
		return c, nil
	}
	if x := m["execution_count"]; x != nil {
		if c.ExecutionCount, ok = integer(x); !ok || c.ExecutionCount < 0 {
			return nil, errors.New("execution_count is not a non-negative integer")
		}
	}
	outputs, ok := m["outputs"].([]any)
	if !ok && m["outputs"] != nil {
		return nil, errors.New("outputs is not a list")
	}
	for i, x := range outputs {
		o, ok := x.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("output %d is not an object", i+1)
		}
		if _, ok := o["output_type"].(string); !ok {
			return nil, fmt.Errorf("output %d has no output_type", i+1)
		}
		if err := joinOutput(o); err != nil {
			return nil, fmt.Errorf("output %d: %w", i+1, err)
		}
		c.Outputs = append(c.Outputs, o)
	}
	return c, nil
}

// integer returns v as an int. The second result is false unless v is a JSON number, written without a fraction or an
// exponent, that fits into an int.
func integer(v any) (int, bool) {
	num, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(num.String())
	return n, err == nil
}

// joined returns a text as one string. The text may be given as a list of lines, and nil counts as "". The second
// result is false if v is not a text.
func joined(v any) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "", true
	case string:
		return x, true
	case []any:
		var b strings.Builder
		for _, l := range x {
			s, ok := l.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// join replaces each list of lines in a MIME bundle with one string.
func join(bundle map[string]any) {
	for mime, v := range bundle {
		if isJSON(mime) || v == nil {
			continue
		}
		if s, ok := joined(v); ok {
			bundle[mime] = s
		}
	}
}

func joinOutput(o Output) error {
	switch o.Type() {
	case ExecuteResult, DisplayData:
		switch data := o["data"].(type) {
		case map[string]any:
			join(data)
		case nil:
			o["data"] = map[string]any{}
		default:
			return errors.New("data is not an object")
		}
	case Stream:
		s, ok := joined(o["text"])
		if !ok {
			return errors.New("text is neither text nor a list of lines")
		}
		o["text"] = s
	}
	return nil
}

// giveIDs assigns a new id to each cell whose id is missing, invalid, or used by an earlier cell.
func (n *Notebook) giveIDs() {
	taken := map[string]bool{}
	for _, c := range n.Cells {
		// An explicit id takes precedence over a derived one, so the first cell with an explicit id keeps it.
		if validID.MatchString(c.ID) && !taken[c.ID] {
			taken[c.ID] = true
		} else {
			c.ID = ""
		}
	}
	for i, c := range n.Cells {
		for salt := 0; c.ID == ""; salt++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %s", i, salt, c.Type, c.Source))
			if id := hex.EncodeToString(sum[:4]); !taken[id] {
				c.ID, taken[id] = id, true
			}
		}
	}
}

// Bytes returns the content of the notebook's file. It assigns an id to cells without one. It returns an error
// if metadata or outputs contain values that JSON cannot represent.
func (n *Notebook) Bytes() ([]byte, error) {
	n.giveIDs()
	top := maps.Clone(n.Extra)
	if top == nil {
		top = map[string]any{}
	}
	top["nbformat"], top["nbformat_minor"] = major, max(n.Minor, minor)
	top["metadata"] = without(n.Metadata, "orig_nbformat", "orig_nbformat_minor", "signature")
	cells := make([]any, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = c.fields()
	}
	top["cells"] = cells
	var e encoder
	if err := e.value(top, 0); err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	e.buf.WriteByte('\n')
	return e.buf.Bytes(), nil
}

// fields returns the cell's fields as they are written to the file.
func (c *Cell) fields() map[string]any {
	m := maps.Clone(c.Extra)
	if m == nil {
		m = map[string]any{}
	}
	if att, ok := m["attachments"].(map[string]any); ok {
		split := make(map[string]any, len(att))
		for name, bundle := range att {
			split[name] = splitBundle(bundle)
		}
		m["attachments"] = split
	}
	m["cell_type"], m["id"] = c.Type, c.ID
	m["metadata"] = without(c.Metadata, "trusted")
	m["source"] = Lines(c.Source)
	if c.Type != Code {
		return m
	}
	m["execution_count"] = nil
	if c.ExecutionCount > 0 {
		m["execution_count"] = c.ExecutionCount
	}
	outputs := make([]any, len(c.Outputs))
	for i, o := range c.Outputs {
		outputs[i] = o.split()
	}
	m["outputs"] = outputs
	return m
}

func without(m map[string]any, keys ...string) map[string]any {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]any{}
	}
	for _, k := range keys {
		delete(m, k)
	}
	return m
}

// Lines splits s after each line end, like Python's splitlines(True), which recognizes other line ends besides
// the newline.
func Lines(s string) []any {
	lines := []any{}
	start := 0
	for i, r := range s {
		if i < start {
			continue // the newline of a \r\n
		}
		end := 0
		switch r {
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e:
			end = i + 1
		case '\r':
			end = i + 1
			if strings.HasPrefix(s[end:], "\n") {
				end++
			}
		case 0x85:
			end = i + 2
		case 0x2028, 0x2029:
			end = i + 3
		default:
			continue
		}
		lines = append(lines, s[start:end])
		start = end
	}
	if start < len(s) {
		lines = append(lines, s[start:])
	}
	return lines
}
