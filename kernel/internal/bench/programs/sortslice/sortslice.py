# A function that compares, as in Go; sortkey is how Python prefers it.
from functools import cmp_to_key


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
    points.sort(key=cmp_to_key(lambda a, b: -1 if a.key < b.key else 1))
    total = 0
    for i, p in enumerate(points):
        total += i * p.index % 1009
    return total
