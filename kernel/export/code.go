package export

import (
	"go/scanner"
	"go/token"
	"html"
	"strings"
	"unicode/utf8"

	"overcomplete/kernel/magic"
)

func decode(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// predeclared maps Go's predeclared names to their CSS classes.
var predeclared = map[string]string{}

func init() {
	for class, names := range map[string]string{
		"t": "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
		"b": "append cap clear close complex copy delete imag len make max min new panic print println real recover",
		"l": "true false iota nil",
	} {
		for _, n := range strings.Fields(names) {
			predeclared[n] = class
		}
	}
}

// GoHTML returns Go source as HTML, colored by spans of these classes: k keyword, t predeclared type, b
// predeclared function, l literal such as nil, f called function, s string, n number, c comment. No span
// crosses a line end, so each line of the result is a line of the source and can be used alone. GoHTML also
// accepts invalid Go.
func GoHTML(source string) string {
	var b strings.Builder
	goHTML(&b, source)
	return b.String()
}

// codeHTML returns a cell's source as HTML, with the Go code colored as in GoHTML. Commands are in spans of class m.
func codeHTML(source string) string {
	var b strings.Builder
	for i, piece := range magics(source) {
		if i%2 == 1 {
			span(&b, "m", piece)
		} else {
			goHTML(&b, piece)
		}
	}
	return b.String()
}

// magics splits a cell's source into pieces. The pieces with odd indices are commands, the others are Go.
func magics(source string) []string {
	pieces, from := []string{""}, 0
	rest := magic.Blank(source, nil) // as long as source
	for i := 0; i < len(source); i++ {
		if rest[i] == source[i] {
			continue
		}
		end := i + 1
		for k := end; k < len(source) && strings.IndexByte(" \t\r\n", rest[k]) >= 0; k++ {
			if rest[k] != source[k] {
				end = k + 1
			}
		}
		pieces = append(pieces, source[i:end], "")
		pieces[len(pieces)-3] = source[from:i]
		from, i = end, end-1
	}
	pieces[len(pieces)-1] = source[from:]
	return pieces
}

// span writes text in span elements of the given class, one element for each line.
func span(b *strings.Builder, class, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if line != "" {
			b.WriteString(`<span class="` + class + `">` + html.EscapeString(line) + "</span>")
		}
	}
}

func goHTML(b *strings.Builder, source string) {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(source))
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	done := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // inserted by the scanner
		}
		at := file.Offset(pos)
		if at < done || at > len(source) {
			continue
		}
		text := lit
		if text == "" {
			text = tok.String()
		}
		// For a comment or raw string with \r\n, lit is shorter than the source.
		end := at + len(text)
		if end > len(source) || source[at:end] != text {
			end = at + extent(source[at:], tok)
		}
		text = source[at:end]
		b.WriteString(html.EscapeString(source[done:at]))
		done = end
		switch {
		case tok.IsKeyword():
			span(b, "k", text)
		case tok == token.COMMENT:
			span(b, "c", text)
		case tok == token.STRING || tok == token.CHAR:
			span(b, "s", text)
		case tok.IsLiteral() && tok != token.IDENT:
			span(b, "n", text)
		case tok == token.IDENT && predeclared[text] != "":
			span(b, predeclared[text], text)
		case tok == token.IDENT && strings.HasPrefix(source[end:], "("):
			span(b, "f", text)
		default:
			b.WriteString(html.EscapeString(text))
		}
	}
	b.WriteString(html.EscapeString(source[done:]))
}

// extent returns the length of the comment or raw string at the start of s, which is source code. The scanner's
// literal may be shorter, because the scanner drops carriage returns.
func extent(s string, tok token.Token) int {
	end := "\n"
	switch {
	case tok == token.STRING && strings.HasPrefix(s, "`"):
		end = "`"
	case tok == token.COMMENT && strings.HasPrefix(s, "/*"):
		end = "*/"
	}
	if len(s) == 0 {
		return 0
	}
	i := strings.Index(s[1:], end)
	switch {
	case i < 0:
		return len(s)
	case end == "\n":
		return 1 + i
	}
	return min(1+i+len(end), len(s))
}
