def run(n):
    f = 1
    for i in range(2, n + 1):
        f *= i
    total = 0
    while f > 0:
        f, digit = divmod(f, 10)
        total += digit
    return total
