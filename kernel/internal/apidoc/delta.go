package apidoc

import (
	"encoding/binary"
	"errors"
)

// DeltaSuffix marks a member that holds only the differences from the full archive's member of the same name (without
// the suffix); see [Delta].
const DeltaSuffix = "~"

// block is the length of the shortest piece that Delta looks for in the older text.
const block = 12

// Delta returns a short description of a text, from which Patch can reconstruct the text with the help of an older
// text. The description consists of steps. A step adds new bytes to the text, and then bytes that are copied from the
// older text. A step is stored as the number of new bytes, the new bytes, the number of copied bytes, and the place in
// the older text where the copied bytes begin. The place is relative to the end of the previous copy. The last step has
// only new bytes. The numbers are varints.
func Delta(old, data []byte) []byte {
	at := map[string]int{}
	for i := len(old) - block; i >= 0; i-- { // of equal pieces the first counts
		at[string(old[i:i+block])] = i
	}
	var out []byte
	end, done := 0, 0 // end of the last copy in old; number of bytes of data that are described
	for i := 0; i+block <= len(data); {
		from, ok := at[string(data[i:i+block])]
		if end+i-done+block <= len(old) && string(old[end+i-done:end+i-done+block]) == string(data[i:i+block]) {
			from, ok = end+i-done, true // after a change that kept the length, the text continues like the older text
		}
		if !ok {
			i++
			continue
		}
		for i > done && from > 0 && data[i-1] == old[from-1] {
			i, from = i-1, from-1
		}
		n := 0
		for i+n < len(data) && from+n < len(old) && data[i+n] == old[from+n] {
			n++
		}
		out = binary.AppendUvarint(out, uint64(i-done))
		out = append(out, data[done:i]...)
		out = binary.AppendUvarint(out, uint64(n))
		out = binary.AppendVarint(out, int64(from-end))
		i += n
		end, done = from+n, i
	}
	out = binary.AppendUvarint(out, uint64(len(data)-done))
	return append(out, data[done:]...)
}

// Patch returns the text that a description by Delta stands for. old must be the older text with which Delta made the
// description. Patch returns an error if the description is malformed or refers to bytes that the older text does not
// have.
func Patch(old, delta []byte) ([]byte, error) {
	wrong := errors.New("apidoc: not a description of differences from this text")
	var data []byte
	end := 0
	for {
		n, k := binary.Uvarint(delta)
		if k <= 0 || n > uint64(len(delta)-k) {
			return nil, wrong
		}
		data = append(data, delta[k:k+int(n)]...)
		if delta = delta[k+int(n):]; len(delta) == 0 {
			return data, nil
		}
		n, k = binary.Uvarint(delta)
		if k <= 0 {
			return nil, wrong
		}
		step, l := binary.Varint(delta[k:])
		from := int64(end) + step
		if l <= 0 || from < 0 || from > int64(len(old)) || n > uint64(int64(len(old))-from) {
			return nil, wrong
		}
		delta = delta[k+l:]
		data = append(data, old[from:from+int64(n)]...)
		end = int(from) + int(n)
	}
}
