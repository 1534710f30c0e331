// Package runaway has much that has to be stopped.
package runaway

import (
	"fmt"
	"sync"
	"time"
)

var N int

func Forever() {
	for {
		N++
	}
}

func Goto() {
again:
	N++
	goto again
}

func Call() { Call2(0) }

func Call2(n int) {
	for n >= 0 {
		n = func() int { return n + 1 }()
	}
}

func Sleep() { time.Sleep(time.Hour) }

func Receive() { <-make(chan int) }

func Send() { make(chan int) <- 1 }

func Select() {
	a, b := make(chan int), make(chan string)
	select {
	case <-a:
	case b <- "":
	}
}

func Lock() {
	var m sync.Mutex
	m.Lock()
	m.Lock()
}

func Wait() {
	var wg sync.WaitGroup
	wg.Add(1)
	wg.Wait()
}

// Start starts a goroutine that goes on.
func Start() {
	go func() {
		for {
			N++
			time.Sleep(time.Microsecond)
		}
	}()
}

// Workers waits for goroutines that never end.
func Workers() {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				N++
			}
		})
	}
	wg.Wait()
}

func Range(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

func Recurse(n int) int { return Recurse(n+1) + 1 }

type Itself struct{ A int }

func (t Itself) String() string { return fmt.Sprint(t) }

func Each[T any](x T, f func(T)) {
	for {
		f(x)
	}
}

// Deferred runs d when it is stopped.
func Deferred(d func()) {
	defer d()
	for {
	}
}

// Crash panics, three calls deep.
func Crash() { crash1() }

func crash1() { crash2(nil) }

func crash2(m map[string]int) {
	m["a"] = 1
}

// Background panics in a goroutine.
func Background() {
	go func() {
		panic("in the background")
	}()
}

func Grow() {
	var all [][]byte
	for {
		all = append(all, make([]byte, 1<<16))
	}
}

func Make(n int) []int { return make([]int, n) }
