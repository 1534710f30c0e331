package modules

import "context"

type gentleKey struct{}

// Gently returns a context derived from ctx. A go command that runs with this context has low priority, so that
// it does not slow down cells.
func Gently(ctx context.Context) context.Context { return context.WithValue(ctx, gentleKey{}, true) }

// Gentle reports whether ctx comes from Gently.
func Gentle(ctx context.Context) bool { return ctx.Value(gentleKey{}) != nil }
