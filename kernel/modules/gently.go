package modules

import "context"

type gentleKey struct{}

// Gently returns a context for go commands that run with low priority, so that they do not slow down cells.
func Gently(ctx context.Context) context.Context { return context.WithValue(ctx, gentleKey{}, true) }

// Gentle reports whether ctx comes from Gently.
func Gentle(ctx context.Context) bool { return ctx.Value(gentleKey{}) != nil }
