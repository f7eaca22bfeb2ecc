#!/usr/bin/env python3
# Computes the polynomial coefficients of include/autovec/math (needs mpmath).
# SPDX-License-Identifier: Apache-2.0
"""Minimax polynomials by the exchange algorithm of Remez, in 160-bit arithmetic.

A fit is a row of `fits`: f on [lo, hi] is approximated by sum c_k x^p_k, with the error measured in
units of `weight`. Coefficients are rounded to the element type one by one, lowest power first, and
the rest is fitted again each time, so the rounding of one is repaired by the others.

    tools/math_coefficients.py [name ...]
"""
import sys

import mpmath
from mpmath import mp, mpf

mp.prec = 160


def solve(f, powers, points, weight):
    n = len(powers)
    a = mpmath.matrix(n + 1, n + 1)
    b = mpmath.matrix(n + 1, 1)
    for i, x in enumerate(points):
        for k, p in enumerate(powers):
            a[i, k] = x**p
        a[i, n] = (-1) ** i * weight(x)
        b[i] = f(x)
    c = mpmath.lu_solve(a, b)
    return list(c[:n]), abs(c[n])


def least_squares(powers, samples):
    """Close to minimax on samples that are dense at both ends; always solvable."""
    n = len(powers)
    a, b = mpmath.matrix(n, n), mpmath.matrix(n, 1)
    for x, y, w in samples:
        basis = [x**p / w for p in powers]
        for i in range(n):
            b[i] += basis[i] * y / w
            for j in range(n):
                a[i, j] += basis[i] * basis[j]
    return list(mpmath.lu_solve(a, b))


def remez(f, powers, lo, hi, weight, samples):
    """Coefficients and the greatest weighted error."""
    n = len(powers)
    points = [lo + (hi - lo) * (1 - mpmath.cos(mpmath.pi * i / n)) / 2 for i in range(n + 1)]
    # The ends are pulled in a little: there a relative weight may vanish.
    points = [min(max(x, samples[0][0]), samples[-1][0]) for x in points]

    def errors_of(c):
        errors = []
        for x, y, w in samples:
            s = mpf(0)
            for p, v in zip(reversed(powers), reversed(c)):
                s += v * x**p
            errors.append((x, (y - s) / w))
        return errors

    best = least_squares(powers, samples)
    least = max(abs(e) for _, e in errors_of(best))
    for _ in range(12):
        try:
            c, level = solve(f, powers, points, weight)
        except ZeroDivisionError:  # the exchange degenerates, on a function with a symmetry say
            break
        errors = errors_of(c)
        runs = []
        for x, e in errors:
            if runs and (runs[-1][1] < 0) == (e < 0):
                if abs(e) > abs(runs[-1][1]):
                    runs[-1] = (x, e)
            else:
                runs.append((x, e))
        while len(runs) > n + 1:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        worst = max(abs(e) for _, e in errors)
        if worst < least:
            best, least = c, worst
        if len(runs) < n + 1 or worst < level * mpf("1.01"):
            break
        points = [x for x, _ in runs]
    return best, least


def round_to(x, bits):
    with mp.workprec(bits):
        return +x


def fit(f, powers, lo, hi, bits, weight, count=600):
    """`bits` is one width for all coefficients or a list."""
    lo, hi = mpf(lo), mpf(hi)
    widths = bits if isinstance(bits, list) else [bits] * len(powers)
    xs = [lo + (hi - lo) * (1 - mpmath.cos(mpmath.pi * (i + mpf(1) / 2) / count)) / 2
          for i in range(count)]
    values = {x: f(x) for x in xs}
    weights = {x: weight(x) for x in xs}
    cache = dict(values)

    def residual(fixed):
        def g(x):
            if x not in cache:
                cache[x] = f(x)
            y = cache[x]
            for p, c in fixed:
                y -= c * x**p
            return y
        return g

    fixed = []
    _, ideal = remez(residual([]), powers, lo, hi, weight,
                     [(x, values[x], weights[x]) for x in xs])
    for k, p in enumerate(powers):
        g = residual(fixed)
        c, _ = remez(g, powers[k:], lo, hi, weight, [(x, g(x), weights[x]) for x in xs])
        fixed.append((p, round_to(c[0], widths[k])))
    g = residual(fixed)
    worst = max(abs(g(x) / weights[x]) for x in xs)
    return [c for _, c in fixed], ideal, worst


