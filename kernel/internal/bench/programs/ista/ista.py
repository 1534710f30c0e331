def shrink(x, t):
    if abs(x) <= t:
        return 0.0
    if x > 0:
        return x - t
    return x + t


def code(d, y, lam, rate, steps):
    z = [0.0] * len(d[0])
    residual = [0.0] * len(y)
    for _ in range(steps):
        for i, row in enumerate(d):
            r = -y[i]
            for a, c in zip(row, z):
                r += a * c
            residual[i] = r
        for j in range(len(z)):
            g = 0.0
            for row, r in zip(d, residual):
                g += row[j] * r
            z[j] = shrink(z[j] - rate * g, rate * lam)
    return z


def run(n):
    d = [[((i * 37 + j * 61) % 101 - 50) * 0.01 for j in range(128)] for i in range(64)]
    y = [(i * 29 % 17 - 8) * 0.125 for i in range(64)]
    norm = 0.0
    for c in code(d, y, 0.05, 0.002, n):
        norm += abs(c)
    return norm
