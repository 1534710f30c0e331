def run(n):
    total = 0
    for i in range(n):
        s = ""
        for j in range(100):
            s += "abcdefgh"[(i + j) % 8]
        total += ord(s[-1]) + len(s)
    return total
