package builtin

import (
	"fmt"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/cellsyntax"
	"overcomplete/kernel/engine"
	"overcomplete/kernel/magic"
	"overcomplete/kernel/render"
)

func (c *call) help() error {
	var rows [][]string
	for _, i := range magic.List() {
		rows = append(rows, []string{i.Usage, i.Doc})
	}
	c.runner.Show(render.Table([]string{"command", "what it does"}, []bool{true, true}, rows,
		"A command begins a line at the top level of a cell; what stands above it has run before it does."))
	return nil
}

// who lists the variables whose names match one of the patterns.
func (c *call) who() error {
	patterns := strings.Fields(c.Args)
	var rows [][]string
	var total uint64
	for _, v := range c.runner.vars() {
		match := len(patterns) == 0
		for _, p := range patterns {
			ok, err := path.Match(p, v.Name)
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			match = match || ok
		}
		if !match {
			continue
		}
		p := reflect.ValueOf(v.Addr)
		if p.Kind() != reflect.Pointer || p.IsNil() {
			rows = append(rows, []string{v.Name, v.Type, "", "(lost: its type has changed)"})
			continue
		}
		n, all := memory(p.Elem())
		text := size(n)
		if !all {
			text = "> " + text
		}
		total += n
		rows = append(rows, []string{v.Name, v.Type, text, render.Summary(p.Elem().Interface())})
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.runner.Stdout, "no variables")
		return nil
	}
	caption := count(uint64(len(rows)), "variable") + ", " + size(total)
	c.runner.Show(render.Table([]string{"name", "type", "size", "value"}, []bool{true, true, false, true}, rows, caption))
	return nil
}

