// Package asm has a function without a Go body.
package asm

func Add(a, b int) int
