import io


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3.14159 * self.radius * self.radius


class Rectangle:
    def __init__(self, width, height):
        self.width, self.height = width, height

    def area(self):
        return self.width * self.height


class Catalog:
    def __init__(self):
        self.text = io.StringIO()
        self.entries = 0

    def counted(self):
        self.entries += 1

    def add(self, s):
        try:
            if isinstance(s, Square):
                self.text.write(f"square {s.side:.1f}: {s.area():.2f}\n")
            elif isinstance(s, Circle):
                self.text.write(f"circle {s.radius:.1f}: {s.area():.2f}\n")
            elif isinstance(s, Rectangle):
                self.text.write(f"rectangle {s.width:.1f} by {s.height:.1f}: {s.area():.2f}\n")
        finally:
            self.counted()


def run(n):
    shapes = []
    for i in range(n):
        x = i % 100 + 0.5
        if i % 3 == 0:
            shapes.append(Square(x))
        elif i % 3 == 1:
            shapes.append(Circle(x))
        else:
            shapes.append(Rectangle(x, 2 * x))
    c = Catalog()
    for s in shapes:
        c.add(s)
    return len(c.text.getvalue()) + c.entries