// memory adds up what a value holds, each thing that several pointers point
// to once. It gives up, with all false, when the value has very many parts.
func memory(v reflect.Value) (bytes uint64, all bool) {
	const enough = 200_000
	type place struct {
		p uintptr
		t reflect.Type
	}
	seen := map[place]bool{}
	steps := 0
	flat := map[reflect.Type]bool{}
	var isFlat func(t reflect.Type) bool // holds nothing outside of itself
	isFlat = func(t reflect.Type) bool {
		if f, ok := flat[t]; ok {
			return f
		}
		f := false
		switch t.Kind() {
		case reflect.Array:
			f = isFlat(t.Elem())
		case reflect.Struct:
			f = true
			for i := range t.NumField() {
				f = f && isFlat(t.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		default:
			f = true
		}
		flat[t] = f
		return f
	}
	// held is what v holds outside of its own v.Type().Size() bytes.
	var held func(v reflect.Value) uint64
	held = func(v reflect.Value) uint64 {
		if steps++; steps > enough || isFlat(v.Type()) {
			return 0
		}
		first := func() bool {
			p := place{v.Pointer(), v.Type()}
			again := seen[p]
			seen[p] = true
			return !again
		}
		var n uint64
		switch v.Kind() {
		case reflect.String:
			return uint64(v.Len())
		case reflect.Pointer:
			if v.IsNil() || !first() {
				return 0
			}
			return uint64(v.Type().Elem().Size()) + held(v.Elem())
		case reflect.Interface:
			if v.IsNil() {
				return 0
			}
			e := v.Elem()
			n = held(e)
			if e.Kind() != reflect.Pointer {
				n += uint64(e.Type().Size())
			}
			return n
		case reflect.Slice:
			if v.IsNil() || v.Cap() > 0 && !first() {
				return 0
			}
			n = uint64(v.Cap()) * uint64(v.Type().Elem().Size())
			if isFlat(v.Type().Elem()) {
				return n
			}
			for i := 0; i < v.Len() && steps <= enough; i++ {
				n += held(v.Index(i))
			}
		case reflect.Array:
			for i := 0; i < v.Len() && steps <= enough; i++ {
				n += held(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				n += held(v.Field(i))
			}
		case reflect.Map:
			if v.IsNil() || !first() {
				return 0
			}
			k, e := v.Type().Key(), v.Type().Elem()
			// A byte of control for each slot, of which 7 in 8 are used at most.
			n = uint64(v.Len()) * uint64(k.Size()+e.Size()+1) * 8 / 7
			if isFlat(k) && isFlat(e) {
				return n
			}
			for it := v.MapRange(); steps <= enough && it.Next(); {
				n += held(it.Key()) + held(it.Value())
			}
		}
		return n
	}
	n := uint64(v.Type().Size()) + held(v)
	return n, steps <= enough
}

// forgetter is a session that can forget variables.
type forgetter interface{ Forget(names ...string) error }

func (c *call) reset() error {
	f, ok := c.runner.Session.(forgetter)
	if !ok {
		return fmt.Errorf("this session cannot forget variables")
	}
	names := strings.Fields(strings.ReplaceAll(c.Args, ",", " "))
	vars := c.runner.vars()
	for _, n := range names {
		if !slices.ContainsFunc(vars, func(v engine.Variable) bool { return v.Name == n }) {
			return fmt.Errorf("no variable %s; %%who lists them", n)
		}
	}
	if len(names) == 0 {
		for _, v := range vars {
			names = append(names, v.Name)
		}
	}
	return f.Forget(names...)
}

// setParams notes that the cell's variables are parameters, sets some, or
// shows them.
func (c *call) setParams() error {
	r := c.runner
	if declared := declares(c.cell); len(declared) > 0 {
		if c.Args != "" {
			return fmt.Errorf("above a cell's code %%params stands alone; the cell's own values count")
		}
		r.params, c.params = declared, true
		return nil
	}
	if len(r.params) == 0 {
		return fmt.Errorf("the notebook has no parameters yet: write %%params above the cell that declares them")
	}
	assignments, err := split(c.Args)
	if err != nil {
		return err
	}
	for _, a := range assignments {
		if !slices.Contains(r.params, a[0]) {
			return fmt.Errorf("no parameter %s; there are %s", a[0], strings.Join(r.params, ", "))
		}
	}
	for _, a := range assignments {
		if err := r.Session.Set(a[0], a[1]); err != nil {
			return err
		}
	}
	return c.showParams()
}

func (c *call) showParams() error {
	var rows [][]string
	for _, v := range c.runner.vars() {
		if p := reflect.ValueOf(v.Addr); slices.Contains(c.runner.params, v.Name) && p.Kind() == reflect.Pointer && !p.IsNil() {
			rows = append(rows, []string{v.Name, v.Type, render.Summary(p.Elem().Interface())})
		}
	}
	c.runner.Show(render.Table([]string{"parameter", "type", "value"}, []bool{true, true, true}, rows, ""))
	return nil
}

// declares gives the variables that the statements of a cell declare, sorted.
func declares(cell engine.Cell) (names []string) {
	tree, err := cellsyntax.Parse(token.NewFileSet(), cell.Name, magic.Blank(cell.Source, nil))
	if err != nil {
		return nil
	}
	for _, id := range cellsyntax.Variables(tree.Stmts) {
		names = append(names, id.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// split reads name=value, where a value in Go's quotes may have blanks.
func split(s string) (list [][2]string, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		name, rest, ok := strings.Cut(s, "=")
		name = strings.TrimSpace(name)
		if !ok || !token.IsIdentifier(name) {
			return nil, fmt.Errorf("%q is not of the form name=value", s)
		}
		value := rest
		if q, err := strconv.QuotedPrefix(rest); err == nil {
			value, _ = strconv.Unquote(q)
			s = rest[len(q):]
		} else {
			value, s, _ = strings.Cut(rest, " ")
		}
		list = append(list, [2]string{name, value})
	}
	return list, nil
}

func (c *call) goroutines() error {
	args := strings.Fields(strings.ReplaceAll(c.Args, ",", " "))
	if len(args) > 0 {
		if args[0] != "stop" {
			return c.usage()
		}
		if len(args) == 1 {
			c.runner.Session.StopGoroutines()
		}
		for _, a := range args[1:] {
			id, err := strconv.Atoi(a)
			if err != nil {
				return c.usage()
			}
			if err := c.runner.Session.StopGoroutine(id); err != nil {
				return err
			}
		}
	}
	var rows [][]string
	for _, g := range c.runner.Session.Goroutines() {
		where := g.Cell
		if g.Line > 0 {
			where += fmt.Sprintf(" line %d", g.Line)
		}
		state := g.State
		if g.Stopping {
			state += " (told to stop)"
		}
		rows = append(rows, []string{strconv.Itoa(g.ID), where, strings.TrimSpace(g.Source), duration(float64(time.Since(g.Since))), state})
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.runner.Stdout, "no cell has left a goroutine running")
		return nil
	}
	c.runner.Show(render.Table([]string{"id", "started in", "by", "runs for", "state"}, []bool{false, true, true, false, true}, rows, ""))
	return nil
}
