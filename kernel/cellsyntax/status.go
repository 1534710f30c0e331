package cellsyntax

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"
)

// Status says, in the words of the Jupyter protocol, whether a front end
// should run src or wait for another line: "complete", "incomplete" or
// "invalid". For "incomplete" the indent is what the next line begins with.
func Status(src string) (status, indent string) {
	toks, fault := scan(src)
	if fault != nil {
		if strings.Contains(fault.Msg, "comment not terminated") || strings.Contains(fault.Msg, "raw string literal not terminated") {
			// Inside a raw string or a comment nothing may be added to the line.
			return "incomplete", ""
		}
		return "invalid", ""
	}
	var open []token.Token
	for _, t := range toks {
		switch t.tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, t.tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || closer(open[len(open)-1]) != t.tok {
				return "invalid", ""
			}
			open = open[:len(open)-1]
		case token.ILLEGAL:
			return "invalid", ""
		}
	}
	if len(open) > 0 {
		return "incomplete", nextIndent(src, toks)
	}
	if n := len(toks); n > 0 && toks[n-1].tok != token.SEMICOLON {
		// The scanner ends a line that could end a statement with a
		// semicolon; this one ends with an operator or the like.
		return "incomplete", nextIndent(src, toks)
	}
	tree, err := Parse(token.NewFileSet(), "cell", src)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok && atEnd(list[0], src) {
			return "incomplete", nextIndent(src, toks)
		}
		return "invalid", ""
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
			return "incomplete", nextIndent(src, toks)
		}
	}
	return "complete", ""
}

func closer(open token.Token) token.Token {
	switch open {
	case token.LPAREN:
		return token.RPAREN
	case token.LBRACK:
		return token.RBRACK
	}
	return token.RBRACE
}

// atEnd tells whether a parser's fault is that the text ends: it lies on the
// last line that has a token, and asks for a block.
func atEnd(e *scanner.Error, src string) bool {
	lastLine := 1 + strings.Count(strings.TrimRight(src, " \t\r\n"), "\n")
	if e.Pos.Line < lastLine {
		return false
	}
	return strings.Contains(e.Msg, "expected '{'") || strings.Contains(e.Msg, "missing") && strings.Contains(e.Msg, "block") ||
		strings.Contains(e.Msg, "found newline") || strings.Contains(e.Msg, "found 'EOF'") ||
		strings.Contains(e.Msg, "expected for loop condition") || strings.Contains(e.Msg, "expected switch expression") ||
		strings.Contains(e.Msg, "found the end of the cell")
}

// nextIndent is the indentation of the last line that has a token, one tab
// deeper if that line opens a bracket.
func nextIndent(src string, toks []lexeme) string {
	if len(toks) == 0 {
		return ""
	}
	last := toks[len(toks)-1]
	for i := len(toks) - 1; i > 0 && last.tok == token.SEMICOLON; i-- {
		last = toks[i-1]
	}
	line := src[strings.LastIndexByte(src[:last.off], '\n')+1:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch last.tok {
	case token.LBRACE, token.LPAREN, token.LBRACK, token.COLON:
		indent += "\t"
	}
	return indent
}
