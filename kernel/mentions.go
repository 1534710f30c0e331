package kernel

import (
	"go/scanner"
	"go/token"
)

// endsInCall tells whether the last that a cell says is a closing parenthesis.
func endsInCall(source string) bool {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	last := token.EOF
	for {
		_, tok, _ := s.Scan()
		if tok == token.EOF {
			return last == token.RPAREN
		}
		if tok != token.SEMICOLON {
			last = tok
		}
	}
}

// mentions tells whether a cell uses a name that is not a field, a method or a
// package's member, and whether it declares it.
func mentions(source, name string) (used, declared bool) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(token.Position, string) {}, 0)
	before, was := token.SEMICOLON, false // was: the token before is the name
	for {
		_, tok, lit := s.Scan()
		declared = declared || was && tok == token.DEFINE
		if tok == token.EOF {
			return used, declared
		}
		was = tok == token.IDENT && lit == name && before != token.PERIOD
		if was {
			switch before {
			case token.FUNC, token.VAR, token.TYPE, token.CONST, token.IMPORT:
				declared = true
			default:
				used = true
			}
		}
		before = tok
	}
}
