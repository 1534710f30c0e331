package provision

import (
	"context"
	"fmt"
	"slices"
	"time"

	"overcomplete/kernel/modules"
)

// next is a compile in the background, for the next start.
type next struct {
	packages []string // what the program must have
	running  bool
	again    bool // packages has grown since it began
	begun    time.Time
	took     time.Duration
	err      error
	cancel   context.CancelFunc
	ended    chan struct{}
}

// startNext compiles a program in the background. A compile that runs already is followed by another
// one.
func (p *Provider) startNext(env Env, packages []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.next.packages, packages) && p.next.err == nil && (p.next.running || p.next.took > 0) {
		return
	}
	p.next.packages = packages
	if p.next.running {
		p.next.again = true
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.next.running, p.next.cancel, p.next.ended = true, cancel, make(chan struct{})
	go p.runNext(ctx, env, p.next.ended)
}

func (p *Provider) runNext(ctx context.Context, env Env, ended chan struct{}) {
	defer close(ended)
	for {
		p.mu.Lock()
		packages := p.next.packages
		p.next.begun, p.next.again = p.now(), false
		p.mu.Unlock()
		_, err := env.Compile(modules.Gently(ctx), packages, func(string) {})
		p.mu.Lock()
		p.next.took, p.next.err = max(p.now().Sub(p.next.begun), 1), err
		if !p.next.again || ctx.Err() != nil {
			p.next.running = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

// stopNext ends a compile in the background.
func (p *Provider) stopNext() {
	p.mu.Lock()
	cancel, ended := p.next.cancel, p.next.ended
	p.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(2 * time.Second): // the program ends anyway
	}
}

// aboutNext says how the compile for the next start is getting on, "" if there was none.
func (p *Provider) aboutNext() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.next
	switch {
	case n.running:
		return fmt.Sprintf("compiling for the next start, for %s so far", seconds(p.now().Sub(n.begun)))
	case n.err != nil:
		return "the compile for the next start failed: " + n.err.Error()
	case n.took > 0:
		return "compiled for the next start"
	}
	return ""
}
