class Level:
    def __init__(self, l):
        self.l = l

    def __str__(self):
        return "low" if self.l % 2 == 0 else "high"


def run(n):
    total = 0
    for i in range(n):
        total += len(str(Level(i)))
    return total
