def multiply(a, b, n):
    c = [0.0] * (n * n)
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i * n + k] * b[k * n + j]
            c[i * n + j] = s
    return c


def run(n):
    a = [(i % 13) * 0.5 for i in range(n * n)]
    b = [(i % 17) * 0.25 for i in range(n * n)]
    c = multiply(a, b, n)
    trace = 0.0
    for i in range(n):
        trace += c[i * n + i]
    return trace
