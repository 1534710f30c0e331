package ixengine

import (
	"go/token"
	"runtime/debug"

	"overcomplete/kernel/engine"
)

var _ engine.Checker = (*Session)(nil)

// vetted is the name of cells that are checked and not run.
const vetted = "(check)"

// Check checks a cell without running it; see engine.Checker.
func (s *Session) Check(cell engine.Cell) (fault *engine.Error, ok bool) {
	if !s.introspection.running.TryLock() {
		return nil, false
	}
	defer s.introspection.running.Unlock()
	s.debug.building.Lock()
	defer s.debug.building.Unlock()
	base, lastID := s.ctx.FileSet.Base(), s.lastID
	defer func() {
		if p := recover(); p != nil {
			fault, ok = internalError(p, debug.Stack()), true
		}
		s.lastID = lastID
		s.sources.forget(vetted)
		var files []*token.File
		s.ctx.FileSet.Iterate(func(f *token.File) bool {
			if f.Base() >= base {
				files = append(files, f)
			}
			return true
		})
		for _, f := range files {
			s.ctx.FileSet.RemoveFile(f)
		}
	}()
	cell.Name = vetted
	_, fault = s.typeCheck(cell)
	return fault, true
}

// forget removes the text of a cell.
func (s *sources) forget(cell string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.text, cell)
	delete(s.whole, cell)
}
