//go:build !amd64 || noasm

package vmath

func available() instructions { return portable }
