// Package shapes stores structs in interface values, distinguishes them with a type switch, and prints them.
package shapes

import (
	"fmt"
	"strings"
)

type shape interface{ area() float64 }

type square struct{ side float64 }
type circle struct{ radius float64 }
type rectangle struct{ width, height float64 }

func (s square) area() float64    { return s.side * s.side }
func (c circle) area() float64    { return 3.14159 * c.radius * c.radius }
func (r rectangle) area() float64 { return r.width * r.height }

type catalog struct {
	text    strings.Builder
	entries int
}

func (c *catalog) counted() { c.entries++ }

func (c *catalog) add(s shape) {
	defer c.counted()
	switch s := s.(type) {
	case square:
		fmt.Fprintf(&c.text, "square %.1f: %.2f\n", s.side, s.area())
	case circle:
		fmt.Fprintf(&c.text, "circle %.1f: %.2f\n", s.radius, s.area())
	case rectangle:
		fmt.Fprintf(&c.text, "rectangle %.1f by %.1f: %.2f\n", s.width, s.height, s.area())
	}
}

// Run prints n shapes to a catalog, and returns the length of the catalog's text plus its number of entries.
func Run(n int) int {
	var shapes []shape
	for i := range n {
		x := float64(i%100) + 0.5
		switch i % 3 {
		case 0:
			shapes = append(shapes, square{x})
		case 1:
			shapes = append(shapes, circle{x})
		case 2:
			shapes = append(shapes, rectangle{x, 2 * x})
		}
	}
	c := &catalog{}
	for _, s := range shapes {
		c.add(s)
	}
	return c.text.Len() + c.entries
}
