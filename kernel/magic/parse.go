package magic

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

// A Piece is a part of a cell. Each piece runs to its end before the next piece starts.
type Piece struct {
	// Command is nil for a piece of Go.
	Command *Command
	// Go is the Go source to run: a piece of the cell, or the code of a command (see Info.Code). The source
	// is at its position in the cell, and everything else is blank.
	Go string
}

// A Command is a line that begins with %, $ or !, with the lines that continue it, or a whole cell that begins with
// %% and a name.
type Command struct {
	Name string // as in List; "$" for every shell line
	// Args is the text after the name, or only the flags if the rest is Go.
	Args string
	// Body is the rest of the cell, for %% commands.
	Body string
	Line int // 1-based line of the command's first character
	Col  int
	// Start and End delimit the command in the cell. CodeStart is the offset of the command's Go code.
	Start, CodeStart, End int
}

// An Error reports a command that cannot run.
type Error struct {
	Line, Col int
	Msg       string
}

// Error returns the line and the message.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Parse scans src and splits it into pieces; see Text.Pieces.
func Parse(src string, known func(name string) bool) ([]Piece, *Error) {
	return Read(src).Pieces(known)
}

// Pieces splits a cell into pieces. A cell without a command is one piece of Go. The function isVariable, which may be
// nil, reports whether a name is a variable of the session. If x is such a variable, or a name that occurs earlier in
// the cell's Go code, !x is Go and not a shell line.
func (t *Text) Pieces(isVariable func(name string) bool) ([]Piece, *Error) {
	src := t.Source
	cmds := find(t, isVariable)
	for _, c := range cmds {
		if err := c.check(src); err != nil {
			return nil, err
		}
	}
	var pieces []Piece
	from := 0
	add := func(to int) {
		if p := only(src, from, to); strings.TrimSpace(p) != "" {
			pieces = append(pieces, Piece{Go: p})
		}
	}
	for i := range cmds {
		c := cmds[i]
		add(c.Start)
		p := Piece{Command: &c}
		if info, _ := Find(c.Name); info.Code {
			p.Go = only(src, c.CodeStart, c.End)
		}
		pieces = append(pieces, p)
		from = c.End
	}
	add(len(src))
	if pieces == nil {
		pieces = []Piece{{Go: src}}
	}
	return pieces, nil
}

// Blank returns src with everything that is not Go replaced by blanks.
func Blank(src string, known func(name string) bool) string {
	b := []byte(src)
	for _, c := range find(Read(src), known) {
		end := c.End
		if info, _ := Find(c.Name); info.Code {
			end = c.CodeStart
		}
		blank(b[c.Start:end])
	}
	return string(b)
}

// At returns the command at the cursor, if any. The cursor must be after the first character of the command,
// but not in the command's Go code and not in the body of a %% command.
func At(src string, cursor int, known func(name string) bool) (Command, bool) {
	for _, c := range find(Read(src), known) {
		end := c.End
		if info, _ := Find(c.Name); info.Code {
			end = c.CodeStart
		}
		if c.TakesCell() {
			end = c.Start + len(line(src[c.Start:]))
		}
		if c.Start < cursor && cursor <= end {
			return c, true
		}
	}
	return Command{}, false
}

// Whole returns the %% command that takes the whole cell, if there is one.
func Whole(src string) (*Command, bool) {
	if cmds := find(Read(src), nil); len(cmds) == 1 && cmds[0].TakesCell() {
		return &cmds[0], true
	}
	return nil, false
}

// Formats reports whether a cell begins with the command %fmt, which formats the cell. Such a cell does
// not run.
func Formats(src string) bool {
	first := strings.Fields(line(strings.TrimLeft(src, " \t\r\n")))
	return len(first) > 0 && first[0] == Fmt
}

// only is the function that returns src[from:to] at its position in src, with the rest of src replaced by blanks.
func only(src string, from, to int) string {
	b := []byte(src)
	blank(b[:from])
	blank(b[to:])
	return string(b)
}

