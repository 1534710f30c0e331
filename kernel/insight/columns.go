package insight

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
)

// inColumn completes the name of a data frame's column in a double-quoted string literal, as in df.Col("…") or
// frame.By(df, "…"). It returns the columns of all data frames that the statement mentions before the literal. ok is
// false if the cursor is not in such a literal, or if the statement mentions no data frame before the literal.
func (in *Insight) inColumn(src string, cursor int) (list []candidate, prefix string, start, end int, ok bool) {
	if in.session == nil {
		return nil, "", 0, 0, false
	}
	toks := lex(src, false)
	i := slices.IndexFunc(toks, func(t lexeme) bool {
		return t.tok == token.STRING && t.off < cursor && (cursor < t.end || cursor == t.end && openString(t))
	})
	if i < 1 || toks[i].lit[0] != '"' {
		return nil, "", 0, 0, false
	}
	seen := map[string]bool{}
	for k := i - 1; k >= 0 && !endsStatement(src, toks, k); k-- {
		if name := toks[k].lit; toks[k].tok == token.IDENT && !seen[name] && (k == 0 || toks[k-1].tok != token.PERIOD) {
			seen[name] = true
			in.session.Peek(name, func(pointer any) {
				for _, column := range columnsOf(reflect.ValueOf(pointer)) {
					q := strconv.Quote(column)
					if c := (candidate{text: q[1 : len(q)-1], kind: kindField, match: column}); !slices.Contains(list, c) {
						list = append(list, c)
					}
				}
			})
		}
	}
	if len(list) == 0 {
		return nil, "", 0, 0, false
	}
	typed := src[toks[i].off+1 : cursor]
	end = cursor
	if !openString(toks[i]) {
		end = toks[i].end - 1
	}
	return list, typed, cursor - len(typed), end, true
}

// endsStatement reports whether token k ends a statement or opens a block, so that a statement begins at token k+1.
func endsStatement(src string, toks []lexeme, k int) bool {
	switch toks[k].tok {
	case token.SEMICOLON:
		return true
	case token.LBRACE: // opens a block, but not in a composite literal such as dataframe.F{
		return k == 0 || toks[k-1].tok != token.IDENT && toks[k-1].tok != token.RBRACK
	case token.IDENT, token.STRING, token.INT, token.FLOAT, token.RPAREN, token.RBRACK, token.RBRACE:
		return strings.Contains(src[toks[k].end:toks[k+1].off], "\n")
	}
	return false
}

// frameOf returns the data frame to which the pointer v leads, possibly through further pointers. The result ok is
// false if there is no data frame at the end, or if the data frame has an error.
func frameOf(v reflect.Value) (df dataframe.DataFrame, ok bool) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() || !v.CanInterface() {
		return df, false
	}
	df, ok = v.Interface().(dataframe.DataFrame)
	return df, ok && df.Err == nil
}

func columnsOf(pointer reflect.Value) []string {
	df, ok := frameOf(pointer)
	if !ok {
		return nil
	}
	return df.Names()
}

// previewFrame returns the size of a data frame, and the names and types of its columns.
func previewFrame(df dataframe.DataFrame) string {
	types := df.Types()
	var columns []string
	for k, name := range df.Names() {
		columns = append(columns, fmt.Sprintf("%s %s", name, types[k]))
	}
	return fmt.Sprintf("%d rows: %s", df.Nrow(), strings.Join(columns, ", "))
}
