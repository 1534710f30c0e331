// Channels of all kinds of elements, and select statements.
package main

import (
	"fmt"
	"sync"
	"time"
)

type Point struct{ X, Y float64 }

type Big struct {
	grid [30]int32
	name string
	next *Big
}

type Shape interface{ Area() float64 }

type Square float64

func (s Square) Area() float64 { return float64(s * s) }

func through[T any](values ...T) (out []any) {
	ch := make(chan T, 2)
	go func() {
		defer close(ch)
		for _, v := range values {
			ch <- v
		}
	}()
	first, ok := <-ch
	out = append(out, first, ok)
	for v := range ch {
		out = append(out, v)
	}
	last, ok := <-ch
	return append(out, last, ok, len(ch), cap(ch))
}

func kinds() {
	fmt.Println(through(true, false, true)...)
	fmt.Println(through(int8(-3), 127), through(uint16(65535), 1), through(rune('x'), 'y'))
	fmt.Println(through(1.5, -2.5), through(float32(0.25), 3), through(complex(1, 2), 3), through(uintptr(5), 6))
	fmt.Println(through("a", "", "bc"), through([]int{1}, nil), through(map[string]int{"k": 1}, nil))
	fmt.Println(through(Point{1, 2}, Point{}), through([3]string{"x"}, [3]string{2: "z"}), through(struct{}{}, struct{}{}))
	fmt.Println(through[any](1, nil, "s", Point{3, 4}), through[error](nil, fmt.Errorf("e")), through[Shape](Square(2), nil))
	big := through(Big{name: "one"}, Big{grid: [30]int32{5: 5}, name: "two"})
	fmt.Println(big[2].(Big).grid[5], big[2].(Big).name, len(big))
	f := through(func() int { return 4 }, nil)
	fmt.Println(f[0].(func() int)(), f[2].(func() int) == nil)
}

func selects() (log []string) {
	add := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	a, b := make(chan string, 1), make(chan string, 1)
	var none chan string
	select {
	case v := <-a:
		add("a %s", v)
	case none <- "never":
	default:
		add("default")
	}
	for i := range 2 {
		select {
		case a <- fmt.Sprint("to a ", i):
			add("sent a")
		case b <- fmt.Sprint("to b ", i):
			add("sent b")
		default:
			add("got %d", len(<-a)+len(<-b))
		}
		if i == 0 { // both cases have been ready: make the rest certain
			select {
			case a <- "to a 1":
			case b <- "to b 1":
			}
			log = log[:1]
		}
	}
	close(a)
	v, ok := <-a
	for ok {
		v, ok = <-a
	}
	select {
	case v, ok = <-a:
		add("closed %q %v", v, ok)
	case <-time.After(time.Minute):
		add("late")
	}
	select {
	case p := <-points(2):
		add("%v", p)
	}
	select {
	case x := <-after(2):
		add("x %d", x)
	case <-time.After(time.Minute):
		add("late")
	}
	return log
}

func points(n int) <-chan Point {
	ch := make(chan Point)
	go func() { ch <- Point{float64(n), 1} }()
	return ch
}

func after(n int) chan int {
	ch := make(chan int)
	go func() { time.Sleep(time.Millisecond); ch <- n }()
	return ch
}

func caught(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return
}

func faults() {
	closed := make(chan int)
	close(closed)
	var none chan int
	n := -1
	fmt.Println(caught(func() { closed <- 1 }), caught(func() { close(closed) }), caught(func() { close(none) }))
	fmt.Println(caught(func() { _ = make(chan int, n) }), len(none), cap(none))
	fmt.Println(caught(func() {
		select {
		case closed <- 2:
		default:
		}
	}))
}

func pipeline(stages, values int) (sum int) {
	in := make(chan int)
	out := in
	for i := range stages {
		next := make(chan int, i%3)
		go func(from <-chan int, to chan<- int) {
			for v := range from {
				to <- v + i
			}
			close(to)
		}(out, next)
		out = next
	}
	go func() {
		for v := range values {
			in <- v
		}
		close(in)
	}()
	for v := range out {
		sum += v
	}
	return sum
}

func merge(n int) int {
	left, right, done := make(chan [2]int), make(chan [2]int), make(chan struct{})
	var wg sync.WaitGroup
	for _, to := range []chan [2]int{left, right} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range n {
				to <- [2]int{i, n - i}
			}
		}()
	}
	go func() { wg.Wait(); close(done) }()
	total := 0
	for {
		select {
		case p := <-left:
			total += p[0] + 2*p[1]
		case p := <-right:
			total += p[0] + 2*p[1]
		case <-done:
			return total
		}
	}
}

func main() {
	kinds()
	for _, line := range selects() {
		fmt.Println(line)
	}
	faults()
	fmt.Println(pipeline(12, 50), merge(40))
}
