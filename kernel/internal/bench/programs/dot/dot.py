def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def run(n):
    a = [(i % 1000) * 0.25 for i in range(n)]
    b = [(i % 777) * 0.5 for i in range(n)]
    s = 0.0
    for _ in range(5):
        s += dot(a, b)
    return s
