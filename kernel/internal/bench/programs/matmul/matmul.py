def run(n):
    a = [[(i + 2 * j % 7) * 0.5 for j in range(n)] for i in range(n)]
    b = [[(3 * i % 5 - j) * 0.25 for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        row = a[i]
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += row[k] * b[k][j]
            c[i][j] = s
    trace = 0.0
    for i in range(n):
        trace += c[i][i]
    return trace
