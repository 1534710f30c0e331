// Package interfaces calls a method through an interface.
package interfaces

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

// Run adds the areas of n shapes.
func Run(n int) float64 {
	shapes := []Shape{Square{2}, Circle{1.5}, &Rectangle{3, 4}, Square{0.5}}
	sum := 0.0
	for i := 0; i < n; i++ {
		sum += shapes[i%len(shapes)].Area()
	}
	return sum
}
