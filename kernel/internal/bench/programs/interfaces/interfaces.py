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


def run(n):
    shapes = [Square(2.0), Circle(1.5), Rectangle(3.0, 4.0), Square(0.5)]
    total = 0.0
    for i in range(n):
        total += shapes[i % len(shapes)].area()
    return total
