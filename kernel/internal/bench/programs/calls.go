package programs

import (
	"fmt"
	"image/color"
	"strings"
	"sync"
)

//program:closures

// Counter returns a function whose calls return step, 2·step, 3·step and so on.
func Counter(step float64) func() float64 {
	x := 0.0
	return func() float64 {
		x += step
		return x
	}
}

// Apply returns f(0) + f(1) + … + f(n-1).
func Apply(n int, f func(float64) float64) float64 {
	s := 0.0
	for i := 0; i < n; i++ {
		s += f(float64(i))
	}
	return s
}

// Closures makes n calls to a counter and n calls to a closure that is passed as an argument, and returns the sum of
// the results. It calls closures that use variables of the enclosing function.
func Closures(n int) float64 {
	next, scale, s := Counter(0.5), 0.25, 0.0
	for i := 0; i < n; i++ {
		s += next()
	}
	return s + Apply(n, func(x float64) float64 { return scale*x + 1 })
}

//program:methodvalue

// A Vec is a vector in space.
type Vec struct{ X, Y, Z float64 }

// Add returns v + w.
func (v Vec) Add(w Vec) Vec { return Vec{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Scale returns f·v.
func (v Vec) Scale(f float64) Vec { return Vec{f * v.X, f * v.Y, f * v.Z} }

// Dot returns the scalar product of v and w.
func (v Vec) Dot(w Vec) float64 { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }

// MethodValue takes n steps along a spiral, and returns the sum of the scalar products of position and velocity. It
// calls methods with value receivers.
func MethodValue(n int) float64 {
	p, v := Vec{1, 0, 0}, Vec{0, 1, 0.5}
	s := 0.0
	for i := 0; i < n; i++ {
		v = v.Add(p.Scale(-0.01))
		p = p.Add(v.Scale(0.01))
		s += p.Dot(v)
	}
	return s
}

//program:methodpointer

// A Random is a pseudorandom number generator.
type Random struct {
	state int
	calls int
}

// Next returns a number from 0 to 32767.
func (r *Random) Next() int {
	r.state = (r.state*1103515245 + 12345) & 0x7fffffff
	r.calls++
	return r.state >> 16
}

// MethodPointer draws n random numbers and returns their sum plus the number of calls. It calls a method with a
// pointer receiver.
func MethodPointer(n int) int {
	r := &Random{state: 1}
	sum := 0
	for i := 0; i < n; i++ {
		sum += r.Next()
	}
	return sum + r.calls
}

//program:interfaces

// A Shape is a figure with an area.
type Shape interface{ Area() float64 }

// Square, Circle and Rectangle are shapes.
type (
	Square    struct{ Side float64 }
	Circle    struct{ Radius float64 }
	Rectangle struct{ Width, Height float64 }
)

// Area returns the area of the square.
func (s Square) Area() float64 { return s.Side * s.Side }

// Area returns the area of the circle.
func (c Circle) Area() float64 { return 3.14159 * c.Radius * c.Radius }

// Area returns the area of the rectangle.
func (r *Rectangle) Area() float64 { return r.Width * r.Height }

// Interfaces adds the areas of n shapes. It calls a method through an interface.
func Interfaces(n int) float64 {
	shapes := []Shape{Square{2}, Circle{1.5}, &Rectangle{3, 4}, Square{0.5}}
	sum := 0.0
	for i := 0; i < n; i++ {
		sum += shapes[i%len(shapes)].Area()
	}
	return sum
}

//program:shapes

type shape interface{ area() float64 }

type square struct{ side float64 }

type circle struct{ radius float64 }

type rectangle struct{ width, height float64 }

func (s square) area() float64 { return s.side * s.side }

func (c circle) area() float64 { return 3.14159 * c.radius * c.radius }

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

// Shapes prints n shapes to a catalog, and returns the length of the catalog's text plus its number of entries. It
// stores structs in interface values, distinguishes them with a type switch, and prints them.
func Shapes(n int) int {
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

//program:visitor

type visitorNode interface{ accept(v visitor) float64 }

type visitor interface {
	visitNumber(n *number) float64
	visitSum(s *sum) float64
	visitProduct(p *product) float64
}

type number struct{ value float64 }

type sum struct{ left, right visitorNode }

type product struct{ left, right visitorNode }

func (n *number) accept(v visitor) float64 { return v.visitNumber(n) }

func (s *sum) accept(v visitor) float64 { return v.visitSum(s) }

func (p *product) accept(v visitor) float64 { return v.visitProduct(p) }

type evaluator struct{ visited int }

func (e *evaluator) visitNumber(n *number) float64 {
	e.visited++
	return n.value
}

func (e *evaluator) visitSum(s *sum) float64 {
	e.visited++
	return s.left.accept(e) + s.right.accept(e)
}

func (e *evaluator) visitProduct(p *product) float64 {
	e.visited++
	return p.left.accept(e) * p.right.accept(e)
}

type depth struct{}

func (depth) visitNumber(*number) float64 { return 1 }

func (d depth) visitSum(s *sum) float64 { return 1 + max(s.left.accept(d), s.right.accept(d)) }

func (d depth) visitProduct(p *product) float64 { return 1 + max(p.left.accept(d), p.right.accept(d)) }

func build(depth, i int) visitorNode {
	switch {
	case depth == 0:
		return &number{float64(i%7) * 0.25}
	case i%4 == 0:
		return &product{build(depth-1, 2*i+1), build(depth-1, 2*i+2)}
	}
	return &sum{build(depth-1, 2*i+1), build(depth-1, 2*i+2)}
}

// Visitor evaluates an expression tree of depth n with one visitor, and measures the tree's depth with another. It
// returns the sum of the value, the number of nodes that the first visitor has visited, and the depth.
func Visitor(n int) float64 {
	tree := build(n, 1)
	e := &evaluator{}
	return tree.accept(e) + float64(e.visited) + tree.accept(depth{})
}

//program:colors

type gray uint8

func (g gray) RGBA() (r, g2, b, a uint32) {
	v := uint32(g) * 0x101
	return v, v, v, 0xffff
}

// Colors converts n colors and returns a checksum. It converts colors of its own type with package image/color, which
// calls the method RGBA of this type. RGBA returns four uint32 values. If a cell declares a method with such results,
// compiled code can call it only through reflection.
func Colors(n int) int {
	sum := 0
	for i := range n {
		sum += int(color.NRGBAModel.Convert(gray(i)).(color.NRGBA).R)
	}
	return sum
}

//program:deferclosure

type log struct{ depth, sum int }

func (l *log) visit(x int) int {
	l.depth++
	defer func() {
		l.depth--
		l.sum += x % 7
	}()
	return x*l.depth + 1
}

// DeferClosure makes n calls to a method that defers a closure, and returns a checksum.
func DeferClosure(n int) int {
	l := &log{}
	sum := 0
	for i := range n {
		sum += l.visit(i)
	}
	return sum + l.sum + l.depth
}

//program:deferunlock

type deferunlockCounter struct {
	mu  sync.Mutex
	sum int
}

func (c *deferunlockCounter) add(x int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum += x
}

// DeferUnlock adds n numbers to a counter and returns the counter's value. It locks a mutex and defers its unlocking.
func DeferUnlock(n int) int {
	c := &deferunlockCounter{}
	for i := range n {
		c.add(i % 1009)
	}
	return c.sum
}

//program:recovers

func quotient(a, b int) (q int) {
	defer func() {
		if recover() != nil {
			q = -1
		}
	}()
	return a / b
}

// Recovers returns the sum of n quotients. It calls a function that would recover from a panic, but never panics.
func Recovers(n int) int {
	sum := 0
	for i := range n {
		sum += quotient(i, i%7+1)
	}
	return sum
}
