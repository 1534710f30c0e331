package kernel

import "sync"

// Versions says which go.mod or go.work file determines the versions of the notebook's modules. The results are those
// of the method Versions of modules.Env. Completion and inspection use them. Versions may be called at any time, even
// while a cell runs, and returns at once.
func (k *Kernel) Versions() (file, mod string, rules bool) { return k.versions.ask() }

// suggest returns advice for a cell that uses a package of the given name but neither imports it nor can import it. It
// returns "" if nothing is known about the package. It is called only while a cell is being checked, when nothing else
// uses k.modules.
func (k *Kernel) suggest(name string) string {
	if k.modules == nil {
		return ""
	}
	return k.modules.Hint(name)
}

// versionSource is the part of Modules that versions uses.
type versionSource interface {
	Versions() (file, mod string, rules bool)
}

// versions asks the kernel's Modules where the versions of modules come from. Completion may need an answer before the
// first import has opened these Modules. In that case versions opens Modules of its own, called the fallback. The
// fallback finds the same go.mod or go.work file.
type versions struct {
	open func(state []byte) (Modules, error) // nil if the kernel has no access to other modules

	mu       sync.Mutex
	opened   Modules // opened by the kernel
	fallback Modules // opened by ask
	failed   bool
}

// opening calls the function v.open and also stores the opened Modules in v.
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
	if m, ok := m.(versionSource); ok {
		return m.Versions()
	}
	return "", "", true // the kernel has no access to other modules, or they cannot be opened
}

// close closes the fallback, if the method ask has opened it.
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
