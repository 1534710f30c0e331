package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Marshal writes v as JSON as it stands in messages: with < > and & left
// alone, which makes HTML and SVG half as long as with json.Marshal. Values
// whose own MarshalJSON panics are an error.
func Marshal(v any) (raw json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			raw, err = nil, fmt.Errorf("wire: JSON: panic: %v", r)
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("wire: JSON: %w", err)
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
