package paired

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"

	"overcomplete/kernel/notebook"
)

// begins matches the first line of a cell: type, id, metadata.
var begins = regexp.MustCompile(`^// %%(?: \[([a-z_]+)\])?(?: id=([a-zA-Z0-9_-]{1,64}))?(?: (\{.*\}))?$`)

// isMark reports whether a line is meant to begin a cell.
func isMark(line string) bool { return line == cellMark || strings.HasPrefix(line, cellMark+" ") }

// almost matches what other programs take for the beginning of a cell, or a slip of the hand does.
var almost = regexp.MustCompile(`^//(?:%%(?: |$)|[ \t]?%%[ \t]*(?:\[|id=|\{))`)

// Doubtful returns the numbers of the lines, from 1, that look as if they were to begin a cell, and do not: they are
// comments in the cell above.
func Doubtful(b []byte) (lines []int) {
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		if line = strings.TrimRight(line, "\r\n"); almost.MatchString(line) && !isMark(line) {
			lines = append(lines, n)
		}
	}
	return lines
}

// Is reports whether b looks like a text that this package has written: nothing else should be overwritten
// by one.
func Is(b []byte) bool {
	return bytes.HasPrefix(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte(build+"\n\n"+note+"\n"))
}

// Parse reads a notebook from its text. Its cells have no outputs. Line ends may be those of Windows. The error
// names the line that is at fault, counting from 1.
func Parse(b []byte) (*notebook.Notebook, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if !utf8.Valid(b) {
		return nil, errors.New("not UTF-8")
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	p := parser{n: &notebook.Notebook{Minor: lowest, Metadata: map[string]any{}, Extra: map[string]any{}}}
	all := strings.Split(text, "\n")
	i := 0
	for ; i < len(all) && !isMark(all[i]); i++ {
		if err := p.header(all[i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	for i < len(all) {
		end := i + 1
		for end < len(all) && !isMark(all[end]) {
			end++
		}
		body := all[i:end]
		if end < len(all) && len(body) > 1 && body[len(body)-1] == "" {
			body = body[:len(body)-1] // the empty line between two cells
		}
		if at, err := p.cell(body); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+at+1, err)
		}
		i = end
	}
	// Ids are given, and values brought into the form that they have in a notebook, by writing it as one.
	file, err := p.n.Bytes()
	if err != nil {
		return nil, err
	}
	return notebook.Parse(file)
}

// A parser collects a notebook.
type parser struct{ n *notebook.Notebook }

// header reads a line above all cells.
func (p *parser) header(line string) error {
	switch {
	case strings.TrimSpace(line) == "" || line == build || line == note:
		return nil
	case strings.HasPrefix(line, headMark):
		m, err := object(line[len(headMark):])
		if err != nil {
			return err
		}
		maps.Copy(p.n.Metadata, m)
		return nil
	case strings.HasPrefix(line, headMore):
		m, err := object(line[len(headMore):])
		if err != nil {
			return err
		}
		if v, ok := m[minorField]; ok {
			num, _ := v.(json.Number)
			minor, err := num.Int64()
			if err != nil || minor < lowest || minor > 1000 {
				return fmt.Errorf("%s is not a version from %d", minorField, lowest)
			}
			p.n.Minor = int(minor)
		}
		for _, k := range []string{minorField, "nbformat", "metadata", "cells"} {
			delete(m, k)
		}
		maps.Copy(p.n.Extra, m)
		return nil
	}
	return fmt.Errorf("%q is in no cell: a line %s above it begins one", line, cellMark)
}

// cell reads the lines of a cell. The first result is the index of the line that an error is about.
func (p *parser) cell(body []string) (at int, err error) {
	m := begins.FindStringSubmatch(body[0])
	if m == nil {
		return 0, fmt.Errorf("%q: a cell begins with %s, then [markdown] or [raw], id=ID and {metadata} or some of them; in a cell, a comment that begins so has two blanks before its %%%%", body[0], cellMark)
	}
	c := &notebook.Cell{Type: notebook.Code, ID: m[2], Metadata: map[string]any{}, Extra: map[string]any{}}
	if m[1] != "" {
		c.Type = m[1]
	}
	if m[3] != "" {
		if c.Metadata, err = object(m[3]); err != nil {
			return 0, err
		}
	}
	body, at = body[1:], 1
	more := map[string]any{}
	if len(body) > 0 && strings.HasPrefix(body[0], cellMore) {
		if more, err = object(body[0][len(cellMore):]); err != nil {
			return at, err
		}
		body, at = body[1:], 2
	}
	if t, ok := more[fieldType].(string); ok && m[1] == "" {
		c.Type = t
	}
	source := make([]string, len(body))
	for i, l := range body {
		if looks.MatchString(l) && strings.HasPrefix(l, "//  ") {
			l = "//" + l[3:]
		}
		if c.Type != notebook.Code {
			text, ok := strings.CutPrefix(l, "// ")
			if l != "//" && !ok {
				return at + i, fmt.Errorf("%q: in a cell that is not code each line begins with // and a blank", l)
			}
			if l == "//" {
				text = ""
			}
			l = text
		}
		source[i] = l
	}
	c.Source = strings.Join(source, "\n")
	if s, ok := more[fieldSource].(string); ok && c.Source == "" {
		c.Source = s
	}
	if more[fieldEnd] == "\r\n" {
		c.Source = strings.ReplaceAll(c.Source, "\n", "\r\n")
	}
	if extra, ok := more[fieldExtra].(map[string]any); ok {
		c.Extra = extra
		for _, k := range []string{"cell_type", "id", "metadata", "source"} {
			delete(c.Extra, k)
		}
		if c.Type == notebook.Code {
			delete(c.Extra, "outputs")
			delete(c.Extra, "execution_count")
		}
	}
	p.n.Cells = append(p.n.Cells, c)
	return 0, nil
}

// object reads a JSON object.
func object(text string) (map[string]any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", text, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: something follows the JSON", text)
	}
	return m, nil
}
