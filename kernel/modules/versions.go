package modules

// versions is the last result of Versions.
type versions struct {
	file, mod string
	rules     bool
}

// Versions says where the versions of modules come from now. file is the go.mod or go.work file in effect, or "" if
// there is none. mod is the text of a go.mod of the Env, or "". This text replaces a go.mod file, supplements a go.work
// file, or is used alone. If rules is true, every import must come from a module in file or in mod. If the Env is off,
// file and mod are "" and rules is true, so no import is allowed. Versions runs no command and does not wait for other
// methods: while another method is running, Versions returns its own last result.
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
