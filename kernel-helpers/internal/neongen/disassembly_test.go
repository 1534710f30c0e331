package neongen

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wordLine matches a line with an instruction that is written as a number, followed by its disassembly when it occurs in
// a function for the first time.
var wordLine = regexp.MustCompile(`^\tWORD \$(0x[0-9a-f]{8})(?: // (.+))?$`)

// TestDisassembly disassembles with binutils all instructions that the library's assembly has as numbers. The result
// must equal the comments beside the numbers, which this package writes.
func TestDisassembly(t *testing.T) {
	objdump, err := exec.LookPath("aarch64-linux-gnu-objdump")
	if err != nil {
		t.Skip("no aarch64-linux-gnu-objdump here (apt-get install binutils-aarch64-linux-gnu)")
	}
	files, err := filepath.Glob("../../*/*_arm64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no assembly for arm64: %v", err)
	}
	said := map[uint32]string{}
	var code []byte
	var order []uint32
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		inFunction := map[string]bool{}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "TEXT ") {
				clear(inFunction)
			}
			m := wordLine.FindStringSubmatch(line)
			if m == nil || m[2] == "" {
				if strings.Contains(line, "WORD") && (m == nil || !inFunction[m[1]]) {
					t.Fatalf("%s: %q does not say what it is", name, line)
				}
				continue
			}
			inFunction[m[1]] = true
			n, err := strconv.ParseUint(m[1], 0, 32)
			if err != nil {
				t.Fatal(err)
			}
			bits := uint32(n)
			if other, ok := said[bits]; ok && other != m[2] {
				t.Errorf("%#x is said to be %s and %s", bits, m[2], other)
			} else if !ok {
				said[bits] = m[2]
				order = append(order, bits)
				code = binary.LittleEndian.AppendUint32(code, bits)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "aarch64", "-z", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, line := range bytes.Split(out, []byte("\n")) {
		// Fields: an address, the number, the instruction, its operands.
		part := strings.SplitN(string(line), "\t", 3)
		if len(part) < 3 || read == len(order) {
			continue
		}
		bits := order[read]
		read++
		if text := strings.Replace(part[2], "\t", " ", 1); text != said[bits] {
			t.Errorf("%#08x is said to be %q, and is %q", bits, said[bits], text)
		}
	}
	if read != len(order) || read < 100 {
		t.Errorf("%d of %d numbers were read", read, len(order))
	}
}
