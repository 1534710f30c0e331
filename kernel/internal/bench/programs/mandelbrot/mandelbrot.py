def run(n):
    total = 0
    for py in range(n):
        y0 = py / n * 2.5 - 1.25
        for px in range(n):
            x0 = px / n * 3 - 2
            x = y = 0.0
            k = 0
            while k < 100 and x * x + y * y <= 4:
                x, y = x * x - y * y + x0, 2 * x * y + y0
                k += 1
            total += k
    return total
