def shortest(d):
    n = len(d)
    for k in range(n):
        from_k = d[k]
        for i in range(n):
            row = d[i]
            to_k = row[k]
            for j in range(n):
                through = to_k + from_k[j]
                if through < row[j]:
                    row[j] = through


def run(n):
    d = [[float((i * 131 + j * 71) % 997 + 1) for j in range(n)] for i in range(n)]
    for i in range(n):
        d[i][i] = 0.0
    shortest(d)
    total = 0.0
    for row in d:
        for length in row:
            total += length
    return total
