package cellsyntax

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"

	"overcomplete/kernel/magic"
)

// Status returns the status of src for a Jupyter is_complete_reply: "complete", "incomplete" or "invalid". The
// reply tells a front end whether to run src or to wait for another line. For "incomplete", indent is the
// indentation of the next line.
func Status(src string) (status, indent string) {
	if c, ok := magic.Whole(src); ok && strings.TrimSpace(c.Body) == "" {
		return "incomplete", "" // the command needs the rest of its cell
	}
	src = magic.Blank(src, nil) // the command is complete, but the Go code after it may not be
	text := magic.Read(src)
	toks, fault := text.Tokens, text.Fault
	if fault != nil {
		if strings.Contains(fault.Msg, "comment not terminated") || strings.Contains(fault.Msg, "raw string literal not terminated") {
			// Inside a raw string or a comment, an indent would become part of
			// the text.
			return "incomplete", ""
		}
		return "invalid", ""
	}
	var open []token.Token
	for _, t := range toks {
		switch t.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, t.Tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || closer(open[len(open)-1]) != t.Tok {
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
	if n := len(toks); n > 0 && toks[n-1].Tok != token.SEMICOLON {
		// The scanner inserts a semicolon after a line that can end a statement. It inserted none here, so the
		// line ends with an operator or the like.
		return "incomplete", nextIndent(src, toks)
	}
	tree, err := ParseText(token.NewFileSet(), "cell", text)
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

// atEnd reports whether the parser failed because the text ends too early: whether e is on the last line of src or
// later, and its message says that something is missing.
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

// nextIndent returns the indentation for the next line, as gofmt would indent it. It is the indentation of the last
// line that has a token, plus one tab if that line opens more brackets than it closes, ends with a colon, or begins a
// statement that continues on the next line.
func nextIndent(src string, toks []lexeme) string {
	n := len(toks)
	for n > 1 && toks[n-1].Tok == token.SEMICOLON {
		n--
	}
	if n == 0 {
		return ""
	}
	last := toks[n-1]
	start := strings.LastIndexByte(src[:last.Off], '\n') + 1
	first, net, open := n, 0, 0
	for i, t := range toks[:n] {
		step := 0
		switch t.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			step = 1
		case token.RPAREN, token.RBRACK, token.RBRACE:
			step = -1
		}
		open += step
		if t.Off >= start {
			first = min(first, i)
			net += step
		}
	}
	line := src[start:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	switch {
	case net > 0 || opens(last.Tok) || last.Tok == token.COLON:
		return indent + "\t"
	case n < len(toks) || last.Tok.IsKeyword() || last.Tok == token.COMMA && open > 0:
		return indent // the line could end a statement, needs a block, or is an element of a list
	case first == 0 || begins(toks[first-1].Tok):
		return indent + "\t"
	}
	return indent
}

func opens(t token.Token) bool {
	return t == token.LPAREN || t == token.LBRACK || t == token.LBRACE
}

// begins reports whether a statement can begin after t.
func begins(t token.Token) bool {
	switch t {
	case token.SEMICOLON, token.COLON:
		return true
	}
	return opens(t)
}
