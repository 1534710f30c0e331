package modules

// versions is what Versions has returned last.
type versions struct {
	file, mod string
	rules     bool
}

// Versions says what gives the versions now: the file that rules, "" if there is none; the text of
// a go.mod that counts in place of a go.mod that rules, beside a go.work, or alone, "" if there
// is none; and whether an import must be of a module that these name, which for an Env that is off
// is so of none. It runs no command and does not wait for one: while another method works, the
// answer is the last one.
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
