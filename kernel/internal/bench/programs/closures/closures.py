def counter(step):
    x = 0.0

    def count():
        nonlocal x
        x += step
        return x

    return count


def apply(n, f):
    s = 0.0
    for i in range(n):
        s += f(i)
    return s


def run(n):
    count, scale, s = counter(0.5), 0.25, 0.0
    for _ in range(n):
        s += count()
    return s + apply(n, lambda x: scale * x + 1)
