def run(n):
    s = 0.0
    for i in range(n):
        s += i * 0.5
    return s
