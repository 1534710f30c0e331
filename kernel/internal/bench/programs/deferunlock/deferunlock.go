// Package deferunlock locks a mutex and defers its unlocking.
package deferunlock

import "sync"

type counter struct {
	mu  sync.Mutex
	sum int
}

func (c *counter) add(x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum += x
}

// Run adds n numbers to a counter and returns the counter's value.
func Run(n int) int {
	c := &counter{}
	for i := range n {
		c.add(i % 1009)
	}
	return c.sum
}
