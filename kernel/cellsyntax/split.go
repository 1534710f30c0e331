package cellsyntax

import (
	"fmt"
	"go/token"

	"overcomplete/kernel/magic"
)

// A Kind is the kind of a chunk.
type Kind int

// The kinds of chunk.
const (
	Stmt    Kind = iota // a statement, including var declarations
	Import              // an import declaration
	Decl                // a const, type, func or method declaration
	Package             // a package clause, which is allowed but has no effect
)

// A Chunk is one top-level piece of a cell: src[Start:End].
type Chunk struct {
	Kind       Kind
	Start, End int
}

type lexeme = magic.Token

// Split splits src into its top-level chunks: statements, declarations, imports, package clauses. It ignores scanner
// errors, such as an unterminated string, because the parser describes them better.
func Split(src string) []Chunk { return split(magic.Read(src).Tokens) }

func split(toks []lexeme) []Chunk {
	var chunks []Chunk
	for i := 0; i < len(toks); {
		if toks[i].Tok == token.SEMICOLON {
			i++
			continue
		}
		j := chunkEnd(toks, i)
		chunks = append(chunks, Chunk{Kind: kindOf(toks[i:j]), Start: toks[i].Off, End: toks[j-1].End})
		i = j
	}
	return chunks
}

// MayLackBody reports whether a cell may declare a function without a body. It examines only the tokens.
func MayLackBody(text *magic.Text) bool {
	toks := text.Tokens
	for i := 0; i < len(toks); {
		if toks[i].Tok == token.SEMICOLON {
			i++
			continue
		}
		j := chunkEnd(toks, i)
		if toks[i].Tok == token.FUNC && kindOf(toks[i:j]) == Decl {
			if toks[j-1].Tok != token.RBRACE {
				return true
			}
			if open := opening(toks, j-1); open < i || typeBrace(toks, open) { // the result type may be struct{}
				return true
			}
		}
		i = j
	}
	return false
}

// opening returns the index of the brace or bracket that matches the closing } or ] at i, or -1 if there is none.
func opening(toks []lexeme, i int) int {
	shut, open := toks[i].Tok, token.LBRACE
	if shut == token.RBRACK {
		open = token.LBRACK
	}
	depth := 0
	for ; i >= 0; i-- {
		switch toks[i].Tok {
		case shut:
			depth++
		case open:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// chunkEnd returns the index of the semicolon that ends the chunk beginning at toks[i], or len(toks). It ignores
// semicolons inside brackets and in the header of an if, for or switch.
func chunkEnd(toks []lexeme, i int) int {
	depth := 0
	header := false // between if, for or switch and the opening brace of the body
	funcs := 0      // func keywords in a header that still lack their bodies
	start := true   // at the first token, or after a label or else
	for j := i; j < len(toks); j++ {
		t := toks[j]
		switch t.Tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.LBRACE:
			if header && depth == 0 && !typeBrace(toks, j) && !literalBrace(toks, j) {
				if funcs > 0 {
					funcs--
				} else {
					header = false
				}
			}
			depth++
		case token.FUNC:
			if header && depth == 0 {
				funcs++
			}
		case token.IF, token.FOR, token.SWITCH:
			if start && depth == 0 {
				header = true
			}
		case token.SEMICOLON:
			if depth <= 0 && !(header && !t.Auto) {
				return j
			}
		}
		start = t.Tok == token.ELSE || t.Tok == token.COLON && depth == 0 && j == i+1
	}
	return len(toks)
}

// typeBrace reports whether the brace at j opens struct{} or interface{}.
func typeBrace(toks []lexeme, j int) bool {
	return j > 0 && (toks[j-1].Tok == token.STRUCT || toks[j-1].Tok == token.INTERFACE)
}

// literalBrace reports whether the brace at j, in the header of an if, for or switch, opens a composite literal of a
// type that begins with a bracket, map or struct. (A literal of another type must be in parentheses there.)
func literalBrace(toks []lexeme, j int) bool {
	k := j - 1
	if k >= 0 && toks[k].Tok == token.RBRACK { // type arguments, or an index
		k = opening(toks, k) - 1
	}
	switch {
	case k < 0:
		return false
	case toks[k].Tok == token.IDENT:
		if k--; k > 0 && toks[k].Tok == token.PERIOD && toks[k-1].Tok == token.IDENT {
			k -= 2
		}
	case toks[k].Tok == token.RBRACE:
		open := opening(toks, k)
		if open < 1 || !typeBrace(toks, open) {
			return false
		}
		if k = open - 2; toks[open-1].Tok == token.STRUCT {
			return true
		}
	default:
		return false
	}
	for k >= 0 && (toks[k].Tok == token.MUL || toks[k].Tok == token.CHAN || toks[k].Tok == token.ARROW) {
		k--
	}
	return k >= 0 && toks[k].Tok == token.RBRACK
}

func kindOf(toks []lexeme) Kind {
	switch toks[0].Tok {
	case token.PACKAGE:
		return Package
	case token.IMPORT:
		return Import
	case token.CONST, token.TYPE:
		return Decl
	case token.FUNC:
		if isFuncDecl(toks) {
			return Decl
		}
	}
	return Stmt
}

// isFuncDecl reports whether toks, which begin with func, declare a function or method (func f() {} or func (r T) m()
// {}). If not, they are a statement that begins with a function literal.
func isFuncDecl(toks []lexeme) bool {
	if len(toks) < 2 {
		return false
	}
	if toks[1].Tok == token.IDENT {
		return true
	}
	if toks[1].Tok != token.LPAREN {
		return false
	}
	j := closing(toks, 1) + 1 // after the receiver of a method, or the parameters of a literal
	if j >= len(toks) || toks[j].Tok != token.IDENT {
		return false
	}
	// A generic method (Go 1.27) has type parameters before its parameters. A literal that
	// returns an instance of a generic type has type arguments before its body.
	if j++; j < len(toks) && toks[j].Tok == token.LBRACK {
		j = closing(toks, j) + 1
	}
	return j < len(toks) && toks[j].Tok == token.LPAREN
}

// closing returns the index of the bracket that matches the opening bracket ( or [ at i, or len(toks) if there
// is none.
func closing(toks []lexeme, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i].Tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// blank overwrites b[start:end] with spaces, keeping line ends.
func blank(b []byte, start, end int) {
	for i := start; i < end; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// lineDirective returns a /*line*/ comment. The parser then reports the text after the comment as being at the given
// line and column of a file. name is the file's name. Line and column count from 1.
func lineDirective(name string, line, column int) string {
	return fmt.Sprintf("/*line %s:%d:%d*/", name, line, column)
}

// A Segment is a chunk with the comments above it and the comment after it on its last line.
type Segment struct {
	Chunk
	From, To int // bounds of the segment in the source
}

// Segments splits src into segments without gaps. Text after the last chunk belongs to the last segment; a
// source without chunks has no segments.
func Segments(src string) (list []Segment) {
	chunks := Split(src)
	from := 0
	for i, c := range chunks {
		to := len(src)
		if i+1 < len(chunks) {
			to = endOfLastLine(src, c.End, chunks[i+1].Start)
		}
		list = append(list, Segment{c, from, to})
		from = to
	}
	return list
}
