package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Rate limiters with tickers and a clock of one's own, debouncing, retries with back-off, a circuit breaker.

type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

type fakeClock struct {
	mu  sync.Mutex
	now time.Time
	log []time.Duration
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.log = append(c.log, d)
	return nil
}

type Bucket struct {
	Clock
	rate   float64
	burst  float64
	tokens float64
	last   time.Time
}

func NewBucket(c Clock, rate, burst float64) *Bucket {
	return &Bucket{Clock: c, rate: rate, burst: burst, tokens: burst, last: c.Now()}
}

func (b *Bucket) Allow(n float64) (ok bool, wait time.Duration) {
	now := b.Now()
	b.tokens = min(b.burst, b.tokens+now.Sub(b.last).Seconds()*b.rate)
	b.last = now
	if b.tokens >= n {
		b.tokens -= n
		return true, 0
	}
	return false, time.Duration((n - b.tokens) / b.rate * float64(time.Second))
}

func (b *Bucket) Wait(ctx context.Context, n float64) error {
	for {
		ok, d := b.Allow(n)
		if ok {
			return nil
		}
		if err := b.Sleep(ctx, d); err != nil {
			return fmt.Errorf("wait for %.1f: %w", n, err)
		}
	}
}

func Retry[T any](ctx context.Context, c Clock, tries int, f func(try int) (T, error)) (v T, err error) {
	delay := 100 * time.Millisecond
	for i := range tries {
		if v, err = f(i); err == nil {
			return v, nil
		}
		if serr := c.Sleep(ctx, delay); serr != nil {
			return v, errors.Join(err, serr)
		}
		delay = min(delay*2, time.Second)
	}
	var zero T
	return zero, fmt.Errorf("after %d tries: %w", tries, err)
}

type Breaker struct {
	failures, limit int
	until           time.Time
	c               Clock
}

var ErrOpen = errors.New("breaker open")

func (b *Breaker) Do(f func() error) (err error) {
	if b.c.Now().Before(b.until) {
		return ErrOpen
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
		if err == nil {
			b.failures = 0
		} else if b.failures++; b.failures >= b.limit {
			b.until = b.c.Now().Add(time.Second)
		}
	}()
	return f()
}

func main() {
	clock := &fakeClock{now: time.Unix(1000, 0).UTC()}
	b := NewBucket(clock, 2, 4)
	var allowed []bool
	for range 6 {
		ok, _ := b.Allow(1)
		allowed = append(allowed, ok)
	}
	fmt.Println(allowed)
	ctx, cancel := context.WithCancel(context.Background())
	for i := range 4 {
		fmt.Print(b.Wait(ctx, float64(i)/2+0.5), " ", clock.Now().Sub(time.Unix(1000, 0)), "; ")
	}
	cancel()
	err := b.Wait(ctx, 3)
	fmt.Println(err, errors.Is(err, context.Canceled), clock.log)

	clock.log = nil
	v, err := Retry(context.Background(), clock, 6, func(try int) (string, error) {
		if try < 4 {
			return "bad", fmt.Errorf("try %d", try)
		}
		return fmt.Sprint("good ", try), nil
	})
	fmt.Println(v, err, clock.log)
	n, err := Retry(ctx, clock, 3, func(try int) (int, error) { return try, fmt.Errorf("try %d", try) })
	fmt.Printf("%d %q\n", n, err)
	n, err = Retry(context.Background(), clock, 2, func(try int) (int, error) { return 7, errors.ErrUnsupported })
	fmt.Println(n, err, errors.Is(err, errors.ErrUnsupported))

	br := &Breaker{limit: 2, c: clock}
	for i := range 6 {
		fmt.Print(br.Do(func() error {
			switch i {
			case 0:
				var m map[string]int
				m["x"] = 1
			case 1:
				return errors.New("down")
			}
			return nil
		}), "; ")
		if i == 3 {
			clock.Sleep(context.Background(), 2*time.Second)
		}
	}
	fmt.Println(br.failures)

	// Real tickers: the counts are known, not the times.
	tick := time.NewTicker(200 * time.Microsecond)
	var n2 atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range tick.C {
			if n2.Add(1) == 5 {
				tick.Stop()
				return
			}
		}
	}()
	<-done
	fmt.Println(n2.Load())
	start := time.Now()
	timer := time.AfterFunc(time.Hour, func() { panic("late") })
	fmt.Println(timer.Reset(time.Hour), timer.Stop(), timer.Stop(), time.Since(start) < time.Hour)
	calls := make(chan string, 10)
	debounce := func(d time.Duration, f func()) func() {
		var t *time.Timer
		return func() {
			if t != nil {
				t.Stop()
			}
			t = time.AfterFunc(d, f)
		}
	}
	poke := debounce(2*time.Millisecond, func() { calls <- "called" })
	for range 5 {
		poke()
	}
	fmt.Println(<-calls, len(calls))
	select {
	case <-time.After(time.Millisecond):
		fmt.Println("time out")
	case <-make(chan int):
	}
	tctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	<-tctx.Done()
	_, has := tctx.Deadline()
	fmt.Println(tctx.Err(), has, errors.Is(context.Cause(tctx), context.DeadlineExceeded))
	stop()
}
