//go:build !packed

package selfsource

var packed []byte
