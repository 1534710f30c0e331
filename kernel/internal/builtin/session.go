package builtin

import (
	"errors"
	"fmt"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/render"
	"overcomplete/kernel/magic"
)

func (c *call) help() error {
	var rows [][]string
	for _, i := range magic.List() {
		rows = append(rows, []string{i.Usage, i.Doc})
	}
	c.runner.Show(render.Table([]string{"command", "what it does"}, []bool{true, true}, rows,
		"A command begins a line at the top level of a cell. Everything above the command runs first."))
	return nil
}

// who implements %who. It lists the variables whose names match one of the patterns in its arguments, or all variables
// if there are no arguments.
func (c *call) who() error {
	patterns := strings.Fields(c.Args)
	var rows [][]string
	var total uint64
	hidden := false
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
		row := []string{v.Name, v.Type, "", "(lost: its type has changed)"}
		if v.Addr != nil && !c.look(v, func(x reflect.Value) {
			n, all := memory(x)
			row[2], row[3] = size(n), render.Summary(x.Interface())
			if !all {
				row[2] = "> " + row[2]
			}
			total += n
		}) {
			row[3], hidden = notShown, true
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		fmt.Fprintln(c.runner.Stdout, "no variables")
		return nil
	}
	caption := count(uint64(len(rows)), "variable")
	if hidden {
		caption += "; sizes and values are hidden while goroutines that may change variables run (%goroutines lists them)"
	} else {
		caption += ", " + size(total)
	}
	c.runner.Show(render.Table([]string{"name", "type", "size", "value"}, []bool{true, true, false, true}, rows, caption))
	return nil
}

// notShown is the text shown for a value that look cannot access.
const notShown = "(not shown)"

// look calls f with the value of a variable. While goroutines started by cells are running, it returns false without
// calling f: they may be writing to a map, and reading the map at the same time would end the process.
func (c *call) look(v engine.Variable, f func(value reflect.Value)) bool {
	return c.runner.Session.Peek(v.Name, func(pointer any) { f(reflect.ValueOf(pointer).Elem()) })
}

func (c *call) reset() error {
	names := strings.Fields(strings.ReplaceAll(c.Args, ",", " "))
	for _, n := range names {
		if strings.HasSuffix(n, hidden) {
			return fmt.Errorf("no variable %s; %%who lists the variables", n)
		}
	}
	if len(names) == 0 {
		for _, v := range c.runner.vars() {
			names = append(names, v.Name)
		}
	}
	if err := c.runner.Session.Forget(names...); err != nil {
		return fmt.Errorf("%w; %%who lists the variables", err)
	}
	return nil
}

// setParams implements %params. If the code below the command declares variables, setParams marks these as the
// parameters of the notebook. Otherwise, it assigns the values in its arguments to parameters, and shows all
// parameters.
func (c *call) setParams() error {
	r := c.runner
	if declared := c.declared; len(declared) > 0 {
		if c.Args != "" {
			return fmt.Errorf("%%params above a cell's code takes no arguments: set the values in the cell's code")
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
			return fmt.Errorf("no parameter %s; the parameters are %s", a[0], strings.Join(r.params, ", "))
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
		if slices.Contains(c.runner.params, v.Name) && v.Addr != nil {
			value := notShown
			c.look(v, func(x reflect.Value) { value = render.Summary(x.Interface()) })
			rows = append(rows, []string{v.Name, v.Type, value})
		}
	}
	c.runner.Show(render.Table([]string{"parameter", "type", "value"}, []bool{true, true, true}, rows, ""))
	return nil
}

// split parses assignments of the form name=value; a quoted value may contain blanks.
func split(s string) (list [][2]string, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		name, rest, ok := strings.Cut(s, "=")
		name = strings.TrimSpace(name)
		if !ok || !token.IsIdentifier(name) {
			return nil, fmt.Errorf("%q does not have the form name=value", s)
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

// stale implements %stale, which lists the stale cells with the reasons, or turns notes about them on or off.
func (c *call) stale() error {
	r := c.runner
	if r.Stale == nil {
		return errors.New("this session does not track stale cells")
	}
	switch strings.TrimSpace(c.Args) {
	case "":
	case "on":
		r.NoteStale = true
		return nil
	case "off":
		r.NoteStale = false
		return nil
	default:
		return c.usage()
	}
	var rows [][]string
	for _, cell := range r.Stale.Stale() {
		var why []string
		for _, reason := range cell.Reasons {
			why = append(why, reason.String())
		}
		rows = append(rows, []string{cell.Title(), strings.Join(why, "; ")})
	}
	if len(rows) == 0 {
		fmt.Fprintln(r.Stdout, "no cell is stale")
		return nil
	}
	r.Show(render.Table([]string{"stale cell", "because"}, []bool{true, true}, rows, ""))
	return nil
}
