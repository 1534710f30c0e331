def run(n):
    counts = {}
    for i in range(n):
        k = i * i % 10007
        counts[k] = counts.get(k, 0) + 1
    total = 0
    for c in counts.values():
        total += c * c
    return total