def hexfloat(x, bits):
    if x == 0:
        return "0"
    m, e = mpmath.frexp(x)
    sign = "-" if m < 0 else ""
    m = abs(m) * 2
    e -= 1
    digits = (bits - 1 + 3) // 4
    n = int(mpmath.nint((m - 1) * mpf(2) ** (4 * digits)))
    text = f"{n:0{digits}x}".rstrip("0")
    return f"{sign}0x1{'.' + text if text else ''}p{e:+d}" + ("f" if bits == 24 else "")


def split(value, bits, parts):
    """`value` as a sum of `parts` numbers of `bits` bits."""
    out = []
    for _ in range(parts):
        c = round_to(value, bits)
        out.append(c)
        value -= c
    return out


def show(name, bits, coefficients, ideal, worst):
    """A list of widths means that the first coefficient comes as a sum of two numbers."""
    width = bits if isinstance(bits, int) else bits[-1]
    if not isinstance(bits, int):
        coefficients = split(coefficients[0], width, 2) + coefficients[1:]
    error, least = (float(mpmath.log(e, 2)) for e in (worst, ideal))
    print(f"{name}_{'f32' if width == 24 else 'f64'}  // error 2^{error:.1f}, ideal 2^{least:.1f}")
    print("  " + ", ".join(hexfloat(c, width) for c in coefficients))


one = lambda x: mpf(1)
fits = {}


def row(name, f, powers, lo, hi, bits, weight=one):
    width = bits if isinstance(bits, int) else bits[-1]
    fits[name + ("_f32" if width == 24 else "_f64")] = (name, f, list(powers), lo, hi, bits, weight)



