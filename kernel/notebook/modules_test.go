package notebook

import "testing"

func TestLock(t *testing.T) {
	n := &Notebook{}
	if n.Lock() != nil {
		t.Error("a lock in no metadata")
	}
	n.SetLock(nil)
	if n.Metadata != nil {
		t.Errorf("metadata %v", n.Metadata)
	}
	l := Lock{Mod: "module m\n", Sum: "a\nb\n"}
	n.SetLock(&l)
	b, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Lock(); got == nil || *got != l {
		t.Errorf("%+v", got)
	}
	m.SetChanged(&ParameterChanges{Cell: "c", Values: map[string]string{"n": "1"}})
	m.SetLock(nil)
	if m.Lock() != nil || m.Changed() == nil {
		t.Error("SetLock(nil) removes more or less than the lock")
	}
}
