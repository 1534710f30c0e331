package report

import (
	"go/scanner"
	"go/token"
	"html"
	"html/template"
	"strings"
)

// The predeclared names that are coloured: types, functions, and what stands for a value.
var predeclared = map[string]string{}

func init() {
	for class, names := range map[string]string{
		"t": "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
		"b": "append cap clear close complex copy delete imag len make max min new panic print println real recover",
		"l": "true false iota nil",
	} {
		for name := range strings.FieldsSeq(names) {
			predeclared[name] = class
		}
	}
}

// highlight colours Go source and cuts it into lines. The classes are those of exported
// notebooks: k keyword, t type, b predeclared function, l literal such as nil, f function
// that is called, s string, n number, c comment, o operator.
func highlight(source []byte) []template.HTML {
	var lines []template.HTML
	var line strings.Builder
	put := func(class, text string) {
		for {
			piece, rest, more := strings.Cut(text, "\n")
			if piece != "" {
				if class != "" {
					line.WriteString(`<span class="` + class + `">` + html.EscapeString(piece) + `</span>`)
				} else {
					line.WriteString(html.EscapeString(piece))
				}
			}
			if !more {
				return
			}
			lines = append(lines, template.HTML(line.String()))
			line.Reset()
			text = rest
		}
	}
	// Without carriage returns the scanner's literals are what stands in the source.
	text := strings.ReplaceAll(string(source), "\r\n", "\n")
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	done := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		if tok == token.SEMICOLON && lit != ";" || at < done {
			continue // put in by the scanner
		}
		if lit == "" {
			lit = tok.String()
		}
		end := min(at+len(lit), len(text))
		put("", text[done:at])
		put(tokenClass(tok, text[at:end], text[end:]), text[at:end])
		done = end
	}
	put("", text[done:])
	if line.Len() > 0 {
		lines = append(lines, template.HTML(line.String()))
	}
	return lines
}

func tokenClass(tok token.Token, text, after string) string {
	switch {
	case tok.IsKeyword():
		return "k"
	case tok == token.COMMENT:
		return "c"
	case tok == token.STRING || tok == token.CHAR:
		return "s"
	case tok == token.IDENT && predeclared[text] != "":
		return predeclared[text]
	case tok == token.IDENT && strings.HasPrefix(after, "("):
		return "f"
	case tok.IsLiteral() && tok != token.IDENT:
		return "n"
	}
	return ""
}
