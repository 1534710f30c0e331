// Deferred calls of all kinds, with and without panics.
package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
)

type Log struct {
	mu    sync.Mutex
	lines []string
}

func (l *Log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

type Counter int

func (c Counter) count(by int) { log.add("count %d", int(c)+by) }

var log = &Log{}

type Closer interface{ Close(how string) error }

type File struct{ name string }

func (f *File) Close(how string) error { log.add("close %s %s", f.name, how); return nil }

func order(n int) (s string) {
	defer func() { s += "!" }()
	for i := range n {
		defer func(at int) { s += fmt.Sprint(at, i, ";") }(i * 10)
	}
	return "order "
}

func values(x int, name string, pair struct{ a, b float64 }, big [20]int) {
	defer log.add("x %d, name %s, pair %v, big %d", x, name, pair, big[7])
	x, name, pair.b, big[7] = 9, "changed", 9, 9
	defer func(x int, s []string, e error) { log.add("literal %d %v %v", x, s, e) }(x, []string{name}, errors.New("e"))
}

func methods(c Closer) {
	f := &File{"own"}
	defer f.Close("pointer")
	counter := Counter(1)
	defer counter.count(3)
	counter = 7
	defer c.Close("interface")
	bound := f.Close
	defer bound("bound")
	ctx, cancel := context.WithCancel(context.Background())
	defer func() { log.add("ended %v", ctx.Err()) }()
	defer cancel()
	var once sync.Once
	defer once.Do(func() { log.add("once") })
	done := make(chan int, 1)
	defer func() { _, open := <-done; log.add("open %v", open) }()
	defer close(done)
}

func divide(a, b int) (q int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("divide: %v", p)
		}
	}()
	return a / b, nil
}

func unnamed(i int) int {
	defer func() { recover() }()
	return []int{4, 5}[i]
}

func nested(depth int) (s string) {
	defer func() {
		p := recover()
		s += fmt.Sprint(depth, ":", p, " ")
		if depth%3 == 1 {
			panic(fmt.Sprint("again ", depth))
		}
	}()
	if depth > 0 {
		return nested(depth-1) + "returned "
	}
	panic("bottom")
}

func replaced() (p any) {
	defer func() { p = recover() }()
	defer func() { panic("second") }()
	defer func() { log.add("sees %v", recover()) }()
	panic("first")
}

func helper() any { return recover() }

func notByHelper() (p any) {
	defer func() { p = recover() }()
	defer func() { log.add("helper %v", helper()) }()
	panic("through")
}

func direct() (s string) {
	defer func() { s += fmt.Sprint(recover()) }()
	defer helper()
	panic("for helper")
}

func callbacks() (s string) {
	xs := []int{3, 1, 2}
	defer func() { s += fmt.Sprint(recover(), xs) }()
	sort.Slice(xs, func(i, j int) bool {
		defer func() { s += "d" }()
		if len(s) == 2 {
			panic("in less")
		}
		return xs[i] < xs[j]
	})
	return
}

func inside() string {
	return strings.Map(func(r rune) (out rune) {
		defer func() {
			if recover() != nil {
				out = '?'
			}
		}()
		if r == 'b' {
			panic(r)
		}
		return r + 1
	}, "abc")
}

func nilFunction() (p any) {
	defer func() { p = recover() }()
	var f func()
	defer f()
	log.add("before nil")
	return nil
}

func quiet(n int) (sum int) {
	for i := range n {
		func() {
			defer func() { sum += i }()
			defer func() {
				defer func() { recover() }()
				if i%2 == 1 {
					panic(i)
				}
			}()
		}()
	}
	return sum
}

func locked(workers int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for w := range workers {
		wg.Add(1)
		go func(times int) {
			defer wg.Done()
			for range times {
				func() {
					mu.Lock()
					defer mu.Unlock()
					defer func() { recover() }()
					total++
					if total%7 == 0 {
						panic("seven")
					}
				}()
			}
		}(10 + w)
	}
	wg.Wait()
	return total
}

func deep(n int) (depth int) {
	defer func() {
		if p := recover(); p != nil {
			depth = n
			if n > 25 {
				panic(p)
			}
		}
	}()
	if n == 60 {
		panic("deep")
	}
	return deep(n + 1)
}

func main() {
	fmt.Println(order(3))
	values(1, "name", struct{ a, b float64 }{1, 2}, [20]int{7: 3})
	methods(&File{"other"})
	fmt.Println(divide(7, 2))
	fmt.Println(divide(7, 0))
	fmt.Println(unnamed(1), unnamed(5))
	fmt.Println(nested(3))
	fmt.Println(replaced(), notByHelper(), direct())
	fmt.Println(callbacks(), inside(), nilFunction())
	fmt.Println(quiet(5), locked(4), deep(20))
	for _, line := range log.lines {
		fmt.Println(line)
	}
	log.lines = nil
}
