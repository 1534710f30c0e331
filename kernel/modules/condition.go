package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Condition describes briefly whether cells can import other modules on this machine: it names the Go version
// and counts the programs in the cache. The error is an *Error that says what is missing.
func Condition(ctx context.Context) (string, error) {
	e, err := Open(Options{})
	if err != nil {
		return "", err
	}
	defer e.Close()
	if err := e.isOff("any other module"); err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c, err := e.choose(ctx)
	if err != nil {
		return "", err
	}
	if _, err := kernelSource.Key(); err != nil {
		return "", noSource(err)
	}
	cache, _, err := e.folders()
	if err != nil {
		return "", err
	}
	if err := trusted(programs(cache)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", cacheFault(programs(cache), err)
	}
	var size int64
	list := readPrograms(cache)
	for _, p := range list {
		size += p.manifest.Size
	}
	return fmt.Sprintf("%s; %d compiled in %s, %.0f MB", c.version, len(list), cache, float64(size)/1e6), nil
}

// Advice returns the advice in an error of this package, or "" if there is none.
func Advice(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Advice
	}
	return ""
}
