package rt

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Strings are passed as leaves if that saves a step, otherwise as strings.

// String returns the string with the leaves data and n.
func String(data unsafe.Pointer, n uint64) string {
	return unsafe.String((*byte)(data), int(n))
}

// StringLeaves returns the leaves of s.
func StringLeaves(s string) (data unsafe.Pointer, n uint64) {
	return unsafe.Pointer(unsafe.StringData(s)), uint64(len(s))
}

// Concat returns a + b.
func Concat(a, b string) string { return a + b }

// Compare returns a negative number, zero or a positive number as a is below, equal to or above b.
func Compare(a, b string) int { return strings.Compare(a, b) }

// Rune decodes the rune that begins at index i of s, as range does. The index i must be below len(s). The result next
// is the index at which the next rune begins.
func Rune(s string, i int) (r rune, next int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return r, i + n
}

// StringOfBytes returns string(b) for the slice b of the n bytes at data.
func StringOfBytes(data unsafe.Pointer, n int) string {
	return string(unsafe.Slice((*byte)(data), n))
}

// BytesOfString returns the leaves of []byte(s).
func BytesOfString(s string) (data unsafe.Pointer, n, capacity int) {
	b := []byte(s)
	return unsafe.Pointer(unsafe.SliceData(b)), len(b), cap(b)
}

// StringOfRunes returns string(r) for the slice r of the n runes at data.
func StringOfRunes(data unsafe.Pointer, n int) string {
	return string(unsafe.Slice((*rune)(data), n))
}

// RunesOfString returns the leaves of []rune(s).
func RunesOfString(s string) (data unsafe.Pointer, n, capacity int) {
	r := []rune(s)
	return unsafe.Pointer(unsafe.SliceData(r)), len(r), cap(r)
}

// StringOfRune returns string(rune(r)) for any integer r. It returns "\uFFFD" if r is not a rune.
func StringOfRune(r int64) string {
	if int64(rune(r)) != r {
		r = utf8.RuneError
	}
	return string(rune(r))
}
