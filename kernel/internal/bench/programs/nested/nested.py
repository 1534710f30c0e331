def run(n):
    picture = [[float(i * j % 255) for j in range(n)] for i in range(n)]
    window = [[1 / (1 + (i - 2) * (i - 2) + (j - 2) * (j - 2)) for j in range(5)] for i in range(5)]
    total = 0.0
    for i in range(2, n - 2):
        for j in range(2, n - 2):
            s = 0.0
            for k, row in enumerate(window):
                for l, w in enumerate(row):
                    s += w * picture[i + k - 2][j + l - 2]
            total += s
    return total
