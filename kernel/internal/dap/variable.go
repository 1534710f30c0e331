package dap

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"overcomplete/kernel/engine"
)

// A variable is an entry in a list that a front end shows: a Go variable, a field, an element, or a range of elements.
type variable struct {
	name string
	typ  string // type in Go syntax; "" for a range
	eval string // an expression that denotes the variable, or "" if no expression does
	v    reflect.Value
	note string // the reason why v is invalid
	text string // text to show in place of a description of v

	// original is set if v is the variable itself and not a copy, so that it can be assigned to.
	original bool
	set      func(x float64) // assigns to the element of a matrix
	inner    container       // contents that are not found in v itself
}

// newVariable converts a variable of the engine to a variable of this package.
func newVariable(v engine.DebugVariable) variable {
	typ := v.Type
	if typ == "" && v.Value.IsValid() {
		typ = typeName(v.Value.Type())
	}
	return variable{name: v.Name, typ: typ, eval: v.Name, v: v.Value, note: v.Note, original: v.Value.CanAddr()}
}

// value returns the text that a front end shows as the value of x.
func (x variable) value() string {
	switch {
	case x.text != "" || x.inner != nil && !x.v.IsValid():
		return x.text
	case x.note != "" && !x.v.IsValid():
		return "(" + x.note + ")"
	}
	return describe(x.v)
}

// children returns the container of x's contents, such as fields or elements, or nil if x has no contents.
func (x variable) children() container {
	if x.inner != nil {
		return x.inner
	}
	c := inside(x.v, x.eval, x.original)
	if c == nil {
		return nil
	}
	if named, indexed := c.count(); named+indexed == 0 {
		return nil
	}
	return c
}

// A container holds the children of an entry that can be opened: the variables that a front end shows under the entry.
type container interface {
	// count returns the number of named children and the number of indexed children. The named children come
	// first.
	count() (named, indexed int)
	child(i int) variable
	// find returns the child with the given name; ranges have no name.
	find(name string) (variable, bool)
}

// inside returns a container of the contents of v, such as its fields or elements. It returns nil if the type of v has
// no contents to show, or if v is a nil pointer or interface. eval is an expression that denotes v, or ""; original is
// set if v is the variable itself and not a copy.
func inside(v reflect.Value, eval string, original bool) container {
	v = open(v)
	for v.IsValid() && v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
		if eval != "" {
			eval += ".(" + typeName(v.Type()) + ")"
		}
		original = false
	}
	if !v.IsValid() {
		return nil
	}
	if m := matrix(v); m != nil {
		r, c, ok := dims(m)
		switch {
		case !ok:
			return nil
		case r == 1 || c == 1:
			return elements{m: m, rows: r, cols: c, eval: eval}
		}
		return rows{m: m, rows: r, cols: c, eval: eval}
	}
	if _, ok := shortText(v); ok {
		return nil
	}
	switch v.Kind() {
	case reflect.Struct:
		return fields{v, eval, original}
	case reflect.Slice:
		return sequence{v, eval, true}
	case reflect.Array:
		return sequence{v, eval, original}
	case reflect.Map:
		return &entries{m: v, eval: eval}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if e := v.Elem(); e.Kind() == reflect.Struct {
			return fields{e, eval, true}
		}
		return pointee{v, eval}
	}
	return nil
}

// operand returns the expression eval, in parentheses if a selector or an index after it would bind to only a part of
// it, as in *p.
func operand(eval string) string {
	if strings.HasPrefix(eval, "*") || strings.HasPrefix(eval, "&") {
		return "(" + eval + ")"
	}
	return eval
}

// A list is the container of the variables of a scope.
type list []variable

func (l list) count() (int, int)    { return len(l), 0 }
func (l list) child(i int) variable { return l[i] }

func (l list) find(name string) (variable, bool) {
	for _, x := range l {
		if x.name == name {
			return x, true
		}
	}
	return variable{}, false
}

// fields holds the fields of a struct, except those called _.
type fields struct {
	v        reflect.Value
	eval     string
	original bool
}

func (f fields) index() []int {
	var index []int
	for i := range f.v.NumField() {
		if f.v.Type().Field(i).Name != "_" {
			index = append(index, i)
		}
	}
	return index
}

func (f fields) count() (int, int) { return len(f.index()), 0 }

func (f fields) child(i int) variable {
	i = f.index()[i]
	t := f.v.Type().Field(i)
	x := variable{name: t.Name, typ: typeName(t.Type), v: field(f.v, i), original: f.original}
	if f.eval != "" {
		x.eval = operand(f.eval) + "." + t.Name
	}
	return x
}

func (f fields) find(name string) (variable, bool) {
	for i, k := range f.index() {
		if f.v.Type().Field(k).Name == name {
			return f.child(i), true
		}
	}
	return variable{}, false
}

// A sequence holds the elements of a slice or an array.
type sequence struct {
	v        reflect.Value
	eval     string
	original bool
}

func (s sequence) count() (int, int) { return 0, s.v.Len() }

func (s sequence) child(i int) variable {
	x := variable{name: fmt.Sprintf("[%d]", i), typ: typeName(s.v.Type().Elem()), v: s.v.Index(i), original: s.original}
	if s.eval != "" {
		x.eval = fmt.Sprintf("%s[%d]", operand(s.eval), i)
	}
	return x
}

func (s sequence) find(name string) (variable, bool) { return numbered(s, name) }

// numbered returns the indexed child of c with the given name, such as [3].
func numbered(c container, name string) (variable, bool) {
	_, n := c.count()
	name, brackets := strings.CutPrefix(name, "[")
	i, err := strconv.Atoi(strings.TrimSuffix(name, "]"))
	if !brackets || err != nil || i < 0 || i >= n {
		return variable{}, false
	}
	return c.child(i), true
}

