package statefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc64"
	"testing"
)

var errTest = errors.New("not a test's file")

var format = &Format{Package: "test", Magic: "OCTEST", Err: errTest, Again: "test again", Kinds: []string{"it is another"}}

// Compressed content of any length can be decompressed, and files of version 01 can be read.
func TestPack(t *testing.T) {
	for _, n := range []int{0, 1, 8, 8003, 100_000} {
		content := make([]byte, n)
		for i := range content {
			content[i] = byte(i * i >> 3)
		}
		b := format.Pack(1, content)
		if got, err := format.Unpack(1, b); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		old := append([]byte("OCTEST01"), binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1), uint64(n))...)
		old = append(old, content...)
		old = binary.LittleEndian.AppendUint64(old, crc64.Checksum(old, crcTable))
		if got, err := format.Unpack(1, old); err != nil || !bytes.Equal(got, content) {
			t.Errorf("version 01, %d bytes: %d, %v", n, len(got), err)
		}
	}
}

// A file with a correct checksum but wrong content is refused.
func TestWrongContent(t *testing.T) {
	good := format.Pack(1, make([]byte, 100))
	for _, change := range []func(b []byte){
		func(b []byte) { b[head]++ },                                      // another length
		func(b []byte) { binary.LittleEndian.PutUint64(b[head:], 1<<62) }, // an impossible length
		func(b []byte) { b[head+8] = 0xFF },                               // not compressed
		func(b []byte) { copy(b[6:], "03") },                              // another version
	} {
		b := bytes.Clone(good)
		change(b)
		binary.LittleEndian.PutUint64(b[len(b)-8:], crc64.Checksum(b[:len(b)-8], crcTable))
		if _, err := format.Unpack(1, b); !errors.Is(err, errTest) {
			t.Errorf("%v", err)
		}
	}
}
