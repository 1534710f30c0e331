package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An encoder writes JSON in the same way as Python's json.dumps with indent=1, sort_keys=True and
// ensure_ascii=False. Package encoding/json escapes more characters, and writes some of the escapes
// differently.
type encoder struct{ buf bytes.Buffer }

func (e *encoder) newline(depth int) {
	e.buf.WriteByte('\n')
	for range depth {
		e.buf.WriteByte(' ')
	}
}

func (e *encoder) value(v any, depth int) error {
	switch x := v.(type) {
	case nil:
		e.buf.WriteString("null")
	case bool:
		e.buf.WriteString(strconv.FormatBool(x))
	case string:
		e.string(x)
	case json.Number:
		e.buf.WriteString(x.String())
	case int:
		e.buf.WriteString(strconv.Itoa(x))
	case map[string]any:
		return e.object(x, depth)
	case Output:
		return e.object(x, depth)
	case []any:
		return e.list(x, depth)
	default:
		j, err := jsonValue(v)
		if err != nil {
			return err
		}
		return e.value(j, depth)
	}
	return nil
}

func (e *encoder) object(m map[string]any, depth int) error {
	if len(m) == 0 {
		e.buf.WriteString("{}")
		return nil
	}
	e.buf.WriteByte('{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		e.newline(depth + 1)
		e.string(k)
		e.buf.WriteString(": ")
		if err := e.value(m[k], depth+1); err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
	}
	e.newline(depth)
	e.buf.WriteByte('}')
	return nil
}

func (e *encoder) list(l []any, depth int) error {
	if len(l) == 0 {
		e.buf.WriteString("[]")
		return nil
	}
	e.buf.WriteByte('[')
	for i, v := range l {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		e.newline(depth + 1)
		if err := e.value(v, depth+1); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	e.newline(depth)
	e.buf.WriteByte(']')
	return nil
}

// string writes a string with the escapes that JSON requires, and replaces bytes that are not UTF-8.
func (e *encoder) string(s string) {
	e.buf.WriteByte('"')
	for i, r := range s {
		switch r {
		case '"':
			e.buf.WriteString(`\"`)
		case '\\':
			e.buf.WriteString(`\\`)
		case '\n':
			e.buf.WriteString(`\n`)
		case '\r':
			e.buf.WriteString(`\r`)
		case '\t':
			e.buf.WriteString(`\t`)
		case '\b':
			e.buf.WriteString(`\b`)
		case '\f':
			e.buf.WriteString(`\f`)
		case utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				e.buf.WriteString("\ufffd")
				continue
			}
			e.buf.WriteRune(r)
		default:
			if r < 0x20 {
				fmt.Fprintf(&e.buf, `\u%04x`, r)
			} else {
				e.buf.WriteRune(r)
			}
		}
	}
	e.buf.WriteByte('"')
}
