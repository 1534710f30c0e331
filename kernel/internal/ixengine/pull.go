package ixengine

import (
	"go/ast"
	"iter"
	"sync/atomic"

	"github.com/goplus/ixgo"
	"github.com/visualfc/gid"
)

// iter.Pull runs the iterator in a goroutine that the runtime makes. That goroutine runs only while the
// caller of next or stop waits for it. The session treats the iterator's goroutine and the caller's as one
// goroutine: a wait in the iterator ends when the caller must stop, and a panic that stops the iterator
// propagates to the caller.

// pullSource replaces the interpreter's Pull and Pull2, which pass values as interfaces and cannot pass a nil
// interface.
const pullSource = `package iter

import _ "unsafe"

type Seq[V any] func(yield func(V) bool)

type Seq2[K, V any] func(yield func(K, V) bool)

func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func()) {
	var latest V
	step, stop := steps(func(yield func() bool) {
		seq(func(v V) bool {
			latest = v
			return yield()
		})
	})
	next = func() (v V, ok bool) {
		if step() {
			v, latest = latest, v
			return v, true
		}
		return
	}
	return next, stop
}

func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	type pair struct {
		k K
		v V
	}
	pull, stop := Pull(func(yield func(pair) bool) {
		seq(func(k K, v V) bool { return yield(pair{k, v}) })
	})
	next = func() (K, V, bool) {
		p, ok := pull()
		return p.k, p.v, ok
	}
	return next, stop
}

//go:linkname steps iter.steps
func steps(seq func(yield func() bool)) (step func() bool, stop func())
`

// replacePull makes cells use the session's own iter.Pull and iter.Pull2; see pullSource.
func (s *Session) replacePull(ctx *ixgo.Context) error {
	file, err := ctx.ParseFile("iter_patch.go", pullSource)
	if err != nil {
		return err
	}
	if p := (*s.source)["iter@patch"]; p != nil {
		p.Files = []*ast.File{file}
	}
	ctx.RegisterExternal("iter.steps", s.stop.steps)
	return nil
}

// steps implements iter.Pull for an iterator that passes no values: step() resumes seq, and reports whether seq has
// called yield(). (The Go code in pullSource passes the values.)
//
// If two goroutines are in next() or stop() at the same time, the runtime's own iter.Pull ends the process. Here the
// second goroutine panics instead. There is one exception: a goroutine that is being stopped, and calls stop() only to
// clean up, returns at once, because the first goroutine will be stopped too and then cleans up.
func (s *stopper) steps(seq func(yield func() bool)) (step func() bool, stop func()) {
	var caller *goroutine // the goroutine that called last
	var busy atomic.Bool
	next, end := iter.Pull(func(yield func(struct{}) bool) {
		id := gid.Get()
		s.actAs(id, caller)
		defer s.actAs(id, nil)
		seq(func() bool {
			s.actAs(id, nil) // the iterator may never be resumed
			more := yield(struct{}{})
			s.actAs(id, caller)
			return more
		})
	})
	step = func() (ok bool) {
		if !busy.CompareAndSwap(false, true) {
			panic("iter.Pull: next called again before yield")
		}
		defer busy.Store(false)
		caller = s.self()
		_, ok = next()
		return ok
	}
	stop = func() {
		if !busy.CompareAndSwap(false, true) {
			if s.hasToStop() {
				return
			}
			panic("iter.Pull: stop called before yield")
		}
		defer busy.Store(false)
		caller = s.self()
		end()
	}
	return step, stop
}

func (s *stopper) hasToStop() bool {
	g := s.self()
	if g == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return g.why != ""
}

// actAs records that the runtime's goroutine with the given id runs code on behalf of g, so that self() returns g
// there. If g is nil, actAs removes the record.
func (s *stopper) actAs(id uint64, g *goroutine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g == nil {
		delete(s.byGID, id)
		return
	}
	s.byGID[id] = g
}
