//go:build !js

package wasmhost_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"overcomplete/internal/testfile"
	"overcomplete/internal/wasm"
)

// The module embedded in simd.js equals the module built here.
func TestBetween(t *testing.T) {
	m := wasm.New()
	m.Table(1)
	m.ExportTable("table")
	f := m.Func("call", []wasm.Type{wasm.I32, wasm.I32}, nil)
	f.CallTable(f.Param(0), []wasm.Type{wasm.I32}, f.Param(1))
	f.Export("call")
	code, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	js := testfile.Read(t, "../../kernel/live/assets/simd.js")
	if want := base64.StdEncoding.EncodeToString(code); !strings.Contains(string(js), `"`+want+`"`) {
		t.Errorf("simd.js does not have the module %s", want)
	}
}
