package main

import (
	"fmt"
	"strings"
)

// State machines: iota, Stringer, functions as states, flags, tables of functions.

type State int

const (
	Idle State = iota
	Connecting
	_
	Connected
	Closed State = iota * 10
)

func (s State) String() string {
	switch s {
	case Idle:
		return "Idle"
	case Connecting:
		return "Connecting"
	case Connected:
		return "Connected"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

type Flag uint8

const (
	Read Flag = 1 << iota
	Write
	Exec
	All = Read | Write | Exec
)

func (f Flag) String() string {
	if f == 0 {
		return "none"
	}
	var parts []string
	for i, n := range []string{"r", "w", "x"} {
		if f&(1<<i) != 0 {
			parts = append(parts, n)
		}
	}
	if rest := f &^ All; rest != 0 {
		parts = append(parts, fmt.Sprintf("%#02x", uint8(rest)))
	}
	return strings.Join(parts, "|")
}

const (
	_  = iota
	KB = 1 << (10 * iota)
	MB
	GB
)

type Weekday byte

const (
	Mon, MonBit Weekday = iota, 1 << iota
	Tue, TueBit
	Wed, WedBit
)

type Event struct {
	Name string
	From []State
	To   State
	Do   func(*Machine, ...any) error
}

type Machine struct {
	State
	events map[string]Event
	trail  []string
	hooks  struct{ enter, leave map[State]func(State) }
}

func (m *Machine) Fire(name string, args ...any) (err error) {
	e, ok := m.events[name]
	if !ok {
		return fmt.Errorf("no event %q in %v", name, m)
	}
	defer func(before State) {
		m.trail = append(m.trail, fmt.Sprintf("%v-%s->%v", before, name, m.State))
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}(m.State)
	for _, s := range e.From {
		if s == m.State {
			if f := m.hooks.leave[s]; f != nil {
				f(e.To)
			}
			if e.Do != nil {
				if err = e.Do(m, args...); err != nil {
					return
				}
			}
			m.State = e.To
			if f := m.hooks.enter[e.To]; f != nil {
				f(s)
			}
			return nil
		}
	}
	return fmt.Errorf("not from %s", m.State)
}

type stateFn func(*lexer) stateFn

type lexer struct {
	in    string
	pos   int
	items []string
}

func lexText(l *lexer) stateFn {
	if i := strings.Index(l.in[l.pos:], "{{"); i >= 0 {
		if i > 0 {
			l.items = append(l.items, "text:"+l.in[l.pos:l.pos+i])
		}
		l.pos += i + 2
		return lexAction
	}
	if l.pos < len(l.in) {
		l.items = append(l.items, "text:"+l.in[l.pos:])
	}
	return nil
}

func lexAction(l *lexer) stateFn {
	i := strings.Index(l.in[l.pos:], "}}")
	if i < 0 {
		return func(l *lexer) stateFn {
			l.items = append(l.items, "error")
			return nil
		}
	}
	l.items = append(l.items, "action:"+strings.TrimSpace(l.in[l.pos:l.pos+i]))
	l.pos += i + 2
	return lexText
}

func main() {
	var log []string
	m := &Machine{events: map[string]Event{
		"dial":  {"dial", []State{Idle, Closed}, Connecting, nil},
		"up":    {"up", []State{Connecting}, Connected, func(m *Machine, a ...any) error { log = append(log, fmt.Sprint(a...)); return nil }},
		"fail":  {"fail", []State{Connecting}, Closed, func(m *Machine, a ...any) error { return fmt.Errorf("refused: %v", a) }},
		"close": {From: []State{Connected, Connecting}, To: Closed},
	}}
	m.hooks.enter = map[State]func(State){Connected: func(s State) { log = append(log, "from "+s.String()) }}
	m.hooks.leave = map[State]func(State){Idle: func(to State) { log = append(log, "to "+to.String()) }}
	for _, e := range []string{"up", "dial", "fail", "up", "close", "dial", "nothing"} {
		fmt.Println(e, m.Fire(e, 1, "two", 3.5, m.State), m.State)
	}
	fmt.Println(strings.Join(m.trail, " "), log)
	fmt.Println(Read|Exec, Flag(0), All&^Write, Flag(0xc1), KB, MB, GB, Wed, WedBit, Closed)
	fmt.Printf("%v %d %s %x %q|%6v|%-12v|\n", Connected, Connected, Connected, Connected, Connected, Idle, Idle)
	for _, in := range []string{"a {{ b }} c{{d}}", "{{x", "", "{{}}"} {
		l := &lexer{in: in}
		for state := stateFn(lexText); state != nil; {
			state = state(l)
		}
		fmt.Printf("%q\n", l.items)
	}
	type pair struct {
		State
		Flag Flag
	}
	fmt.Println(pair{Connected, Read}, struct {
		S State
		F *Flag
	}{S: 7}, []State{0, 1, 2}, map[State]Flag{Idle: Write})
	fmt.Printf("%+v %#v\n", pair{1, 2}, pair{1, 2})
}
