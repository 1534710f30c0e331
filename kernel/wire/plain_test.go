package wire

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	m := &Message{
		Header:       NewHeader("s", "u", "display_data"),
		ParentHeader: json.RawMessage(`{"msg_id":"p"}`),
		Content:      json.RawMessage(`{"text":"<b>ü</b>"}`),
		Buffers:      [][]byte{{0, 255}, {}},
	}
	text, err := m.Plain("iopub", "<p>ü</p>")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"html":"<p>ü</p>"`) {
		t.Errorf("no HTML in %s", text)
	}
	channel, got, err := ParsePlain(text)
	if err != nil {
		t.Fatal(err)
	}
	if channel != "iopub" || got.Header != m.Header || string(got.ParentHeader) != string(m.ParentHeader) ||
		string(got.Content) != string(m.Content) || string(got.Metadata) != "{}" || !reflect.DeepEqual(got.Buffers, m.Buffers) {
		t.Errorf("%q: %+v", channel, got)
	}
}

func TestParsePlainRefuses(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{}`, `{"header": {}}`, `{"header": {"msg_type": 3}}`, `{"header": {"msg_type": "x"}, "content": 3}`,
		`{"header": {"msg_type": "x"}, "buffers": ["?"]}`,
	} {
		if _, m, err := ParsePlain([]byte(text)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
	if _, _, err := ParsePlain([]byte(`{"header": {"msg_type": "x"}, "parent_header": null}`)); err != nil {
		t.Errorf("a message without the rest: %v", err)
	}
}

func FuzzParsePlain(f *testing.F) {
	f.Add([]byte(`{"channel": "shell", "header": {"msg_type": "x"}, "content": {}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, m, err := ParsePlain(text)
		if err != nil {
			return
		}
		if _, err := m.Plain("shell", ""); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}

func TestQueue(t *testing.T) {
	var sent []*Message
	q := NewQueue(func(m *Message) error { sent = append(sent, m); return nil })
	got := make(chan []*Message)
	go func() {
		var list []*Message
		for {
			m, err := q.Recv()
			if err != nil {
				if !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
				got <- list
				return
			}
			if list = append(list, m); len(list) == 3 {
				q.Close()
			}
		}
	}()
	want := []*Message{{}, {}, {}}
	for _, m := range want {
		q.Put(m)
	}
	if list := <-got; !reflect.DeepEqual(list, want) {
		t.Errorf("received %v", list)
	}
	if err := q.Send(want[0]); err != nil || len(sent) != 1 || sent[0] != want[0] {
		t.Errorf("sent %v, %v", sent, err)
	}
}
