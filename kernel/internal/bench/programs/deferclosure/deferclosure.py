class Log:
    def __init__(self):
        self.depth, self.sum = 0, 0

    def visit(self, x):
        self.depth += 1
        try:
            return x * self.depth + 1
        finally:
            self.depth -= 1
            self.sum += x % 7


def run(n):
    l = Log()
    total = 0
    for i in range(n):
        total += l.visit(i)
    return total + l.sum + l.depth
