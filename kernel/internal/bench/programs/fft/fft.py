import cmath


def transform(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transform(x[0::2]), transform(x[1::2])
    y = [0j] * n
    for k in range(n // 2):
        t = cmath.rect(1, -2 * cmath.pi * k / n) * odd[k]
        y[k], y[k + n // 2] = even[k] + t, even[k] - t
    return y


def run(n):
    x = [complex(k % 17, k * k % 23) for k in range(1 << n)]
    total = 0.0
    for y in transform(x):
        total += abs(y)
    return total
