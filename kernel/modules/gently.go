package modules

import "context"

type gentleKey struct{}

// Gently returns a context in which the go command and its children run at low priority, so that cells are not
// slowed down.
func Gently(ctx context.Context) context.Context { return context.WithValue(ctx, gentleKey{}, true) }

// Gentle reports whether ctx comes from Gently.
func Gentle(ctx context.Context) bool { return ctx.Value(gentleKey{}) != nil }
