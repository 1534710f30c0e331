package insight

import (
	"go/scanner"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"overcomplete/kernel/magic"
)

// A lexeme is a token with its position: src[off:end].
type lexeme struct {
	tok      token.Token
	lit      string
	off, end int
}

// lex returns the tokens of src, including comments. If auto is false, lex leaves out the semicolons that the scanner
// inserts at line ends.
func lex(src string, auto bool) []lexeme {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	var toks []lexeme
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return toks
		}
		l := lexeme{tok: tok, lit: lit, off: file.Offset(pos)}
		l.end = l.off + len(lit)
		switch {
		case tok == token.SEMICOLON && lit != ";":
			if !auto {
				continue
			}
			l.end = l.off
		case lit == "":
			l.end = l.off + len(tok.String())
		}
		l.end = min(l.end, len(src))
		if n := len(toks); n > 0 {
			toks[n-1].end = min(toks[n-1].end, l.off)
		}
		toks = append(toks, l)
	}
}

// A place is the kind of text around the cursor.
type place int

const (
	inCode   place = iota
	inText         // a comment, string or number, where no names are completed
	inImport       // the path of an import
)

// A spot describes the position of the cursor, as far as the tokens determine it.
type spot struct {
	place place
	// start and end delimit the identifier or keyword at the cursor, or the import path without quotes. If there is
	// neither, start and end equal the cursor.
	start, end int
	// selector is set if a period precedes the offset start.
	selector bool
}

func spotAt(src string, cursor int) spot {
	s := spot{start: cursor, end: cursor}
	toks := lex(src, true)
	importing, group := false, false // between import and the end of its declaration
	var last lexeme
	for _, t := range toks {
		if t.off > cursor {
			break
		}
		switch t.tok {
		case token.IMPORT:
			importing = true
		case token.LPAREN:
			group = importing
		case token.RPAREN:
			if group {
				importing, group = false, false
			}
		case token.SEMICOLON:
			importing = importing && group
		case token.STRING:
			if open := openString(t); t.off < cursor && (cursor < t.end || cursor == t.end && open) {
				if importing {
					s.place, s.start, s.end = inImport, t.off+1, t.end
					if !open {
						s.end--
					}
					return s
				}
				s.place = inText
				return s
			}
		case token.CHAR, token.INT, token.FLOAT, token.IMAG:
			if t.off < cursor && (cursor < t.end || cursor == t.end && t.tok != token.CHAR) {
				s.place = inText
				return s
			}
		case token.COMMENT:
			open := strings.HasPrefix(t.lit, "//") || !strings.HasSuffix(t.lit, "*/")
			if t.off < cursor && (cursor < t.end || cursor == t.end && open) {
				s.place = inText
				return s
			}
		}
		if (t.tok == token.IDENT || t.tok.IsKeyword()) && t.off <= cursor && cursor <= t.end {
			s.start, s.end = t.off, t.end
			s.selector = last.tok == token.PERIOD
			return s
		}
		if t.tok != token.SEMICOLON && t.tok != token.COMMENT {
			last = t
		}
	}
	s.selector = last.tok == token.PERIOD && last.end <= cursor
	return s
}

// openString reports whether t is an unclosed string literal. The text of such a literal ends at the end of the
// line, or for a raw string at the end of the source.
func openString(t lexeme) bool {
	q := t.lit[0]
	return len(t.lit) < 2 || t.lit[len(t.lit)-1] != q || q == '"' && strings.HasSuffix(t.lit, `\"`) && !strings.HasSuffix(t.lit, `\\"`)
}

// withoutMagics returns src with commands and shell lines, which are not Go, replaced by blanks.
func (in *Insight) withoutMagics(src string) string {
	kinds := in.current().kinds
	return magic.Blank(src, func(name string) bool { return kinds[name] == kindVariable })
}

// rawStrings returns a function that reports whether an offset in src is inside a raw string or a multi-line
// comment.
func rawStrings(src string) func(int) bool {
	type span struct{ from, to int }
	var spans []span
	for _, t := range lex(src, false) {
		if strings.Contains(t.lit, "\n") {
			spans = append(spans, span{t.off, t.end})
		}
	}
	return func(at int) bool {
		for _, s := range spans {
			if s.from < at && at < s.to {
				return true
			}
		}
		return false
	}
}

// magicWord returns the command name at the start of a line, including its percent signs.
func magicWord(line string) string {
	for i, r := range line {
		if r != '%' && !isLetter(r) {
			return line[:i]
		}
	}
	return line
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// magicAt returns the part of a command name (such as %time) before the cursor, and the offset at which the name
// starts. ok is false if the cursor is not in or directly after a command name at the beginning of a line.
func magicAt(src string, cursor int) (word string, start int, ok bool) {
	line := strings.LastIndexByte(src[:cursor], '\n') + 1
	start = line + len(src[line:cursor]) - len(strings.TrimLeft(src[line:cursor], " \t"))
	word = src[start:cursor]
	if !strings.HasPrefix(word, "%") || magicWord(word) != word || rawStrings(src)(start) {
		return "", 0, false
	}
	return word, start, true
}

// endOfWord returns the end of the run of letters, digits and underscores that starts at a given offset.
func endOfWord(src string, from int) int {
	for from < len(src) {
		r, n := utf8.DecodeRuneInString(src[from:])
		if !isLetter(r) {
			break
		}
		from += n
	}
	return from
}
