package cellsyntax

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/scanner"
	"go/token"
	"strings"

	"overcomplete/kernel/magic"
)

// cellName is the file name in the positions that Format reports.
const cellName = "cell"

// Format gofmts a cell. It does not change commands, shell lines, or cells with a %% command that does not take Go. A
// semicolon at the end is kept too, because it suppresses the display of the last value. Spaces and line breaks at
// the end of the cell are removed.
//
// A cell that does not parse is returned unchanged, with a scanner.ErrorList or a *magic.Error with positions
// in the cell.
func Format(src string) (string, error) {
	text := magic.Read(src)
	pieces, fault := text.Pieces(nil)
	if fault != nil {
		return src, fault
	}
	var parts []string // formatted parts, without surrounding line ends
	end := 0           // end in src of the last part
	for _, p := range pieces {
		c := p.Command
		if c == nil {
			from, to := extent(p.Go)
			out, err := formatGo(p.Go[:to], from)
			if err != nil {
				return src, err
			}
			parts = append(parts, separator(src, end, from)+out)
			end = to
			continue
		}
		parts = append(parts, separator(src, end, c.Start))
		if info, _ := magic.Find(c.Name); !info.Code || !c.TakesCell() {
			parts[len(parts)-1] += src[c.Start:c.End]
			end = c.End
			continue
		}
		head := strings.TrimRight(src[c.Start:c.CodeStart], " \t\r\n")
		from, to := extent(p.Go)
		body, err := formatGo(p.Go[:to], from)
		if err != nil {
			return src, err
		}
		if from < to {
			body = separator(src, c.Start+len(head), from) + body
		}
		parts[len(parts)-1] += head + body
		end = len(src)
	}
	out := strings.Join(parts, "")
	if !takesAll(pieces) {
		out = strings.TrimRight(out, " \t\r\n")
	}
	if err := sameCell(src, out); err != nil {
		return src, err
	}
	return out, nil
}

// takesAll reports whether a cell, given by its pieces, ends with a %% command that takes text other than Go. In this
// text every byte matters.
func takesAll(pieces []magic.Piece) bool {
	c := pieces[len(pieces)-1].Command
	if c == nil || !c.TakesCell() {
		return false
	}
	info, _ := magic.Find(c.Name)
	return !info.Code
}

// extent returns the bounds of a piece's text without the white space around it.
func extent(piece string) (from, to int) {
	to = len(strings.TrimRight(piece, " \t\r\n"))
	return to - len(strings.TrimLeft(piece[:to], " \t\r\n")), to
}

// separator returns the separator to write between two parts of a cell. In src, end is the offset at which the first
// part ends, and from is the offset at which the second begins. The separator is "" if end is 0. Otherwise it is an
// empty line if src has at least one between the parts, and a line end if not.
func separator(src string, end, from int) string {
	switch n := strings.Count(src[end:from], "\n"); {
	case end == 0:
		return ""
	case n > 1:
		return "\n\n"
	}
	return "\n"
}

// formatGo formats the Go code src[from:]. It requires that src[:from] is blank. It formats declarations and
// statements separately, because no Go file may contain both at top level.
func formatGo(src string, from int) (string, error) {
	if from == len(src) {
		return "", nil
	}
	if _, err := Parse(token.NewFileSet(), cellName, src); err != nil {
		return "", err
	}
	text := magic.Read(src)
	var out strings.Builder
	begin := from
	for _, end := range append(seams(text), len(src)) {
		from, to := extent(src[:end])
		from = max(from, begin)
		from += len(src[from:to]) - len(strings.TrimLeft(src[from:to], " \t\r\n"))
		if from >= to {
			continue
		}
		part, err := gofmt(strings.ReplaceAll(src[from:to], "\r\n", "\n"))
		if err != nil {
			return "", err
		}
		if out.Len() > 0 {
			out.WriteString(separator(src, begin, from))
		}
		out.WriteString(part)
		begin = to
	}
	s := out.String()
	if endsWithSemicolon(text.Tokens) {
		s = withSemicolon(s)
	}
	return s, nil
}

