// Package colors converts colors of its own type with package image/color, which calls the method RGBA of this type.
// RGBA returns four uint32 values. If a cell declares a method with such results, compiled code can call it only
// through reflection.
package colors

import "image/color"

type gray uint8

func (g gray) RGBA() (r, g2, b, a uint32) {
	v := uint32(g) * 0x101
	return v, v, v, 0xffff
}

// Run converts n colors and returns a checksum.
func Run(n int) int {
	sum := 0
	for i := range n {
		sum += int(color.NRGBAModel.Convert(gray(i)).(color.NRGBA).R)
	}
	return sum
}
