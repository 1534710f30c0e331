package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Marshal returns the JSON of v for a message. It does not escape <, > and &, because the escapes of json.Marshal
// would make HTML and SVG much longer. If a MarshalJSON method panics, Marshal returns an error.
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
