package mathml

import (
	"strings"
	"unicode/utf8"
)

// A scanner splits the source into tokens. A token is a command with its backslash, a number, any other single
// character, or "" at the end. Blanks are skipped; only \text, which reads the source directly, keeps them.
type scanner struct {
	src string
	pos int
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// blanks skips white space and comments.
func (s *scanner) blanks() {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.pos++
		case c == '%':
			if end := strings.IndexByte(s.src[s.pos:], '\n'); end >= 0 {
				s.pos += end + 1
			} else {
				s.pos = len(s.src)
			}
		default:
			return
		}
	}
}

// peek returns the next token without consuming it.
func (s *scanner) peek() string {
	old := s.pos
	t := s.next()
	s.pos = old
	return t
}

// next consumes and returns the next token.
func (s *scanner) next() string {
	s.blanks()
	if s.pos >= len(s.src) {
		return ""
	}
	start := s.pos
	switch c := s.src[s.pos]; {
	case c == '\\':
		s.pos++
		if s.pos == len(s.src) {
			return `\`
		}
		if c := s.src[s.pos]; c == '\n' || c == '\r' || c == '\t' {
			s.pos++
			return `\ ` // TeX treats all these characters as blanks
		}
		if !isLetter(s.src[s.pos]) {
			_, n := utf8.DecodeRuneInString(s.src[s.pos:])
			s.pos += n
			break
		}
		for s.pos < len(s.src) && isLetter(s.src[s.pos]) {
			s.pos++
		}
	case isDigit(c):
		for s.pos < len(s.src) && (isDigit(s.src[s.pos]) ||
			s.src[s.pos] == '.' && s.pos+1 < len(s.src) && isDigit(s.src[s.pos+1])) {
			s.pos++
		}
	default:
		_, n := utf8.DecodeRuneInString(s.src[s.pos:])
		s.pos += n
	}
	return s.src[start:s.pos]
}

// oneDigit consumes and returns one digit, or returns false if no digit comes next. It does not read the whole number,
// because in \frac12 and x^12 only the 1 is the argument.
func (s *scanner) oneDigit() (string, bool) {
	s.blanks()
	if s.pos < len(s.src) && isDigit(s.src[s.pos]) {
		s.pos++
		return s.src[s.pos-1 : s.pos], true
	}
	return "", false
}

// braced consumes {…} and returns the source between the braces. If no { comes next, or the brace is never closed, it
// returns false.
func (s *scanner) braced() (string, bool) {
	s.blanks()
	if s.pos >= len(s.src) || s.src[s.pos] != '{' {
		return "", false
	}
	depth := 0
	for i := s.pos; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				text := s.src[s.pos+1 : i]
				s.pos = i + 1
				return text, true
			}
		}
	}
	return "", false
}

// bracketed consumes […] and returns the source between the brackets. If no [ comes next, or the bracket is never
// closed, it returns false.
func (s *scanner) bracketed() (string, bool) {
	s.blanks()
	if s.pos >= len(s.src) || s.src[s.pos] != '[' {
		return "", false
	}
	depth := 0
	for i := s.pos + 1; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ']':
			if depth == 0 {
				text := s.src[s.pos+1 : i]
				s.pos = i + 1
				return text, true
			}
		}
	}
	return "", false
}
