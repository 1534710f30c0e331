package reach

import (
	"crypto/sha256"
	"encoding/hex"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// hash returns a checksum of the piece's tokens, so that comments and line breaks do not count. It
// includes everything else in the file that affects their meaning: directives, the build
// constraint, and the imports from outside the module whose names it uses.
func (p *piece) hash() string {
	if p.sum != "" {
		return p.sum
	}
	from, to := p.file.offset(p.node.Pos()), p.file.offset(p.node.End())
	text := canonical(p.keyword, p.file.src[from:to])
	text = append(text, "directives")
	text = append(text, p.directives...)
	text = append(text, "build "+p.file.constraint, "imports")
	text = append(text, slices.Sorted(slices.Values(p.all.outside))...)
	p.sum = digest(text...)
	return p.sum
}

// digest returns the first 16 hexadecimal digits of the SHA-256 of some words.
func digest(words ...string) string {
	h := sha256.New()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0}) // a byte that Go source cannot contain
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// canonical returns the tokens of a piece as words. Equal programs in different layouts have the
// same words: there are no comments; a line's end is a semicolon; semicolons and commas before a
// closing brace or parenthesis are dropped. (go/printer would not do: it keeps the source's line
// breaks and blank lines, even where a comment was.)
func canonical(keyword token.Token, src []byte) []string {
	words := make([]string, 0, len(src)/4)
	if keyword != token.FUNC {
		words = append(words, keyword.String()) // a specification in a group counts like a single one
	}
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", -1, len(src)), src, nil, 0)
	held := token.ILLEGAL // a comma or semicolon that the next token may make redundant
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return words
		}
		if held != token.ILLEGAL && tok != token.RBRACE && tok != token.RPAREN {
			words = append(words, held.String())
		}
		held = token.ILLEGAL
		switch {
		case tok == token.COMMA || tok == token.SEMICOLON:
			held = tok
		case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
			words = append(words, strings.ToLower(lit)) // gofmt writes 0xA for 0XA
		case tok.IsLiteral() || tok == token.ILLEGAL:
			words = append(words, lit)
		default:
			words = append(words, tok.String())
		}
	}
}
