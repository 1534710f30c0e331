//go:build !js

package simd

import (
	"strconv"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	writer "overcomplete/internal/wasm"
)

// The module in simd_js.go equals the module built here.
func TestProbe(t *testing.T) {
	m := writer.New()
	m.Func("", nil, nil).Drop(writer.I32x4.Const(0))
	code, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text := testfile.Read(t, "simd_js.go")
	if want := strconv.Quote(string(code)); !strings.Contains(string(text), "probe = "+want) {
		t.Errorf("the probe is not %s", want)
	}
}
