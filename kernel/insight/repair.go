package insight

import (
	"go/token"
	"strings"
)

// closing returns the text to append to src so that an unfinished statement or declaration parses: closing
// brackets, the block of an if, the colon of a case. It assumes that src ends with an operand.
//
//	for _, x := range f(a[i        ])  {}
//	switch x { case y              :   }
//	go func() { x                  }   ()
func closing(src string) string {
	levels := []level{{}}
	var last token.Token // before the current token
	toks := lex(src, true)
	if n := len(toks); n > 0 && toks[n-1].tok == token.SEMICOLON && toks[n-1].lit != ";" {
		toks = toks[:n-1] // the end of src does not end the statement
	}
	for _, t := range toks {
		if t.tok == token.COMMENT {
			continue
		}
		top := &levels[len(levels)-1]
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			l := level{open: t.tok}
			switch t.tok {
			case token.LBRACK:
				// This is true for [3]T, []T and map[K]V, but not for a[3].
				l.ofType = !endsOperand(last) || last == token.MAP
			case token.LBRACE:
				l.composite = top.typeRun
				if top.header && !top.typeRun && last != token.STRUCT && last != token.INTERFACE && top.funcs == 0 {
					top.header = false
				} else if top.funcs > 0 {
					top.funcs--
				}
				top.brace = true
			case token.LPAREN:
				top.paren = true
			}
			top.typeRun = false
			top.begun = true
			levels = append(levels, l)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(levels) == 1 {
				break
			}
			closed := *top
			levels = levels[:len(levels)-1]
			top = &levels[len(levels)-1]
			top.typeRun = closed.ofType
		case token.SEMICOLON:
			if top.header && t.lit == ";" {
				top.semis++
				break
			}
			top.reset()
		default:
			if !top.begun {
				top.first = t.tok
			}
			switch t.tok {
			case token.IF, token.FOR, token.SWITCH, token.SELECT:
				if !top.begun || last == token.ELSE {
					top.header, top.semis, top.word, top.sets = true, 0, t.tok, false
				}
			case token.DEFINE, token.ASSIGN:
				top.sets = true
			case token.RANGE:
				top.sets = false
			case token.FUNC:
				if top.header {
					top.funcs++
				}
			case token.COLON:
				if top.first == token.CASE || top.first == token.DEFAULT {
					top.reset()
					last = t.tok
					continue
				}
				if last == token.IDENT && top.words == 1 && top.open != token.LBRACK && !top.composite {
					top.reset() // the statement so far was a label
					last = t.tok
					continue
				}
			}
			top.words++
			top.begun = true
			switch t.tok {
			case token.IDENT, token.PERIOD, token.MUL:
			default:
				top.typeRun = false
			}
		}
		last = t.tok
	}
	var b strings.Builder
	for i := len(levels) - 1; i >= 0; i-- {
		l := levels[i]
		switch {
		case l.header:
			b.WriteString(l.restOfHeader())
		case l.first == token.CASE:
			b.WriteByte(':')
		case (l.first == token.GO || l.first == token.DEFER) && !strings.HasSuffix(b.String(), ")"):
			b.WriteString("()")
		case l.first == token.FUNC && !l.paren && !l.brace:
			b.WriteString("()")
		}
		switch l.open {
		case token.LPAREN:
			b.WriteByte(')')
		case token.LBRACE:
			b.WriteByte('}')
		case token.LBRACK:
			b.WriteByte(']')
			if l.ofType {
				b.WriteString("int")
			}
		}
	}
	return b.String()
}

// A level describes the current statement inside one open bracket.
type level struct {
	open      token.Token // the bracket; ILLEGAL at the top level
	composite bool        // a brace of a composite literal, after a type such as []T
	ofType    bool        // a bracket that begins a type, as in []T
	typeRun   bool        // the last tokens form a type that began with a bracket

	begun        bool
	first        token.Token // first token of the statement
	words        int         // number of tokens in the statement, without brackets and their contents
	header       bool        // in the header of an if, for, switch or select statement
	word         token.Token // the header's keyword
	sets         bool        // the header has an assignment without range
	semis        int         // number of semicolons in the header
	funcs        int         // function literals in the header that still lack their bodies
	paren, brace bool        // the statement has contained a parenthesis, or a brace
}

// restOfHeader returns the missing part of an if, for, switch or select statement, including its block.
func (l *level) restOfHeader() string {
	switch {
	case l.word == token.IF && l.sets && l.semis == 0:
		return ";true{}"
	case l.word == token.SWITCH && l.sets && l.semis == 0:
		return ";{}"
	case l.word == token.FOR && l.sets && l.semis == 0:
		return ";;{}"
	case l.word == token.FOR && l.semis == 1:
		return ";{}"
	}
	return "{}"
}

func (l *level) reset() {
	*l = level{open: l.open, composite: l.composite, ofType: l.ofType}
}

// endsOperand reports whether t ends an operand, so that a bracket after t is an index.
func endsOperand(t token.Token) bool {
	switch t {
	case token.IDENT, token.RPAREN, token.RBRACK, token.RBRACE, token.STRING:
		return true
	}
	return false
}
