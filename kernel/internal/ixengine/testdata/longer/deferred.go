// Defers in branches, loops and hot functions: their order and arguments, and what panics, Goexit and returns leave.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

func ordered(n int) (out string) {
	add := func(s string, x int) { out += fmt.Sprint(s, x, " ") }
	x := n
	defer add("a", x)
	x++
	if n%2 == 0 {
		defer add("b", x)
		x += 10
	} else {
		x += 20
		defer add("c", x)
	}
	if n > 2 {
		return "early "
	}
	defer add("d", x)
	return "late "
}

func panics(at int) (out string) {
	defer func() { out += fmt.Sprint(recover()) }()
	if at == 0 {
		panic("first")
	}
	defer func() { out += "x" }()
	if at == 1 {
		panic("second")
	}
	defer func() {
		if at == 2 {
			panic("inner")
		}
		out += "y"
	}()
	if at == 3 {
		panic("third")
	}
	return "none "
}

func called(f func()) (r any) {
	defer func() { r = recover() }()
	defer f()
	return 1
}

type account struct {
	mu      sync.Mutex
	balance int
	log     []string
}

var errPoor = errors.New("too little money")

func (a *account) note(s string) { a.log = append(a.log, s) }

func (a *account) take(n int) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer func() {
		if err != nil {
			a.note(fmt.Sprint(n, ": ", err))
		}
	}()
	if n < 0 {
		defer a.note("strange")
		panic(fmt.Sprintf("take %d", n))
	}
	if a.balance -= n; a.balance < 0 {
		a.balance += n
		return errPoor
	}
	return nil
}

func (a *account) safely(n int) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = p
		default:
			err = fmt.Errorf("caught %v", p)
		}
	}()
	return a.take(n)
}

func filled(n int) (c chan int) {
	c = make(chan int, n)
	defer close(c)
	for i := range n {
		c <- i
	}
	return c
}

// hot panics now and then; it is called in a loop.
func hot(i int, list []int) (r int) {
	defer func() {
		if p := recover(); p != nil {
			r = -1
		}
	}()
	defer func(k int) { r += k }(i & 3)
	if i%1000 == 999 {
		return list[i]
	}
	return i & 1
}

func again() (out string) {
	i := 0
again:
	i++
	defer func(i int) { out += fmt.Sprint(i) }(i)
	if i < 3 {
		goto again
	}
	return
}

func leaves(c chan string) {
	defer close(c)
	defer func() { c <- fmt.Sprint("recovered ", recover()) }()
	defer func() { c <- "before" }()
	runtime.Goexit()
}

// nested panics while it recovers, in functions that defer on their own.
func nested(depth int) (out string) {
	defer func() {
		out += fmt.Sprint(depth, recover(), ";")
	}()
	if depth == 0 {
		panic("bottom")
	}
	defer func() {
		if depth%2 == 1 {
			defer func() { out += "odd" }()
			panic(depth)
		}
	}()
	out = nested(depth - 1)
	return out
}

type stack []int

func (s stack) show(prefix string) { fmt.Println(prefix, len(s), s) }

func values() {
	s := stack{1, 2}
	defer s.show("before")
	s = append(s, 3)
	defer s.show("after")
	var p *stack = &s
	defer func() { (*p)[0] = 9; p.show("closure") }()
}

func returned() (a, b int) {
	defer func() { a, b = b, a+1 }()
	a = 5
	return 1, 2
}

// captured returns functions with variables that change, or do not, after the functions are made.
func captured(n int) (list []func() int) {
	var i int
	for i = range 3 {
		if i == 0 {
			list = append(list, func() int { return i })
		}
	}
	for k := range 3 {
		square := k * k
		list = append(list, func() int { return square + n })
	}
	var last int
again:
	last = len(list)
	list = append(list, func() int { return 100 + last })
	if last < 6 {
		goto again
	}
	return list
}

func main() {
	for _, f := range captured(10) {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	for i := range 4 {
		fmt.Println(ordered(i))
	}
	for i := range 5 {
		fmt.Println(panics(i))
	}
	fmt.Println(called(func() {}), called(nil), called(func() { panic(errPoor) }))

	a := &account{balance: 1000}
	for range 400 {
		a.take(3)
	}
	for _, n := range []int{5, -1, 1, 2000} {
		fmt.Println(n, a.safely(n), a.balance)
	}
	fmt.Println(len(a.log), a.log[len(a.log)-3:], a.mu.TryLock())

	sum := 0
	for i := range 300 {
		for v := range filled(i % 5) {
			sum += v
		}
	}
	fmt.Println(sum)

	sum = 0
	for i := range 20000 {
		sum += hot(i, nil)
	}
	fmt.Println(sum, again())

	c := make(chan string)
	go leaves(c)
	for s := range c {
		fmt.Println(s)
	}
	fmt.Println(nested(5))
	for range 3 {
		values()
	}
	fmt.Println(returned())
}
