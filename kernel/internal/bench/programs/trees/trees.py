class Tree:
    __slots__ = ("left", "right")

    def __init__(self, left=None, right=None):
        self.left, self.right = left, right

    def count(self):
        if self.left is None:
            return 1
        return 1 + self.left.count() + self.right.count()


def make(depth):
    if depth == 0:
        return Tree()
    return Tree(make(depth - 1), make(depth - 1))


def run(n):
    total = 0
    for _ in range(4):
        total += make(n).count()
    return total
