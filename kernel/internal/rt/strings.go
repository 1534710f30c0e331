package rt

import (
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Strings are given by their leaves where that saves a step, and are strings where it does not.

// String returns the string of these leaves.
func String(data unsafe.Pointer, n uint64) string {
	return unsafe.String((*byte)(data), int(n))
}

// StringLeaves returns the leaves of s.
func StringLeaves(s string) (data unsafe.Pointer, n uint64) {
	return unsafe.Pointer(unsafe.StringData(s)), uint64(len(s))
}

// Concat is a + b.
func Concat(a, b string) string { return a + b }

// Compare is negative, zero or positive as a is below, equal to or above b.
func Compare(a, b string) int { return strings.Compare(a, b) }

// Rune decodes the rune of s at i, which is below len(s), as range does, and returns where the next
// one begins.
func Rune(s string, i int) (r rune, next int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), i + 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return r, i + n
}

// StringOfBytes is string(b), of bytes that data points to.
func StringOfBytes(data unsafe.Pointer, n int) string {
	return string(unsafe.Slice((*byte)(data), n))
}

// BytesOfString is []byte(s).
func BytesOfString(s string) (data unsafe.Pointer, n, capacity int) {
	b := []byte(s)
	return unsafe.Pointer(unsafe.SliceData(b)), len(b), cap(b)
}

// StringOfRunes is string(r), of runes that data points to.
func StringOfRunes(data unsafe.Pointer, n int) string {
	return string(unsafe.Slice((*rune)(data), n))
}

// RunesOfString is []rune(s).
func RunesOfString(s string) (data unsafe.Pointer, n, capacity int) {
	r := []rune(s)
	return unsafe.Pointer(unsafe.SliceData(r)), len(r), cap(r)
}

// StringOfRune is string(rune(r)) for any integer: those that are no runes give "\uFFFD".
func StringOfRune(r int64) string {
	if int64(rune(r)) != r {
		r = utf8.RuneError
	}
	return string(rune(r))
}
