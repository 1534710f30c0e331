package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// plain is a message in the form that JavaScript front ends use: one JSON object.
type plain struct {
	Channel  string          `json:"channel"`
	Header   json.RawMessage `json:"header"`
	Parent   json.RawMessage `json:"parent_header"`
	Metadata json.RawMessage `json:"metadata"`
	Content  json.RawMessage `json:"content"`
	Buffers  []string        `json:"buffers,omitempty"` // in base64
	HTML     string          `json:"html,omitempty"`
}

// ParsePlain parses a message, and the name of its channel, from one JSON object:
//
//	{"channel": "shell", "header": {}, "parent_header": {}, "metadata": {}, "content": {}, "buffers": []}
//
// Buffers are in base64. The returned message has one empty identity. Errors wrap ErrMalformed.
func ParsePlain(text []byte) (channel string, m *Message, err error) {
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return "", nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	var buffers [][]byte
	for i, b := range p.Buffers {
		raw, err := base64.StdEncoding.DecodeString(b)
		if err != nil {
			return "", nil, fmt.Errorf("%w: buffer %d: %v", ErrMalformed, i, err)
		}
		buffers = append(buffers, raw)
	}
	parts := [][]byte{p.Header, orEmpty(p.Parent), orEmpty(p.Metadata), orEmpty(p.Content)}
	m, err = parse([][]byte{{}}, parts, buffers)
	return p.Channel, m, err
}

// Plain returns m in the form that ParsePlain reads. If html is not empty, it becomes a field "html".
func (m *Message) Plain(channel, html string) (json.RawMessage, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, fmt.Errorf("wire: header: %w", err)
	}
	return encodePlain(plain{channel, header, orEmpty(m.ParentHeader), orEmpty(m.Metadata), orEmpty(m.Content), nil, html}, m.Buffers)
}

// encodePlain returns p with buffers as one line of JSON.
func encodePlain(p plain, buffers [][]byte) (json.RawMessage, error) {
	for _, b := range buffers {
		p.Buffers = append(p.Buffers, base64.StdEncoding.EncodeToString(b))
	}
	return Marshal(p)
}
