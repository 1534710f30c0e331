package lab

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestParallel(t *testing.T) {
	var calls atomic.Int64
	five := errors.New("five")
	got := catchPanic(func() {
		Parallel(t.Context(), 20, func(i int) {
			calls.Add(1)
			if i == 5 {
				Check(five)
			}
			if i > 5 {
				panic(i)
			}
		})
	})
	if got != five || calls.Load() != 20 {
		t.Errorf("%v after %d calls", got, calls.Load())
	}
	if got := catchPanic(func() { Parallel(t.Context(), 0, nil) }); got != nil {
		t.Error(got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	calls.Store(0)
	err, _ := catchPanic(func() {
		Parallel(ctx, 1000, func(i int) {
			calls.Add(1)
			cancel()
		})
	}).(error)
	if !errors.Is(err, context.Canceled) || calls.Load() == 1000 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}
