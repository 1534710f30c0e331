package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A small Lisp: reader, environments, closures, tail calls by a loop, errors with causes.

type Value interface{}

type Symbol string

type List []Value

type Builtin func(args []Value) (Value, error)

type Lambda struct {
	params []Symbol
	body   Value
	env    *Env
}

type Env struct {
	vars  map[Symbol]Value
	outer *Env
}

func (e *Env) find(s Symbol) (*Env, bool) {
	for ; e != nil; e = e.outer {
		if _, ok := e.vars[s]; ok {
			return e, true
		}
	}
	return nil, false
}

var ErrSyntax = errors.New("syntax error")

type UnboundError struct{ Name Symbol }

func (e *UnboundError) Error() string { return "unbound variable " + string(e.Name) }

func tokenize(s string) []string {
	s = strings.NewReplacer("(", " ( ", ")", " ) ", "'", " ' ").Replace(s)
	return strings.Fields(s)
}

func read(tokens *[]string) (Value, error) {
	if len(*tokens) == 0 {
		return nil, fmt.Errorf("%w: unexpected end", ErrSyntax)
	}
	t := (*tokens)[0]
	*tokens = (*tokens)[1:]
	switch t {
	case "(":
		list := List{}
		for {
			if len(*tokens) == 0 {
				return nil, fmt.Errorf("%w: missing )", ErrSyntax)
			}
			if (*tokens)[0] == ")" {
				*tokens = (*tokens)[1:]
				return list, nil
			}
			v, err := read(tokens)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	case ")":
		return nil, fmt.Errorf("%w: unexpected )", ErrSyntax)
	case "'":
		v, err := read(tokens)
		return List{Symbol("quote"), v}, err
	}
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return n, nil
	}
	if f, err := strconv.ParseFloat(t, 64); err == nil {
		return f, nil
	}
	return Symbol(t), nil
}

func truthy(v Value) bool {
	b, ok := v.(bool)
	return !ok || b
}

func eval(v Value, env *Env) (Value, error) {
	for {
		switch x := v.(type) {
		case Symbol:
			e, ok := env.find(x)
			if !ok {
				return nil, &UnboundError{x}
			}
			return e.vars[x], nil
		case List:
			if len(x) == 0 {
				return nil, fmt.Errorf("%w: empty call", ErrSyntax)
			}
			if head, ok := x[0].(Symbol); ok {
				switch head {
				case "quote":
					return x[1], nil
				case "if":
					c, err := eval(x[1], env)
					if err != nil {
						return nil, err
					}
					if truthy(c) {
						v = x[2]
					} else if len(x) > 3 {
						v = x[3]
					} else {
						return false, nil
					}
					continue
				case "define":
					switch target := x[1].(type) {
					case Symbol:
						val, err := eval(x[2], env)
						if err != nil {
							return nil, err
						}
						env.vars[target] = val
						return target, nil
					case List:
						name := target[0].(Symbol)
						env.vars[name] = makeLambda(target[1:], x[2], env)
						return name, nil
					}
				case "set!":
					val, err := eval(x[2], env)
					if err != nil {
						return nil, err
					}
					e, ok := env.find(x[1].(Symbol))
					if !ok {
						return nil, &UnboundError{x[1].(Symbol)}
					}
					e.vars[x[1].(Symbol)] = val
					return val, nil
				case "lambda":
					return makeLambda(x[1].(List), x[2], env), nil
				case "begin":
					for _, s := range x[1 : len(x)-1] {
						if _, err := eval(s, env); err != nil {
							return nil, err
						}
					}
					v = x[len(x)-1]
					continue
				}
			}
			f, err := eval(x[0], env)
			if err != nil {
				return nil, err
			}
			args := make([]Value, len(x)-1)
			for i, a := range x[1:] {
				if args[i], err = eval(a, env); err != nil {
					return nil, err
				}
			}
			switch f := f.(type) {
			case Builtin:
				return f(args)
			case *Lambda:
				if len(args) != len(f.params) {
					return nil, fmt.Errorf("want %d arguments, got %d", len(f.params), len(args))
				}
				next := &Env{map[Symbol]Value{}, f.env}
				for i, p := range f.params {
					next.vars[p] = args[i]
				}
				v, env = f.body, next
				continue
			default:
				return nil, fmt.Errorf("%v is not a function", show(f))
			}
		default:
			return v, nil
		}
	}
}

