import math


def run(n):
    k, dim = 10, 8
    points = []
    seed = 1
    for i in range(n):
        p = []
        for _ in range(dim):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            p.append(i % k + seed / 0x80000000 * 4)
        points.append(p)
    centers = [list(points[c]) for c in range(k)]
    inertia = 0.0
    for _ in range(10):
        inertia = 0.0
        counts = [0] * k
        sums = [[0.0] * dim for _ in range(k)]
        for p in points:
            nearest, least = 0, math.inf
            for c, center in enumerate(centers):
                d = 0.0
                for x, y in zip(p, center):
                    d += (x - y) * (x - y)
                if d < least:
                    nearest, least = c, d
            inertia += least
            counts[nearest] += 1
            s = sums[nearest]
            for j, x in enumerate(p):
                s[j] += x
        for c, s in enumerate(sums):
            for j in range(dim):
                if counts[c] > 0:
                    centers[c][j] = s[j] / counts[c]
    return inertia
