package modules

// versions is the last result of Versions.
type versions struct {
	file, mod string
	rules     bool
}

// Versions returns the current source of versions. file is the ruling file, "" if there is none. mod is the
// text of a go.mod that replaces a ruling go.mod, supplements a go.work, or counts alone; "" if there is none.
// rules reports whether imports must come from the modules in these; if the Env is off, none is allowed.
// Versions runs no command and waits for none: while another method works, it returns the last result.
func (e *Env) Versions() (file, mod string, rules bool) {
	if e.mu.TryLock() {
		v := &versions{e.ruling.file, e.mod, e.ruling.kind != none}
		if e.off {
			v = &versions{rules: true}
		}
		e.mu.Unlock()
		e.last.Store(v)
	}
	v := e.last.Load()
	if v == nil {
		v = &versions{file: e.ruling.file, rules: e.ruling.kind != none}
	}
	return v.file, v.mod, v.rules
}
