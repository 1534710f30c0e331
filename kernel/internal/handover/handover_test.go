package handover

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"overcomplete/kernel/wire"
)

// TestRead: a named file is removed, and an invalid one is refused.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	for _, name := range []string{name, "/dev/fd/1", "/dev/fd/-3", "/dev/fd/x", "/dev/fd/99999"} {
		if _, err := Read(name); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	os.WriteFile(name, []byte("no hand-over"), 0o600)
	if _, err := Read(name); err == nil {
		t.Error("any text is a hand-over")
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

// FuzzParse: a file that is not a handover is refused, and an accepted file is written again as it was read.
func FuzzParse(f *testing.F) {
	empty := []byte("{}")
	execute := wire.PackedMessage{Identities: [][]byte{{1}}, Parts: [4][]byte{[]byte(`{"msg_type":"execute_request"}`), empty, empty, empty}}
	other := wire.PackedMessage{Identities: [][]byte{{1}}, Parts: [4][]byte{[]byte(`{"msg_type":"x"}`), empty, empty, empty}}
	for i, h := range []*Handover{
		{Format: Format, Session: "s", Count: 1, Cell: execute, Queue: []wire.PackedMessage{execute}, Sockets: &wire.State{}, State: []byte{0}, Declared: []DeclaredCell{{Name: "In[1]", Source: "x", ID: "a"}, {Name: "In[2]", Source: "y"}}},
		{Format: Format + 1, Session: "s", Cell: execute, Sockets: &wire.State{}},
		{Format: Format, Session: "s", Cell: execute, Queue: []wire.PackedMessage{other}, Sockets: &wire.State{}},
		{Format: Format, Session: "s", Sockets: &wire.State{}},
		{Format: Format, Session: "s", Cell: execute},
	} {
		var b bytes.Buffer
		if err := h.write(&b); err != nil {
			f.Fatal(err)
		}
		if _, err := Parse(b.Bytes()); (err == nil) != (i == 0) {
			f.Errorf("number %d: %v", i, err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Parse(data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := h.write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(b.Bytes())
		if err != nil {
			t.Fatalf("what was accepted is refused: %v", err)
		}
		var second bytes.Buffer
		again.write(&second)
		if !bytes.Equal(b.Bytes(), second.Bytes()) {
			t.Fatalf("%s became %s", &b, &second)
		}
		if len(again.Cells()) != len(h.Declared) {
			t.Fatal("declarations are lost")
		}
	})
}
