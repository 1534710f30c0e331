package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Request is the content of a history_request.
type Request struct {
	Output  bool   `json:"output"`
	Type    string `json:"hist_access_type"` // "range", "tail" or "search"
	Session int    `json:"session"`          // range: 0 for this session, -1 for the previous one, or a session's number
	Start   int    `json:"start"`            // range: first line
	Stop    *int   `json:"stop"`             // range: the line after the last one; nil for all lines
	N       *int   `json:"n"`                // tail, search: the maximum number of latest entries; nil for all
	Pattern string `json:"pattern"`          // search: a glob that must match the whole cell
	Unique  bool   `json:"unique"`           // search: keep only the latest of several equal cells
}

// Answer returns the list for a history_reply, from the content of the request. The list's elements are [session, line,
// input] or, if the request asks for output, [session, line, [input, output]].
func (h *History) Answer(content json.RawMessage) ([][]any, error) {
	var r Request
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("malformed history_request: %w", err)
	}
	entries, err := h.Find(r)
	if err != nil {
		return nil, err
	}
	list := make([][]any, len(entries))
	for i, e := range entries {
		var in any = e.Source
		if r.Output {
			var out any // null if there is no output
			if e.Output != "" {
				out = e.Output
			}
			in = []any{e.Source, out}
		}
		list[i] = []any{e.Session, e.Line, in}
	}
	return list, nil
}

// Find returns the entries that match r, oldest first.
func (h *History) Find(r Request) ([]Entry, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch r.Type {
	case "range":
		return h.lines(r), nil
	case "tail", "":
		return last(h.all(), r.N), nil
	case "search":
		return last(search(h.all(), r.Pattern, r.Unique), r.N), nil
	}
	return nil, fmt.Errorf("history: unknown hist_access_type %q (use range, tail or search)", r.Type)
}

func (h *History) lines(r Request) []Entry {
	all := h.own
	switch {
	case r.Session < 0:
		// numbers of the earlier sessions that have not been deleted
		var numbers []int
		all = h.all()
		for _, e := range all[:len(all)-len(h.own)] {
			if n := len(numbers); n == 0 || numbers[n-1] != e.Session {
				numbers = append(numbers, e.Session)
			}
		}
		if r.Session < -len(numbers) {
			return nil
		}
		r.Session = numbers[len(numbers)+r.Session]
	case r.Session > 0:
		all = h.all()
	}
	var found []Entry
	for _, e := range all {
		if (r.Session == 0 || e.Session == r.Session) && e.Line >= r.Start && (r.Stop == nil || e.Line < *r.Stop) {
			found = append(found, e)
		}
	}
	return found
}

// last returns the last n entries, or all entries if n is nil.
func last(list []Entry, n *int) []Entry {
	if n == nil || *n >= len(list) {
		return list
	}
	return list[len(list)-max(0, *n):]
}

func search(all []Entry, pattern string, unique bool) []Entry {
	if pattern == "" {
		pattern = "*"
	}
	var found []Entry
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if !glob(pattern, e.Source) || unique && seen[e.Source] {
			continue
		}
		seen[e.Source] = true
		found = append(found, e)
	}
	slices.Reverse(found)
	return found
}

// glob reports whether the pattern matches the whole of s. In a pattern, * matches any text, ? one rune, and [abc],
// [a-z] and [^a] one rune of a set; any other rune matches itself. Unlike in path.Match, * also matches slashes. glob
// takes at most len(pattern)·len(s) steps.
func glob(pattern, s string) bool {
	star, resume := -1, 0 // where to continue if the text after the last * does not match
	p, i := 0, 0
	for i < len(s) {
		_, width := utf8.DecodeRuneInString(s[i:])
		if p < len(pattern) && pattern[p] == '*' {
			star, resume = p, i
			p++
			continue
		}
		if n, ok := one(pattern[p:], s[i:i+width]); ok {
			p += n
			i += width
			continue
		}
		if star < 0 {
			return false
		}
		_, width = utf8.DecodeRuneInString(s[resume:])
		resume += width
		p, i = star+1, resume
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one returns the length n of the first element of a pattern. ok reports whether this element matches s, which is one
// rune.
func one(pattern, s string) (n int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		// A ] at the start belongs to the set. A bracket that is not closed matches itself.
		set := strings.TrimPrefix(pattern[1:], "^")
		negated := len(set) < len(pattern)-1
		if set == "" {
			break
		}
		end := strings.IndexByte(set[1:], ']')
		if end < 0 {
			break
		}
		set = set[:end+1]
		n := 1 + len(set) + 1 // including the brackets
		if negated {
			n++
		}
		return n, inSet([]rune(set), []rune(s)[0]) != negated
	}
	_, width := utf8.DecodeRuneInString(pattern)
	return width, pattern[:width] == s
}

func inSet(set []rune, r rune) bool {
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			if set[i] <= r && r <= set[i+2] {
				return true
			}
			i += 2
		} else if set[i] == r {
			return true
		}
	}
	return false
}
