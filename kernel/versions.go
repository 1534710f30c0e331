package kernel

import "sync"

// Versions returns the source of the versions of the notebook's modules, like the method of a modules.Env;
// completion and inspection use it. It may be called at any time, also while a cell runs, and returns at once.
func (k *Kernel) Versions() (file, mod string, rules bool) { return k.versions.ask() }

// suggest returns advice about a package called name that a cell uses without importing it and that cannot be
// imported now; "" if nothing is known about it. It is called while a cell is checked, so nothing else uses
// k.modules.
func (k *Kernel) suggest(name string) string {
	if k.modules == nil {
		return ""
	}
	return k.modules.Hint(name)
}

// versioned is the part of Modules that versions uses.
type versioned interface {
	Versions() (file, mod string, rules bool)
}

// versions asks the Modules that cells use. Until a cell has needed them it opens others, which find the same
// file, because completion comes before the first import.
type versions struct {
	open func(state []byte) (Modules, error) // nil if there are no modules

	mu       sync.Mutex
	opened   Modules // by the kernel
	fallback Modules // by ask
	failed   bool
}

// opening returns an open function that also stores its result in v.
func (v *versions) opening(state []byte) (Modules, error) {
	m, err := v.open(state)
	if err == nil {
		v.mu.Lock()
		v.opened = m
		v.mu.Unlock()
	}
	return m, err
}

func (v *versions) ask() (file, mod string, rules bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.opened
	if m == nil {
		if v.fallback == nil && v.open != nil && !v.failed {
			var err error
			v.fallback, err = v.open(nil)
			v.failed = err != nil
		}
		m = v.fallback
	}
	if m, ok := m.(versioned); ok {
		return m.Versions()
	}
	return "", "", true // there are none
}

// close closes the Modules that ask opened.
func (v *versions) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fallback == nil {
		return nil
	}
	err := v.fallback.Close()
	v.fallback, v.failed = nil, true
	return err
}
