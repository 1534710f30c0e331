class Random:
    def __init__(self, state):
        self.state = state
        self.calls = 0

    def next(self):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        self.calls += 1
        return self.state >> 16


def run(n):
    r = Random(1)
    total = 0
    for _ in range(n):
        total += r.next()
    return total + r.calls
