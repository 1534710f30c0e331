package main

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// A group of goroutines with a limit, whose first error cancels the rest; a pool of workers with retries.

type Group struct {
	wg     sync.WaitGroup
	sem    chan struct{}
	once   sync.Once
	err    error
	cancel context.CancelCauseFunc
}

func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

func (g *Group) SetLimit(n int) { g.sem = make(chan struct{}, n) }

func (g *Group) Go(f func() error) {
	if g.sem != nil {
		g.sem <- struct{}{}
	}
	g.wg.Add(1)
	go func() {
		defer func() {
			if g.sem != nil {
				<-g.sem
			}
			g.wg.Done()
		}()
		if err := protect(f); err != nil {
			g.once.Do(func() {
				g.err = err
				g.cancel(err)
			})
		}
	}()
}

func protect(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); ok {
				err = fmt.Errorf("panicked: %w", e)
				return
			}
			err = fmt.Errorf("panicked: %v", r)
		}
	}()
	return f()
}

func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel(g.err)
	return g.err
}

type Job struct {
	ID      int
	Payload string
	tries   int
}

type Result struct {
	Job Job
	Len int
	Err error
}

var ErrTransient = errors.New("transient")

type Pool struct {
	jobs    chan Job
	results chan Result
	pending sync.WaitGroup
	retried atomic.Int32
}

func (p *Pool) work(f func(Job) (int, error)) {
	for j := range p.jobs {
		n, err := f(j)
		if errors.Is(err, ErrTransient) && j.tries < 2 {
			j.tries++
			p.retried.Add(1)
			go func() { p.jobs <- j }()
			continue
		}
		p.results <- Result{j, n, err}
		p.pending.Done()
	}
}

func main() {
	g, ctx := WithContext(context.Background())
	g.SetLimit(3)
	var done atomic.Int64
	for i := range 10 {
		g.Go(func() error {
			if i == 4 {
				return fmt.Errorf("task %d failed", i)
			}
			if i < 4 {
				done.Add(1)
				return nil
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(time.Minute):
				return errors.New("too late")
			}
		})
	}
	fmt.Println(g.Wait(), done.Load(), context.Cause(ctx))

	g, _ = WithContext(context.Background())
	g.Go(func() error { var a []int; _ = a[len(a)+2]; return nil })
	err := g.Wait()
	var re interface{ RuntimeError() }
	fmt.Println(err, errors.As(err, &re))

	p := &Pool{jobs: make(chan Job), results: make(chan Result)}
	for range 4 {
		go p.work(func(j Job) (int, error) {
			switch {
			case j.ID%5 == 0 && j.tries < 1:
				return 0, fmt.Errorf("job %d: %w", j.ID, ErrTransient)
			case j.ID == 7:
				return 0, fmt.Errorf("job %d try %d: %w", j.ID, j.tries, ErrTransient)
			}
			return len(j.Payload), nil
		})
	}
	go func() {
		for i := range 12 {
			p.pending.Add(1)
			p.jobs <- Job{ID: i, Payload: fmt.Sprintf("payload %d", i*i)}
		}
		p.pending.Wait()
		close(p.jobs)
		close(p.results)
	}()
	var all []Result
	for r := range p.results {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Job.ID < all[j].Job.ID })
	for _, r := range all {
		fmt.Printf("%d:%d/%d %v\n", r.Job.ID, r.Len, r.Job.tries, r.Err)
	}
	fmt.Println(p.retried.Load())
}
