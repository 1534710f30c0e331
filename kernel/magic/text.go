package magic

import (
	"go/scanner"
	"go/token"
)

// A Text is the source of a cell with its tokens. The source is scanned once, when the cell arrives, and the
// Text is passed to all code that examines the cell.
type Text struct {
	Source string
	// Tokens are the Go tokens of the source. They include tokens scanned from commands, which may not be Go.
	Tokens []Token
	// Fault is the scanner's first error, or nil.
	Fault *scanner.Error
}

// A Token is a Go token with its position in the source.
type Token struct {
	Tok  token.Token
	Lit  string
	Off  int // offset of the first byte
	End  int // offset after the last byte; equals Off for a semicolon that the scanner inserted
	Auto bool
}

// Read scans the source of a cell.
func Read(src string) *Text {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	t := &Text{Source: src}
	var s scanner.Scanner
	s.Init(file, []byte(src), func(pos token.Position, msg string) {
		if t.Fault == nil {
			t.Fault = &scanner.Error{Pos: pos, Msg: msg}
		}
	}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return t
		}
		l := Token{Tok: tok, Lit: lit, Off: file.Offset(pos)}
		switch {
		case tok == token.SEMICOLON && lit != ";":
			l.End, l.Auto = l.Off, true
		case lit != "":
			l.End = l.Off + len(lit)
		default:
			l.End = l.Off + len(tok.String())
		}
		l.End = min(l.End, len(src))
		if n := len(t.Tokens); n > 0 {
			// For a byte that is not UTF-8, the literal is longer than the source.
			t.Tokens[n-1].End = min(t.Tokens[n-1].End, l.Off)
		}
		t.Tokens = append(t.Tokens, l)
	}
}

// Mentions reports whether a cell uses a name, and whether the cell declares it. A name after a period does not count;
// it is the name of a field, method or package member.
func (t *Text) Mentions(name string) (used, declared bool) {
	before, was := token.SEMICOLON, false // was: the previous token is the name
	for _, x := range t.Tokens {
		declared = declared || was && x.Tok == token.DEFINE
		was = x.Tok == token.IDENT && x.Lit == name && before != token.PERIOD
		if was {
			switch before {
			case token.FUNC, token.VAR, token.TYPE, token.CONST, token.IMPORT:
				declared = true
			default:
				used = true
			}
		}
		before = x.Tok
	}
	return used, declared
}

// EndsInCall reports whether the cell's last token is a closing parenthesis.
func (t *Text) EndsInCall() bool {
	for i := len(t.Tokens) - 1; i >= 0; i-- {
		if t.Tokens[i].Tok != token.SEMICOLON {
			return t.Tokens[i].Tok == token.RPAREN
		}
	}
	return false
}
