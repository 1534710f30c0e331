package ixengine

import (
	"fmt"
	"reflect"
	"strings"

	"overcomplete/kernel/engine"
	"overcomplete/kernel/internal/cycle"
)

// hits returns the ids of the breakpoints at st at which the calling goroutine must stop. For a log breakpoint, hits
// sends the message and does not return the id. If the condition of a breakpoint cannot be evaluated or is not a bool,
// hits still returns the breakpoint's id, and text describes the error.
func (d *debugger) hits(t *thread, st *site) (ids []int, text string) {
	if !st.armed.Load() {
		return nil, ""
	}
	d.mu.Lock()
	var list []*breakpoint
	if d.busy[t.gid] == 0 {
		for _, b := range d.points[st.source] {
			if b.isValid && b.offset == st.offset {
				list = append(list, b)
			}
		}
	}
	d.mu.Unlock()
	for _, b := range list {
		is, fault := d.reached(t, st, b)
		if !is {
			continue
		}
		if b.Log == "" || fault != "" {
			ids = append(ids, b.id)
			text = fault
			continue
		}
		line := d.log(t, st, b)
		d.mu.Lock()
		if !d.detached {
			d.tell(engine.DebugEvent{Reason: "log", Goroutine: t.id, Breakpoints: []int{b.id}, Log: line})
		}
		d.mu.Unlock()
	}
	return ids, text
}

// reached evaluates the condition of b. If the condition is true, or if b has no condition, a hit is counted, and
// enough says whether b now has enough hits. If the condition cannot be evaluated or is not a bool, enough is true, and
// fault describes the error.
func (d *debugger) reached(t *thread, st *site, b *breakpoint) (enough bool, fault string) {
	if b.Condition != "" {
		v, err := d.value(t, st, b, 0, b.Condition)
		if err != nil {
			return true, fmt.Sprintf("the condition %s: %s", b.Condition, err.Message)
		}
		if x := reflect.ValueOf(v); x.Kind() != reflect.Bool {
			return true, fmt.Sprintf("the condition %s is no bool", b.Condition)
		} else if !x.Bool() {
			return false, ""
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b.hits++
	return b.hits >= b.Hits, ""
}

// maxSites is the number of sites for which a breakpoint caches programs. The breakpoint's cell has new sites
// each time the cell runs.
const maxSites = 32

// value evaluates text in the calling goroutine. The text is expression number n of b: the condition is number 0, and
// the expressions in the log text follow.
func (d *debugger) value(t *thread, st *site, b *breakpoint, n int, text string) (any, *engine.Error) {
	b.mu.Lock()
	if b.code[st] == nil && len(b.code) >= maxSites {
		clear(b.code)
	}
	for len(b.code[st]) <= n {
		b.code[st] = append(b.code[st], nil)
	}
	c := b.code[st][n]
	if c == nil {
		var vars []frameVar
		for _, v := range st.vars {
			vars = append(vars, frameVar{name: v.name, typ: v.typ})
		}
		var fail *engine.Error
		if c, fail = d.s.compile(vars, text, true); fail != nil {
			c = &compiledExpr{fault: fail}
		}
		b.code[st][n] = c
	}
	b.mu.Unlock()
	if c.fault != nil {
		return nil, c.fault
	}
	d.mu.Lock()
	d.busy[t.gid]++
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.busy[t.gid]--; d.busy[t.gid] == 0 {
			delete(d.busy, t.gid)
		}
	}()
	return c.evaluate(d.s, t.fr, st)
}

// evaluate runs c in the calling goroutine with copies of a frame's variables.
func (c *compiledExpr) evaluate(s *Session, fr *frame, st *site) (v any, fail *engine.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, v := range st.vars {
		to := reflect.ValueOf(c.vars[i])
		if !to.IsValid() {
			continue // the expression does not mention the variable
		}
		if x := v.value(fr); !x.IsValid() {
			return nil, &engine.Error{Kind: engine.Type, Message: v.name + " has no value yet"}
		} else if x.Type() == to.Type().Elem() {
			to.Elem().Set(x)
		} else if sameLayout(x.Type(), to.Type().Elem()) {
			to.Elem().Set(reflect.NewAt(to.Type().Elem(), x.Addr().UnsafePointer()).Elem())
		} else {
			return nil, &engine.Error{Kind: engine.Type, Message: v.name + " has a type that was declared again since"}
		}
	}
	root := new(frame)
	defer func() {
		if p := recover(); p != nil {
			if stop, ok := p.(stopSignal); ok {
				panic(stop)
			}
			fail = s.panicked(p, root)
		}
	}()
	values := c.run(root)
	if len(values) != 1 {
		return nil, &engine.Error{Kind: engine.Type, Message: fmt.Sprintf("it has %d values", len(values))}
	}
	return values[0], nil
}

// A logPart is a piece of the text of a log breakpoint: plain text, or an expression.
type logPart struct {
	text   string
	isExpr bool
}

// logParts splits a log text at its expressions in braces.
func logParts(text string) (parts []logPart, err error) {
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		if before != "" {
			parts = append(parts, logPart{before, false})
		}
		if !found {
			break
		}
		depth, end := 1, -1
		for i, c := range rest {
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				end = i
				break
			}
		}
		if end < 0 {
			return nil, fmt.Errorf("a { of the log text has no }")
		}
		parts = append(parts, logPart{rest[:end], true})
		text = rest[end+1:]
	}
	return parts, nil
}

// log returns the message of the log breakpoint b, with expressions replaced by their values.
func (d *debugger) log(t *thread, st *site, b *breakpoint) string {
	parts, _ := logParts(b.Log)
	var out strings.Builder
	n := 1
	for _, p := range parts {
		if !p.isExpr {
			out.WriteString(p.text)
			continue
		}
		v, fail := d.value(t, st, b, n, p.text)
		n++
		switch {
		case fail != nil:
			fmt.Fprintf(&out, "{%s: %s}", p.text, fail.Message)
		case cycle.In(v):
			fmt.Fprintf(&out, "{a %T that contains itself}", v)
		default:
			out.WriteString(logged(v))
		}
	}
	return out.String()
}

// logged returns a value as text, even if its String or Error method panics.
func logged(v any) (text string) {
	defer func() {
		if p := recover(); p != nil {
			if stop, ok := p.(stopSignal); ok {
				panic(stop)
			}
			text = fmt.Sprintf("{a %T whose String method panics}", v)
		}
	}()
	return fmt.Sprint(v)
}