// blank replaces bytes with blanks. It keeps newlines and tabs, so that a caret below the line points to the
// right column.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' && c != '\t' {
			b[i] = ' '
		}
	}
}

// TakesCell reports whether c takes the whole cell, as %%time does.
func (c *Command) TakesCell() bool { return strings.HasPrefix(c.Name, "%%") && c.Name != Main }

// check returns an error if there is no command with the name of c, if c must be in the first line of the cell src but
// is not, or if c needs a Go statement and has none.
func (c *Command) check(src string) *Error {
	fail := func(format string, args ...any) *Error {
		return &Error{c.Line, c.Col, fmt.Sprintf(format, args...)}
	}
	info, ok := Find(c.Name)
	if c.Name == "%" {
		return fail("a line of Go cannot begin with %%; to continue an expression on the next line, end the line with the operator (%%help lists the commands)")
	}
	if !ok {
		hint := ""
		if instead := insteadOf[strings.TrimLeft(c.Name, "%")]; instead != "" {
			return fail("the command %s does not exist here: %s (%%help lists the commands)", c.Name, instead)
		}
		if near := nearest(c.Name); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		return fail("unknown command %s%s (%%help lists the commands)", c.Name, hint)
	}
	if c.TakesCell() && strings.TrimSpace(src[:c.Start]) != "" {
		return fail("%s applies to the whole cell: put it in the cell's first line", c.Name)
	}
	if c.Name == Fmt && strings.TrimSpace(src[:c.Start]) != "" {
		return fail("%s formats the cell instead of running it: put it in the cell's first line", c.Name)
	}
	if info.Code && !c.TakesCell() && strings.TrimSpace(src[c.CodeStart:c.End]) == "" {
		return fail("%s needs a statement on the same line: %s", c.Name, info.Usage)
	}
	return nil
}

// find returns the commands in a cell. They include commands with unknown names.
func find(t *Text, known func(string) bool) (cmds []Command) {
	src := t.Source
	locals := map[string]bool{}
	isVar := func(name string) bool { return locals[name] || known != nil && known(name) }
	for from := 0; from < len(src); {
		c, next := findOne(t, from, isVar, locals)
		if c == nil {
			break
		}
		cmds = append(cmds, *c)
		if c.TakesCell() {
			break
		}
		from = next
	}
	return cmds
}

// findOne finds the next command in a cell. The search begins at the given offset, where a statement begins. findOne
// returns the command and the offset at which to continue, or nil if there is no further command. On the way it adds
// the names in the Go code to locals. isVar(x) decides whether !x is Go; see isGo.
func findOne(text *Text, from int, isVar func(string) bool, locals map[string]bool) (*Command, int) {
	src := text.Source
	if from > 0 { // the earlier scan is invalid after a command
		text = Read(src[from:])
	}
	var at int // offset of the command's first character
	found := text.walk(from, func(t token.Token, lit string, off, depth int, fresh bool) bool {
		if t == token.IDENT {
			locals[lit] = true // includes names that are used but not declared, which is harmless
		}
		if !fresh || depth != 0 || strings.TrimSpace(src[strings.LastIndexByte(src[:off], '\n')+1:off]) != "" {
			return false
		}
		switch src[off] {
		case '%', '$':
		case '!':
			if isGo(line(src[off:]), isVar) {
				return false
			}
		default:
			return false
		}
		at = off
		return true
	})
	if !found {
		return nil, 0
	}
	c := &Command{Start: at, Line: 1 + strings.Count(src[:at], "\n"), Col: at - strings.LastIndexByte(src[:at], '\n')}
	if src[at] != '%' {
		c.Name = "$"
		c.End = shellEnd(src, at)
		c.CodeStart = c.End
		c.Args = strings.TrimSpace(strings.ReplaceAll(src[at+1:c.End], "\r", ""))
		return c, c.End
	}
	rest := line(src[at:])
	c.Name = rest
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		c.Name = rest[:i]
	}
	c.CodeStart = at + len(c.Name)
	c.End = at + len(rest)
	info, _ := Find(c.Name)
	switch {
	case c.TakesCell():
		c.Args = strings.TrimSpace(rest[len(c.Name):])
		c.CodeStart = min(c.End+1, len(src))
		c.End = len(src)
		c.Body = src[c.CodeStart:]
	case info.Code:
		flags := flagText.FindString(rest[len(c.Name):])
		c.Args = strings.TrimSpace(flags)
		c.CodeStart += len(flags)
		c.End = statementEnd(src, c.CodeStart)
	default:
		c.Args = strings.TrimSpace(rest[len(c.Name):])
		if c.Name == "%main" { // GoNB's other name for it
			c.Name = Main
		}
	}
	return c, c.End
}

