// Package cgo uses cgo.
package cgo

import "C"

func Abs(x int) int { return int(C.abs(C.int(x))) }
