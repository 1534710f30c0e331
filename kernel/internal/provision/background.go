package provision

import (
	"context"
	"fmt"
	"slices"
	"time"

	"overcomplete/kernel/modules"
)

// A backgroundCompile compiles, in the background, the program with which the kernel starts next time. The Provider's
// mu guards it.
type backgroundCompile struct {
	packages []string // packages that the program must have
	record   record
	running  bool
	again    bool // the field packages has grown since the compile began
	begun    time.Time
	err      error
	cancel   context.CancelFunc
	ended    chan struct{}
}

// startNext compiles a program with the given packages in the background, for the next start. If a compile with other
// packages is already running, the new compile begins after it.
func (p *Provider) startNext(env Env, packages []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.next; n != nil && n.running {
		n.again = n.again || !slices.Equal(n.packages, packages)
		n.packages, n.record = packages, p.record(packages)
		return
	} else if n != nil && n.err == nil && slices.Equal(n.packages, packages) {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.next = &backgroundCompile{packages: packages, record: p.record(packages), running: true, begun: p.now(), cancel: cancel, ended: make(chan struct{})}
	go p.runNext(ctx, env, p.next)
}

func (p *Provider) runNext(ctx context.Context, env Env, n *backgroundCompile) {
	defer close(n.ended)
	for {
		p.mu.Lock()
		packages, record := n.packages, n.record
		n.again = false
		p.mu.Unlock()
		_, err := env.Compile(modules.Gently(ctx), packages, func(string) {})
		if err == nil {
			p.remember(env, record)
		}
		p.mu.Lock()
		n.err, n.running = err, n.again && ctx.Err() == nil
		again := n.running
		p.mu.Unlock()
		if !again {
			return
		}
	}
}

// stopNext ends a background compile, and returns the packages that it was compiling, or nil if no compile
// was running.
func (p *Provider) stopNext() []string {
	p.mu.Lock()
	n := p.next
	if n == nil || !n.running {
		p.mu.Unlock()
		return nil
	}
	packages := n.packages
	p.next = nil
	p.mu.Unlock()
	n.cancel()
	select {
	case <-n.ended:
	case <-time.After(2 * time.Second): // wait no longer
	}
	return packages
}

// aboutNext describes the state of the background compile, or returns "" if there is none.
func (p *Provider) aboutNext() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.next
	switch {
	case n == nil:
		return ""
	case n.running:
		return fmt.Sprintf("compiling for the next start (%s so far)", seconds(p.now().Sub(n.begun)))
	case n.err != nil:
		return "compiling for the next start failed: " + n.err.Error()
	}
	return "compiled for the next start"
}
