package headless

import (
	"fmt"
	"go/token"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/notebook"
)

// An Assignment gives a value to a parameter. Text is converted to the
// parameter's type.
type Assignment struct{ Name, Text string }

// ParseAssignment parses an assignment of the form name=value.
func ParseAssignment(s string) (Assignment, error) {
	name, text, ok := strings.Cut(s, "=")
	if name = strings.TrimSpace(name); !ok || !token.IsIdentifier(name) {
		return Assignment{}, fmt.Errorf("%q does not have the form name=value", s)
	}
	return Assignment{name, text}, nil
}

// A Variable describes a variable of a session.
type Variable struct {
	Name string
	Type string // as Go prints it
	Addr string // distinguishes the variable from another one with the same name
	// Literal is the value as Go source, if Set supports the variable's type.
	Literal string `json:",omitempty"`
}

// settable returns the variables that assignments can set, sorted by name. source is the text of the parameters cell,
// and before and after are the session's variables before and after this cell ran. A variable can be set if the text
// declares it. New and redeclared variables can also be set, because the text may not parse as statements. The kernel's
// own variables are left out.
func settable(source string, before, after []Variable) []Variable {
	known := map[string]Variable{}
	for _, v := range before {
		known[v.Name] = v
	}
	declared := declarations(source)
	var list []Variable
	for _, v := range after {
		if strings.HasSuffix(v.Name, "__") {
			continue
		}
		old, was := known[v.Name]
		if slices.Contains(declared, v.Name) || !was || old.Addr != v.Addr || old.Type != v.Type {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// inject makes the given assignments to parameters in the session of k. It returns Go code that makes the same
// assignments, for the cell that records them.
func inject(k Kernel, params []Variable, assignments []Assignment) (string, error) {
	var lines []string
	needMath := false
	for _, a := range assignments {
		i := slices.IndexFunc(params, func(v Variable) bool { return v.Name == a.Name })
		if i < 0 {
			return "", fmt.Errorf("no parameter %s; %s", a.Name, offer(params))
		}
		v, err := k.Set(a.Name, a.Text)
		if err != nil {
			return "", fmt.Errorf("parameter %s (%s) cannot be %q: %w", a.Name, params[i].Type, a.Text, err)
		}
		text := v.Literal
		if text == "" {
			text = a.Text
		}
		needMath = needMath || strings.HasPrefix(text, "math.")
		lines = append(lines, a.Name+" = "+text)
	}
	if needMath {
		lines = slices.Insert(lines, 0, `import "math"`)
	}
	return strings.Join(lines, "\n"), nil
}

// changes returns the parameters whose current values differ from their declared values, or nil if there are none. cell
// is the ID of the parameters cell, and declared and now are the parameters with their declared and their current
// values.
func changes(cell string, declared, now []Variable) *notebook.ParameterChanges {
	c := &notebook.ParameterChanges{Cell: cell, Values: map[string]string{}}
	for _, v := range declared {
		i := slices.IndexFunc(now, func(w Variable) bool { return w.Name == v.Name })
		if i >= 0 && now[i].Literal != v.Literal {
			c.Values[v.Name], _, _ = strings.Cut(now[i].Literal, " //") // drop the comment after a duration
		}
	}
	if len(c.Values) == 0 {
		return nil
	}
	return c
}

func offer(params []Variable) string {
	if len(params) == 0 {
		return "the notebook's parameters cell declares no parameters"
	}
	var names []string
	for _, v := range params {
		if v.Type == "" {
			names = append(names, v.Name)
		} else {
			names = append(names, v.Name+" ("+v.Type+")")
		}
	}
	return "the notebook's parameters are " + strings.Join(names, ", ")
}

// literal returns the value of a variable of a basic type as Go source. It returns "" for variables of other
// types.
func literal(v engine.Variable) string {
	r := reflect.ValueOf(v.Addr)
	if r.Kind() != reflect.Pointer || r.IsNil() {
		return ""
	}
	switch x := r.Elem(); {
	case x.Kind() == reflect.String:
		return strconv.Quote(x.String())
	case x.Kind() == reflect.Bool:
		return strconv.FormatBool(x.Bool())
	case x.CanInt():
		if d, ok := x.Interface().(time.Duration); ok {
			return fmt.Sprintf("%d // %v", int64(d), d)
		}
		return strconv.FormatInt(x.Int(), 10)
	case x.CanUint():
		return strconv.FormatUint(x.Uint(), 10)
	case x.CanFloat():
		return float(x.Float(), x.Type().Bits())
	}
	return ""
}

func float(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "math.NaN()"
	case math.IsInf(f, 1):
		return "math.Inf(1)"
	case math.IsInf(f, -1):
		return "math.Inf(-1)"
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}
