// Package initpanic fails when it is initialised, and leaves a goroutine behind.
package initpanic

import "time"

type T struct{ A int }

func (t T) String() string { return "T" }

func init() {
	go wait()
	check(nil)
}

func wait() {
	for {
		time.Sleep(time.Millisecond)
	}
}

func check(p *T) {
	_ = p.A
}