def define_fits():
    ln2 = mpmath.log(2)
    half_ln2 = ln2 / 2 * mpf("1.0003")
    # e^x = 1 + x + x^2 p(x), and for expm1 with the error relative to x.
    row("exp", lambda x: mpmath.expm1(x) - x, range(2, 7), -half_ln2, half_ln2 * 1.001, 24)
    row("exp", lambda x: mpmath.expm1(x) - x, range(2, 12), -half_ln2, half_ln2 * 1.001, 53)
    # 2^x = 1 + x p(x)
    row("exp2", lambda x: mpmath.expm1(x * ln2), range(1, 7), -0.501, 0.5005, 24)
    row("exp2", lambda x: mpmath.expm1(x * ln2), range(1, 12), -0.501, 0.5005, 53)
    # log(1 + x) = x - x^2 / 2 + x^3 p(x), error relative to x
    r = mpmath.sqrt(mpf(1) / 2)
    log_tail = lambda x: mpmath.log1p(x) - x + x * x / 2
    row("log", log_tail, range(3, 11), r - 1, 2 * r - 1, 24, abs)
    # log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2)
    s = (2 * r - 1) / (2 * r + 1)
    row("log", lambda x: 2 * mpmath.atanh(x) - 2 * x, range(3, 17, 2), mpf("1e-5"), s, 53, abs)
    # sin x = x + x^3 p(x^2), cos x = 1 - x^2 / 2 + x^4 p(x^2) on [0, pi / 4]
    quarter_pi = mpmath.pi / 4 * mpf("1.002")
    sin_tail = lambda x: mpmath.sin(x) - x
    cos_tail = lambda x: mpmath.cos(x) - 1 + x * x / 2
    row("sin", sin_tail, range(3, 8, 2), mpf("1e-5"), quarter_pi, 24, abs)
    row("sin", sin_tail, range(3, 14, 2), mpf("1e-5"), quarter_pi, 53, abs)
    row("cos", cos_tail, range(4, 9, 2), mpf("1e-5"), quarter_pi, 24)
    row("cos", cos_tail, range(4, 15, 2), mpf("1e-5"), quarter_pi, 53)
    # tanh x = x + x^3 p(x^2) on [0, 5/8]
    tanh_tail = lambda x: mpmath.tanh(x) - x
    row("tanh", tanh_tail, range(3, 12, 2), mpf("1e-5"), mpf("0.6251"), 24, abs)
    row("tanh", tanh_tail, range(3, 24, 2), mpf("1e-5"), mpf("0.6251"), 53, abs)
    # sinh x = x + x^3 p(x^2) on [0, 1]
    sinh_tail = lambda x: mpmath.sinh(x) - x
    row("sinh", sinh_tail, range(3, 8, 2), mpf("1e-5"), mpf("1.0001"), 24, abs)
    row("sinh", sinh_tail, range(3, 16, 2), mpf("1e-5"), mpf("1.0001"), 53, abs)
    # atan x = x + x^3 p(x^2) on [0, 1]
    atan_tail = lambda x: mpmath.atan(x) - x
    row("atan", atan_tail, range(3, 20, 2), mpf("1e-5"), 1, 24, abs)
    row("atan", atan_tail, range(3, 42, 2), mpf("1e-5"), 1, 53, abs)
    # asin x = x + x^3 p(x^2) on [0, 1/2]
    asin_tail = lambda x: mpmath.asin(x) - x
    row("asin", asin_tail, range(3, 12, 2), mpf("1e-5"), mpf("0.5001"), 24, abs)
    row("asin", asin_tail, range(3, 26, 2), mpf("1e-5"), mpf("0.5001"), 53, abs)
    # artanh s = s + s^3 / 3 + s^5 p(s^2), s = (x - 1) / (x + 1), for pow
    artanh_tail = lambda x: mpmath.atanh(x) - x - x**3 / 3
    row("artanh", artanh_tail, range(5, 10, 2), mpf("1e-4"), s, 24, abs)
    row("artanh", artanh_tail, range(5, 20, 2), mpf("1e-4"), s, 53, abs)
    # erf x = x + x p(x^2) on [0, 1]; log(erfc x) = p(x) above, where 1 - erfc x is to be right
    erf_tail = lambda x: mpmath.erf(x) - x
    row("erf", erf_tail, range(1, 14, 2), mpf("1e-5"), mpf("1.0001"), 24, abs)
    row("erf", erf_tail, range(1, 26, 2), mpf("1e-5"), mpf("1.0001"), 53, abs)
    absolute = lambda x: 1 / (mpmath.erfc(x) + mpf(2) ** -50)
    log_erfc = lambda x: mpmath.log(mpmath.erfc(x))
    row("erfc_log", log_erfc, range(0, 7), mpf("0.9999"), 4, 24, absolute)
    row("erfc_log", log_erfc, range(0, 18), mpf("0.9999"), 6, 53, absolute)
    # (1 + 2 x) e^(x^2) erfc x = p(q), q = (x - k) / (x + k), for x from 0.45 to the last that counts
    for bits, n, k, top in ((24, 10, mpf(2), mpf("10.2")), (53, 22, mpf("3.25"), mpf("27.5"))):
        def scaled(q, k=k):
            x = k * (1 + q) / (1 - q)
            return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)
        lo = mpf("0.45")
        row("erfc", scaled, range(n), (lo - k) / (lo + k), (top - k) / (top + k),
            [2 * bits] + [bits] * (n - 1))
    # cbrt x on [sqrt(1/2), sqrt(2)], to start an iteration
    row("cbrt", mpmath.cbrt, range(4), r, 2 * r, 24)
    row("cbrt", mpmath.cbrt, range(4), r, 2 * r, 53)


if __name__ == "__main__":
    define_fits()
    for key in sys.argv[1:] or fits:
        if key not in fits:
            sys.exit(f"no fit named {key}; known: {' '.join(fits)}")
        name, f, powers, lo, hi, bits, weight = fits[key]
        show(name, bits, *fit(f, powers, lo, hi, bits, weight))
