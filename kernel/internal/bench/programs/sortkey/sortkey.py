# As Python prefers it: by key, so that C compares.

class Point:
    __slots__ = ("key", "index")

    def __init__(self, key, index):
        self.key, self.index = key, index

def run(n):
    points = []
    seed = 1
    for i in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        points.append(Point(float(seed), i))
    points.sort(key=lambda p: p.key)
    total = 0
    for i, p in enumerate(points):
        total += i * p.index % 1009
    return total