// A pointee holds the variable that a pointer points to.
type pointee struct {
	v    reflect.Value
	eval string
}

func (p pointee) count() (int, int) { return 1, 0 }

func (p pointee) child(int) variable {
	x := variable{name: "*", typ: typeName(p.v.Type().Elem()), v: p.v.Elem(), original: true}
	if p.eval != "" {
		x.eval = "*" + p.eval
	}
	return x
}

func (p pointee) find(name string) (variable, bool) { return p.child(0), name == "*" }

// entries holds the entries of a map, sorted by key on first use.
type entries struct {
	m    reflect.Value
	eval string

	keys []reflect.Value
	rest int // number of entries that are missing in keys
}

func (e *entries) read() {
	if e.keys == nil {
		keys, _ := sortedKeys(e.m)
		e.keys, e.rest = keys, e.m.Len()-len(keys)
	}
}

func (e *entries) count() (int, int) {
	if e.keys == nil {
		n := e.m.Len()
		if n > maxKeys {
			return maxKeys + 1, 0
		}
		return n, 0
	}
	return len(e.keys) + min(e.rest, 1), 0
}

func (e *entries) child(i int) variable {
	e.read()
	if i >= len(e.keys) {
		return variable{name: "…", note: fmt.Sprintf("%d more entries", e.rest)}
	}
	k := e.keys[i]
	x := variable{name: describe(k), typ: typeName(e.m.Type().Elem()), v: e.m.MapIndex(k)}
	if key, ok := literal(k); ok && e.eval != "" {
		x.eval = operand(e.eval) + "[" + key + "]"
	}
	return x
}

func (e *entries) find(name string) (variable, bool) {
	e.read()
	for i, k := range e.keys {
		if describe(k) == name {
			return e.child(i), true
		}
	}
	return variable{}, false
}

// literal returns the map key k as a Go expression. It returns false if k is of a kind that literal cannot express.
func literal(k reflect.Value) (string, bool) {
	if k.Kind() == reflect.Interface {
		k = k.Elem()
	}
	switch {
	case !k.IsValid():
		return "nil", true
	case k.Kind() == reflect.String && k.Type().PkgPath() == "":
		return strconv.Quote(k.String()), true
	case k.CanInt(), k.CanUint(), k.CanFloat(), k.Kind() == reflect.Bool, k.Kind() == reflect.String:
		text := describe(k)
		if k.Kind() == reflect.String {
			text = strconv.Quote(k.String())
		}
		if _, ok := shortText(k); ok || strings.ContainsAny(text, "IN") && k.CanFloat() { // Inf, NaN
			return "", false
		}
		return typeName(k.Type()) + "(" + text + ")", true
	}
	return "", false
}

// rows holds the rows of a matrix.
type rows struct {
	m          mat.Matrix
	rows, cols int
	eval       string
}

func (r rows) count() (int, int) { return 0, r.rows }

func (r rows) child(i int) variable {
	row := elements{m: r.m, rows: r.rows, cols: r.cols, row: i, inRow: true, eval: r.eval}
	return variable{name: fmt.Sprintf("[%d]", i), typ: fmt.Sprintf("row of %d", r.cols), text: row.text(), inner: row}
}

func (r rows) find(name string) (variable, bool) { return numbered(r, name) }

// elements holds the elements of one row of a matrix, or all elements of a matrix with a single row or column.
type elements struct {
	m          mat.Matrix
	rows, cols int
	row        int
	inRow      bool
	eval       string
}

func (e elements) count() (int, int) {
	if e.inRow || e.rows == 1 {
		return 0, e.cols
	}
	return 0, e.rows
}

// place returns the position in the matrix, row i and column j, of the kth element of e.
func (e elements) place(k int) (i, j int) {
	switch {
	case e.inRow:
		return e.row, k
	case e.rows == 1:
		return 0, k
	}
	return k, 0
}

func (e elements) child(k int) variable {
	i, j := e.place(k)
	x := variable{name: fmt.Sprintf("[%d]", k), typ: "float64", set: setter(e.m, i, j)}
	if n, ok := element(e.m, i, j); ok {
		x.v = reflect.ValueOf(n)
	} else {
		x.note = "the matrix no longer has this element"
	}
	if e.eval != "" {
		x.eval = fmt.Sprintf("%s.At(%d, %d)", operand(e.eval), i, j)
	}
	return x
}

func (e elements) find(name string) (variable, bool) { return numbered(e, name) }

// text returns the text to show for the row: its first elements.
func (e elements) text() string {
	var w strings.Builder
	_, n := e.count()
	for k := range n {
		if k > 0 {
			w.WriteByte(' ')
		}
		if w.Len() > lineBytes/2 {
			w.WriteString("…")
			break
		}
		i, j := e.place(k)
		x, _ := element(e.m, i, j)
		w.WriteString(strconv.FormatFloat(x, 'g', 6, 64))
	}
	return w.String()
}

// setter returns a function that assigns to element (i, j) of m, or nil if that element cannot be set.
func setter(m mat.Matrix, i, j int) func(float64) {
	switch m := m.(type) {
	case *mat.Dense:
		return func(x float64) { m.Set(i, j, x) }
	case *mat.VecDense:
		return func(x float64) { m.SetVec(max(i, j), x) }
	case *mat.SymDense:
		return func(x float64) { m.SetSym(i, j, x) }
	case *mat.TriDense:
		return func(x float64) { m.SetTri(i, j, x) }
	case *mat.DiagDense:
		if i == j {
			return func(x float64) { m.SetDiag(i, x) }
		}
	case *mat.BandDense:
		return func(x float64) { m.SetBand(i, j, x) }
	}
	return nil
}