// flagText matches flags with numbers, such as -n 10. No Go code begins with such a flag.
var flagText = regexp.MustCompile(`^(?:[ \t]+-[a-z][ \t]*[0-9]+\b)*`)

// walk calls visit for each token of t until visit returns true, and reports whether this has happened. The
// parameter from is the offset in the cell at which t starts. It is 0 if t is the whole cell.
//
// The arguments of visit are the token, its literal, its offset in the cell, and the number of open brackets around
// it. The last argument, fresh, says whether a statement can begin at the token.
func (t *Text) walk(from int, visit func(t token.Token, lit string, off, depth int, fresh bool) bool) bool {
	depth, fresh := 0, true
	for _, x := range t.Tokens {
		if visit(x.Tok, x.Lit, from+x.Off, depth, fresh) {
			return true
		}
		switch x.Tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		fresh = x.Tok == token.SEMICOLON
	}
	return false
}

// statementEnd returns the end of the statement that begins at the given offset. A statement ends at the first line
// break that is outside brackets and can end a statement.
func statementEnd(src string, from int) int {
	end := len(src)
	Read(src[from:]).walk(from, func(t token.Token, lit string, off, depth int, fresh bool) bool {
		if t == token.SEMICOLON && lit == "\n" && depth <= 0 {
			// A comment may precede the newline.
			end = off
			if i := strings.IndexByte(src[off:], '\n'); i >= 0 {
				end = off + i
			}
			return true
		}
		return false
	})
	// An empty line ends the command, even if the command then has nothing to run.
	if first := from + len(line(src[from:])); strings.TrimSpace(src[from:first]) == "" {
		return first
	}
	return end
}

// shellEnd returns the end of a shell line. A backslash at the end of a line continues it.
func shellEnd(src string, from int) int {
	for {
		l := line(src[from:])
		from += len(l)
		if !strings.HasSuffix(l, `\`) || from >= len(src) {
			return from
		}
		from += len(src[from:]) - len(strings.TrimPrefix(strings.TrimPrefix(src[from:], "\r"), "\n"))
	}
}

// line returns the first line of s, without its line end.
func line(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, "\r")
}

// goCall matches ! before an expression in brackets, a call or an index expression.
var goCall = regexp.MustCompile(`^!+(\(|[\pL_][\pL_0-9]*(\.[\pL_][\pL_0-9]*)*[(\[])`)

// negated matches a line that begins with ! and a name.
var negated = regexp.MustCompile(`^!+([\pL_][\pL_0-9]*)`)

// isGo reports whether l, a line that begins with !, is Go and not a shell line. The function isVar reports whether a
// name is a variable.
func isGo(l string, isVar func(string) bool) bool {
	if goCall.MatchString(l) || strings.HasPrefix(l, "!=") {
		return true
	}
	m := negated.FindStringSubmatch(l)
	return m != nil && (m[1] == "true" || m[1] == "false" || isVar(m[1]))
}
