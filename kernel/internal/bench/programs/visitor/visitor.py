class Number:
    def __init__(self, value):
        self.value = value

    def accept(self, v):
        return v.visit_number(self)


class Sum:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def accept(self, v):
        return v.visit_sum(self)


class Product:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def accept(self, v):
        return v.visit_product(self)


class Evaluator:
    def __init__(self):
        self.visited = 0

    def visit_number(self, n):
        self.visited += 1
        return n.value

    def visit_sum(self, s):
        self.visited += 1
        return s.left.accept(self) + s.right.accept(self)

    def visit_product(self, p):
        self.visited += 1
        return p.left.accept(self) * p.right.accept(self)


class Depth:
    def visit_number(self, n):
        return 1

    def visit_sum(self, s):
        return 1 + max(s.left.accept(self), s.right.accept(self))

    def visit_product(self, p):
        return 1 + max(p.left.accept(self), p.right.accept(self))


def build(depth, i):
    if depth == 0:
        return Number(i % 7 * 0.25)
    if i % 4 == 0:
        return Product(build(depth - 1, 2 * i + 1), build(depth - 1, 2 * i + 2))
    return Sum(build(depth - 1, 2 * i + 1), build(depth - 1, 2 * i + 2))


def run(n):
    tree = build(n, 1)
    e = Evaluator()
    return tree.accept(e) + e.visited + tree.accept(Depth())
