package rt

import (
	"unicode/utf8"
	"unsafe"
)

// Strings are passed as leaves if that saves a step, otherwise as strings.

// String returns the string that begins at data and has n bytes.
func String(data unsafe.Pointer, n uint64) string {
	return unsafe.String((*byte)(data), int(n))
}

// StringLeaves returns the data pointer and the length of s.
func StringLeaves(s string) (data unsafe.Pointer, n uint64) {
	return unsafe.Pointer(unsafe.StringData(s)), uint64(len(s))
}

// Rune decodes the rune that begins at index i of s, like range. i must be below len(s). The result next is the
// index at which the next rune begins.
func Rune(s string, i int) (r rune, next int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return r, i + n
}

// StringOfBytes returns string(b), where b is the slice of the n bytes at the address data.
func StringOfBytes(data unsafe.Pointer, n int) string {
	return string(unsafe.Slice((*byte)(data), n))
}

// BytesOfString returns the data pointer, the length and the capacity of []byte(s).
func BytesOfString(s string) (data unsafe.Pointer, n, capacity int) {
	b := []byte(s)
	return unsafe.Pointer(unsafe.SliceData(b)), len(b), cap(b)
}

// StringOfRunes returns string(r), where r is the slice of the n runes at the address data.
func StringOfRunes(data unsafe.Pointer, n int) string {
	return string(unsafe.Slice((*rune)(data), n))
}

// RunesOfString returns the data pointer, the length and the capacity of []rune(s).
func RunesOfString(s string) (data unsafe.Pointer, n, capacity int) {
	r := []rune(s)
	return unsafe.Pointer(unsafe.SliceData(r)), len(r), cap(r)
}

// StringOfRune returns the string that the conversion string(r) makes from the integer r: the rune r, or "\uFFFD" if r
// is not a valid rune.
func StringOfRune(r int64) string {
	if int64(rune(r)) != r {
		r = utf8.RuneError
	}
	return string(rune(r))
}