func makeLambda(params List, body Value, env *Env) *Lambda {
	l := &Lambda{body: body, env: env}
	for _, p := range params {
		l.params = append(l.params, p.(Symbol))
	}
	return l
}

func show(v Value) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case List:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = show(x)
		}
		return "(" + strings.Join(parts, " ") + ")"
	case *Lambda:
		return "#<lambda/" + strconv.Itoa(len(v.params)) + ">"
	case Builtin:
		return "#<builtin>"
	case bool:
		return map[bool]string{true: "#t", false: "#f"}[v]
	}
	return fmt.Sprint(v)
}

func arith(name string, onInts func(a, b int64) int64, onFloats func(a, b float64) float64) Builtin {
	return func(args []Value) (Value, error) {
		if len(args) == 0 {
			return nil, fmt.Errorf("%s needs arguments", name)
		}
		acc := args[0]
		for _, x := range args[1:] {
			a, aInt := acc.(int64)
			b, bInt := x.(int64)
			if aInt && bInt {
				acc = onInts(a, b)
				continue
			}
			fa, ok1 := toFloat(acc)
			fb, ok2 := toFloat(x)
			if !ok1 || !ok2 {
				return nil, fmt.Errorf("%s: %s is no number", name, show(x))
			}
			acc = onFloats(fa, fb)
		}
		return acc, nil
	}
}

func toFloat(v Value) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func compare(test func(a, b float64) bool) Builtin {
	return func(args []Value) (Value, error) {
		for i := 1; i < len(args); i++ {
			a, _ := toFloat(args[i-1])
			b, _ := toFloat(args[i])
			if !test(a, b) {
				return false, nil
			}
		}
		return true, nil
	}
}

func global() *Env {
	return &Env{vars: map[Symbol]Value{
		"+": arith("+", func(a, b int64) int64 { return a + b }, func(a, b float64) float64 { return a + b }),
		"-": arith("-", func(a, b int64) int64 { return a - b }, func(a, b float64) float64 { return a - b }),
		"*": arith("*", func(a, b int64) int64 { return a * b }, func(a, b float64) float64 { return a * b }),
		"/": Builtin(func(args []Value) (v Value, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("division: %v", r)
				}
			}()
			return args[0].(int64) / args[1].(int64), nil
		}),
		"<":    compare(func(a, b float64) bool { return a < b }),
		"=":    compare(func(a, b float64) bool { return a == b }),
		"list": Builtin(func(args []Value) (Value, error) { return List(args), nil }),
		"car":  Builtin(func(args []Value) (Value, error) { return args[0].(List)[0], nil }),
		"cdr":  Builtin(func(args []Value) (Value, error) { return args[0].(List)[1:], nil }),
		"cons": Builtin(func(args []Value) (Value, error) {
			return append(List{args[0]}, args[1].(List)...), nil
		}),
		"null?": Builtin(func(args []Value) (Value, error) { return len(args[0].(List)) == 0, nil }),
		"#t":    true,
		"#f":    false,
	}}
}

func main() {
	env := global()
	for _, src := range []string{
		"(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))",
		"(fact 15)",
		"(define (loop i acc) (if (= i 0) acc (loop (- i 1) (+ acc i))))",
		"(loop 5000 0)",
		"(define (map f l) (if (null? l) '() (cons (f (car l)) (map f (cdr l)))))",
		"(map (lambda (x) (* x x 1.5)) '(1 2 3 4))",
		"(define (counter) (begin (define n 0) (lambda () (set! n (+ n 1)))))",
		"(define c (counter))", "(begin (c) (c) (c))",
		"(/ 7 2)", "(/ 7 0)", "(list 1 'a \"b\" (lambda (x y) x) car #f)",
		"(undefined 1)", "(1 2)", "(map", ")", "((lambda (x) x))",
	} {
		tokens := tokenize(src)
		v, err := read(&tokens)
		if err == nil {
			v, err = eval(v, env)
		}
		var unbound *UnboundError
		switch {
		case errors.As(err, &unbound):
			fmt.Printf("%-40.40s => unbound: %q\n", src, unbound.Name)
		case errors.Is(err, ErrSyntax):
			fmt.Printf("%-40.40s => bad: %v\n", src, err)
		case err != nil:
			fmt.Printf("%-40.40s => error: %v\n", src, err)
		default:
			fmt.Printf("%-40.40s => %s\n", src, show(v))
		}
	}
}
