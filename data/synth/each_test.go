package synth

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Generators of many items end when their context is done.
func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for what, generate := range map[string]func() error{
		"Digits": func() error { _, err := Digits(ctx, DigitsOptions{N: 20}); return err },
		"Faces":  func() error { _, err := Faces(ctx, FacesOptions{N: 20}); return err },
		"Topics": func() error { _, err := Topics(ctx, TopicsOptions{Documents: 20}); return err },
		"Music":  func() error { _, err := Music(ctx, MusicOptions{Genres: 2, Seconds: 0.2}); return err },
	} {
		if err := generate(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", what, err)
		}
	}
	ctx, cancel = context.WithCancel(context.Background())
	var done atomic.Int32
	err := forEach(ctx, "TestContextEnds", 1_000_000, func(i int) {
		if done.Add(1); i == 10 {
			cancel()
		}
		time.Sleep(10 * time.Microsecond)
	})
	if n := done.Load(); !errors.Is(err, context.Canceled) || n < 10 || n > 10_000 {
		t.Errorf("the error is %v, after %d pieces", err, n)
	}
	//lint:ignore SA1012 a nil context is allowed, and tested here
	if err := forEach(nil, "TestContextEnds", 3, func(int) {}); err != nil {
		t.Error(err)
	}
}

var (
	digits  = must(Digits)
	faces   = must(Faces)
	music   = must(Music)
	topics  = must(Topics)
	leaves  = must(withContext(DeadLeaves))
	mixture = must(withContext(Mixtures))
	speech  = must(withContext(Speech))
)

// must returns a function that calls generate and returns its result. An error ends the test.
func must[O, S any](generate func(context.Context, O) (S, error)) func(*testing.T, O) S {
	return func(t *testing.T, opt O) S {
		t.Helper()
		s, err := generate(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// withContext returns a version of generate that takes a context, and ignores it.
func withContext[O, S any](generate func(O) (S, error)) func(context.Context, O) (S, error) {
	return func(_ context.Context, opt O) (S, error) { return generate(opt) }
}