// gofmt formats one of the parts into which seams splits a cell.
func gofmt(part string) (string, error) {
	// Package format decides from the beginning of a source whether it is a file, declarations or statements.
	head := "_ = 0\n\n"
	if chunks := Split(part); len(chunks) > 0 {
		switch chunks[0].Kind {
		case Package:
			return part, nil
		case Import, Decl:
			head = "package p\n\n"
		}
	} else {
		return part, nil // comments
	}
	out, err := format.Source([]byte(head + part))
	if err != nil {
		return "", fmt.Errorf("gofmt: %w", err)
	}
	return strings.Trim(strings.TrimPrefix(string(out), strings.TrimRight(head, "\n")), " \t\r\n"), nil
}

// seams returns the offsets at which to split a cell so that gofmt can format each part. A part has either statements,
// or declarations with the imports first, or a package clause. Each offset is at the end of a line. A comment on that
// line stays with the code before it, and comments on the following lines stay with the code below them.
func seams(text *magic.Text) (cuts []int) {
	chunks := split(text.Tokens)
	group := func(c Chunk) int {
		switch c.Kind {
		case Stmt:
			return 1
		case Package:
			return 2
		}
		return 3
	}
	late := false // this part has a declaration that is not an import
	for i, c := range chunks {
		if i > 0 && (group(chunks[i-1]) != group(c) || c.Kind == Package || c.Kind == Import && late) {
			cuts = append(cuts, endOfLastLine(text.Source, chunks[i-1].End, c.Start))
			late = false
		}
		late = late || c.Kind == Decl
	}
	return cuts
}

// endOfLastLine returns the end of a chunk's last line, including a comment on that line. The next chunk starts at
// src[next], possibly on the same line.
func endOfLastLine(src string, end, next int) int {
	between := src[end:next]
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(between))
	s.Init(file, []byte(between), nil, scanner.ScanComments)
	done := 0 // end of the text that belongs to the chunk
	for {
		pos, tok, lit := s.Scan()
		at := file.Offset(pos)
		if tok == token.EOF || strings.Contains(between[done:at], "\n") {
			break
		}
		if tok == token.COMMENT || lit == ";" {
			done = at + len(lit)
		}
	}
	if i := strings.IndexByte(between[done:], '\n'); i >= 0 {
		return end + done + i
	}
	return next
}

// withSemicolon adds a semicolon after the last token of src, unless src already ends with one.
func withSemicolon(src string) string {
	toks := magic.Read(src).Tokens
	for i := len(toks) - 1; i >= 0; i-- {
		if t := toks[i]; !t.Auto {
			if t.Tok == token.SEMICOLON {
				return src
			}
			return src[:t.End] + ";" + src[t.End:]
		}
	}
	return src
}

// sameCell returns an error if, to the kernel, two cells differ in more than the formatting of their Go code. It guards
// against formatting that changes what a cell does.
func sameCell(a, b string) error {
	one, two := outline(a), outline(b)
	if one != two {
		return fmt.Errorf("gofmt would change the cell's meaning, so the cell was left as it is")
	}
	return nil
}

// outline describes what the kernel sees in a cell, regardless of its formatting: commands, imports, declared names,
// kinds of statements. sameCell compares two outlines.
func outline(src string) string {
	pieces, fault := magic.Parse(src, nil)
	if fault != nil {
		return fault.Error()
	}
	var b strings.Builder
	for _, p := range pieces {
		if c := p.Command; c != nil {
			fmt.Fprintf(&b, "%s %q\n", c.Name, c.Args)
			if info, _ := magic.Find(c.Name); !info.Code {
				fmt.Fprintf(&b, "%q\n", c.Body)
			}
		}
		if strings.TrimSpace(p.Go) == "" {
			continue
		}
		tree, err := Parse(token.NewFileSet(), cellName, p.Go)
		if err != nil {
			return err.Error()
		}
		paths := map[string]bool{} // gofmt sorts imports and drops duplicates
		for _, i := range tree.Imports {
			paths[i.Path.Value] = true
		}
		fmt.Fprintln(&b, paths, tree.Silent, tree.IsProgram)
		for _, d := range tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				fmt.Fprint(&b, g.Tok, " ")
			}
			fmt.Fprintln(&b, Declared(d))
		}
		for _, s := range tree.Stmts {
			if _, empty := s.(*ast.EmptyStmt); !empty {
				fmt.Fprintf(&b, "%T\n", s)
			}
		}
	}
	return b.String()
}
