import math


def run(n):
    a = []
    seed = 1
    for _ in range(n):
        row = []
        for _ in range(n):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            row.append(seed / 0x80000000 - 0.5)
        a.append(row)
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[pivot][k]):
                pivot = i
        a[k], a[pivot] = a[pivot], a[k]
        top = a[k]
        for i in range(k + 1, n):
            row = a[i]
            row[k] /= top[k]
            f = row[k]
            for j in range(k + 1, n):
                row[j] -= f * top[j]
    total = 0.0
    for k in range(n):
        total += math.log(abs(a[k][k]))
    return total
