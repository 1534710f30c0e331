package main

import (
	"fmt"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// A scanner written with goto, a precedence parser, constant folding, and a stack machine.

type kind uint8

const (
	eof kind = iota
	number
	ident
	op
	bad
	kinds = iota
)

var kindNames = [kinds]string{eof: "eof", number: "number", ident: "ident", op: "op", bad: "bad"}

func (k kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

type token struct {
	kind
	text string
	pos  int
}

func scan(src string) (tokens []token) {
	i := 0
next:
	if i >= len(src) {
		return append(tokens, token{eof, "", i})
	}
	start := i
	r, n := utf8.DecodeRuneInString(src[i:])
	switch {
	case unicode.IsSpace(r):
		i += n
		goto next
	case r >= '0' && r <= '9', r == '.':
		goto digits
	case unicode.IsLetter(r) || r == '_':
		goto letters
	case r == utf8.RuneError && n == 1:
		i++
		tokens = append(tokens, token{bad, fmt.Sprintf("%#x", src[start]), start})
		goto next
	}
	i += n
	if r == '*' && i < len(src) && src[i] == '*' {
		i++
	}
	tokens = append(tokens, token{op, src[start:i], start})
	goto next
digits:
	for i < len(src) && (src[i] >= '0' && src[i] <= '9' || src[i] == '.') {
		i++
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		i++
		if i < len(src) && (src[i] == '-' || src[i] == '+') {
			i++
		}
		goto digits
	}
	tokens = append(tokens, token{number, src[start:i], start})
	goto next
letters:
	for i < len(src) {
		r, n := utf8.DecodeRuneInString(src[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			break
		}
		i += n
	}
	tokens = append(tokens, token{ident, src[start:i], start})
	goto next
}

type node interface {
	eval(env map[string]float64) float64
}

type (
	num    float64
	name   string
	unary  struct{ x node }
	binary struct {
		op   string
		l, r node
	}
	call struct {
		f    func(...float64) float64
		name string
		args []node
	}
)

func (n num) eval(map[string]float64) float64       { return float64(n) }
func (n name) eval(env map[string]float64) float64  { return env[string(n)] }
func (u unary) eval(env map[string]float64) float64 { return -u.x.eval(env) }
func (b *binary) eval(env map[string]float64) float64 {
	l, r := b.l.eval(env), b.r.eval(env)
	switch b.op {
	case "+":
		return l + r
	case "-":
		return l - r
	case "*":
		return l * r
	case "/":
		return l / r
	case "%":
		return math.Mod(l, r)
	case "**":
		return math.Pow(l, r)
	}
	panic("operator " + b.op)
}
func (c call) eval(env map[string]float64) float64 {
	args := make([]float64, 0, len(c.args))
	for _, a := range c.args {
		args = append(args, a.eval(env))
	}
	return c.f(args...)
}

var functions = map[string]func(...float64) float64{
	"max": func(x ...float64) float64 {
		m := math.Inf(-1)
		for _, v := range x {
			m = max(m, v)
		}
		return m
	},
	"sum": func(x ...float64) (s float64) {
		for _, v := range x {
			s += v
		}
		return
	},
	"sqrt": func(x ...float64) float64 { return math.Sqrt(x[0]) },
}

type parser struct {
	tokens []token
	at     int
}

type parseError struct {
	token
	want string
}

func (e parseError) Error() string {
	return fmt.Sprintf("%d: want %s, not %v %q", e.pos, e.want, e.kind, e.text)
}

func (p *parser) peek() token { return p.tokens[p.at] }
func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != eof {
		p.at++
	}
	return t
}

var power = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "**": 4}

func (p *parser) expr(min int) node {
	var left node
	switch t := p.take(); {
	case t.kind == number:
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			panic(parseError{t, "a number"})
		}
		left = num(f)
	case t.kind == ident && p.peek().text == "(":
		p.take()
		f, ok := functions[t.text]
		if !ok {
			panic(parseError{t, "a function"})
		}
		c := call{f: f, name: t.text}
		for p.peek().text != ")" {
			c.args = append(c.args, p.expr(0))
			if p.peek().text == "," {
				p.take()
			}
		}
		p.take()
		left = c
	case t.kind == ident:
		left = name(t.text)
	case t.text == "-":
		left = unary{p.expr(3)}
	case t.text == "(":
		left = p.expr(0)
		if c := p.take(); c.text != ")" {
			panic(parseError{c, `")"`})
		}
	default:
		panic(parseError{t, "an operand"})
	}
	for {
		t := p.peek()
		prec, ok := power[t.text]
		if !ok || prec <= min && !(t.text == "**" && prec == min) {
			return left
		}
		p.take()
		next := prec
		if t.text == "**" {
			next = prec - 1
		}
		left = &binary{t.text, left, p.expr(next)}
	}
}

func parse(src string) (n node, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case parseError:
			n, err = nil, r
		default:
			panic(r)
		}
	}()
	p := &parser{tokens: scan(src)}
	n = p.expr(0)
	if t := p.take(); t.kind != eof {
		return nil, parseError{t, "the end"}
	}
	return n, nil
}

func fold(n node) node {
	b, ok := n.(*binary)
	if !ok {
		if u, ok := n.(unary); ok {
			if x, ok := fold(u.x).(num); ok {
				return -x
			}
		}
		return n
	}
	l, r := fold(b.l), fold(b.r)
	if _, ok := l.(num); ok {
		if _, ok := r.(num); ok {
			return num((&binary{b.op, l, r}).eval(nil))
		}
	}
	return &binary{b.op, l, r}
}

func main() {
	env := map[string]float64{"x": 2, "größe": 1.5}
	for _, src := range []string{
		"1 + 2*3 - 4/5", "2**3**2", "-2**2", "(1+x)*(x-1)", "größe*2e1 + .5", "max(1, x, sum(3,4,-x)) % 4",
		"1 +", "(1", "foo(1)", "1 2", "sqrt(-1)", "1/0 - 1/0", "1.2.3", "a\xffb", "--x", "",
	} {
		n, err := parse(src)
		if err != nil {
			fmt.Printf("%q: %v\n", src, err)
			continue
		}
		fmt.Printf("%q = %.6g %T\n", src, n.eval(env), fold(n))
	}
	fmt.Println(scan("a+1"), kind(7))
}
