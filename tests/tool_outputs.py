"""What real tools print, shortened: the fixtures of the capture tests."""

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.4.1, pluggy-1.6.0
rootdir: /srv/shop
configfile: pyproject.toml
collected 4 items

tests/test_cart.py ..F.                                                  [100%]

=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
        cart = Cart([Item("tea", 2.5), Item("cup", 7.49)])
>       assert cart.total() == 9.99
               ^^^^^^^^^^^^

tests/test_cart.py:31:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

self = <shop.cart.Cart object at 0x7f2a1c0b5d10>

    def total(self):
>       return round(self.rates["vat"] * self.subtotal(), 2)
                     ^^^^^^^^^^^^^^^^^
E       KeyError: 'vat'

src/shop/cart.py:58: KeyError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - KeyError: 'vat'
========================= 1 failed, 3 passed in 0.12s ==========================
"""

PYTEST_QUIET = "..F.\n1 failed, 3 passed"

PYTEST_ASSERT = """\
F                                                                        [100%]
=================================== FAILURES ===================================
_______________________________ test_rounds_once _______________________________

    def test_rounds_once():
>       assert total([1.005, 1.005]) == 2.01
E       assert 2.0 == 2.01
E        +  where 2.0 = total([1.005, 1.005])

tests/test_rounding.py:9: AssertionError
=========================== short test summary info ============================
FAILED tests/test_rounding.py::test_rounds_once - assert 2.0 == 2.01
FAILED tests/test_rounding.py::TestParcel::test_sum[eur-2] - assert 3 == 4
2 failed in 0.04s
"""

PYTEST_COLLECTION = """\
==================================== ERRORS ====================================
_____________________ ERROR collecting tests/test_tax.py _______________________
ImportError while importing test module '/srv/shop/tests/test_tax.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
tests/test_tax.py:3: in <module>
    from shop.tax import Rate
E   ModuleNotFoundError: No module named 'shop.tax'
=========================== short test summary info ============================
ERROR tests/test_tax.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
=============================== 1 error in 0.09s ===============================
"""

PYTEST_PASSED = """\
....................                                                     [100%]
20 passed, 1 skipped in 1.42s
"""

UNITTEST = """\
..E.F
======================================================================
ERROR: test_close (tests.test_store.StoreTest.test_close)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/shop/tests/test_store.py", line 22, in test_close
    store.close()
  File "/srv/shop/src/shop/store.py", line 71, in close
    self._file.flush()
AttributeError: 'NoneType' object has no attribute 'flush'

======================================================================
FAIL: test_count (tests.test_store.StoreTest.test_count)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/shop/tests/test_store.py", line 15, in test_count
    self.assertEqual(store.count(), 3)
AssertionError: 2 != 3

----------------------------------------------------------------------
Ran 5 tests in 0.006s

FAILED (failures=1, errors=1)
"""

CARGO_BUILD = """\
   Compiling shop v0.3.0 (/srv/shop)
error[E0308]: mismatched types
  --> src/cart.rs:41:9
   |
40 |     fn total(&self) -> u64 {
   |                        --- expected `u64` because of return type
41 |         self.items.iter().map(|i| i.price).sum::<f64>()
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `u64`, found `f64`

warning: unused variable: `rate`
 --> src/tax.rs:7:9

For more information about this error, try `rustc --explain E0308`.
error: could not compile `shop` (lib) due to 1 previous error; 1 warning emitted
"""

CARGO_TEST = """\
running 3 tests
test cart::tests::empty ... ok
test cart::tests::rounds_once ... FAILED
test cart::tests::sums ... ok

failures:

---- cart::tests::rounds_once stdout ----
thread 'cart::tests::rounds_once' panicked at src/cart.rs:88:9:
assertion `left == right` failed
  left: 199
 right: 200
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    cart::tests::rounds_once

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: test failed, to rerun pass `--lib`
"""

GO_TEST = """\
--- FAIL: TestTotal (0.00s)
    cart_test.go:23: Total() = 12, want 10
FAIL
FAIL\texample.com/shop/cart\t0.004s
ok  \texample.com/shop/tax\t0.003s
FAIL
"""

GO_BUILD = """\
# example.com/shop/cart
./cart.go:17:12: undefined: roundHalfUp
./cart.go:22:5: declared and not used: rate
"""

GO_PANIC = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f2a1]

goroutine 1 [running]:
main.(*Cart).Total(...)
\t/srv/shop/cart.go:31
main.main()
\t/srv/shop/main.go:12 +0x1d
exit status 2
"""

TSC = """\
src/cart.ts(14,5): error TS2322: Type 'string' is not assignable to type 'number'.
src/tax.ts(3,22): error TS2307: Cannot find module './rates' or its corresponding type declarations.
"""

TSC_PRETTY = """\
src/cart.ts:14:5 - error TS2322: Type 'string' is not assignable to type 'number'.

14     total: string,
       ~~~~~

Found 1 error in src/cart.ts:14
"""

ESLINT = """\

/srv/shop/src/cart.js
   3:10  warning  'rate' is defined but never used  no-unused-vars
  12:7   error    'total' is not defined            no-undef

\u2716 2 problems (1 error, 1 warning)
"""

GCC = """\
gcc -Wall -c -o cart.o src/cart.c
src/cart.c: In function 'cart_total':
src/cart.c:10:5: error: expected ';' before 'return'
   10 |     return total
      |     ^~~~~~
src/cart.c:8:9: warning: unused variable 'rate' [-Wunused-variable]
make: *** [Makefile:12: cart.o] Error 1
"""

MAVEN = """\
[INFO] Running com.shop.CartTest
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.052 s <<< FAILURE! -- in com.shop.CartTest
[ERROR] com.shop.CartTest.total -- Time elapsed: 0.011 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <10> but was: <12>
\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:39)
\tat com.shop.CartTest.total(CartTest.java:31)

[INFO] Results:
[ERROR] Failures:
[ERROR]   CartTest.total:31 expected: <10> but was: <12>
[INFO]
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
"""  # noqa: E501

JEST = """\
 FAIL  src/cart.test.js
  Cart
    \u2713 is empty at first (2 ms)
    \u2715 rounds once (4 ms)

  \u25cf Cart \u203a rounds once

    expect(received).toBe(expected) // Object.is equality

    Expected: 2.01
    Received: 2

      12 |   test("rounds once", () => {
    > 13 |     expect(total([1.005, 1.005])).toBe(2.01);
         |                                   ^

      at Object.toBe (src/cart.test.js:13:35)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
Snapshots:   0 total
Time:        0.512 s
"""

NODE = """\
/srv/shop/src/server.js:12
  const port = config.http.port;
                           ^

TypeError: Cannot read properties of undefined (reading 'port')
    at start (/srv/shop/src/server.js:12:28)
    at Object.<anonymous> (/srv/shop/src/server.js:30:1)
    at Module._compile (node:internal/modules/cjs/loader:1376:14)

Node.js v20.11.0
"""

NODE_MODULE = """\
node:internal/modules/cjs/loader:1143
  throw err;
  ^

Error: Cannot find module 'express'
Require stack:
- /srv/shop/src/server.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)
    at /srv/shop/src/server.js:3:17 {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/shop/src/server.js' ]
}
"""

TRACEBACK = """\
loading rates
Traceback (most recent call last):
  File "/srv/shop/run.py", line 8, in <module>
    main()
  File "/srv/shop/src/shop/tax.py", line 41, in rate
    return client.get(url, timeout=5).json()
  File "/srv/shop/.venv/lib/python3.11/site-packages/requests/models.py", line 978, in json
    raise RequestsJSONDecodeError(e.msg, e.doc, e.pos)
requests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
"""

MYPY = """\
src/shop/cart.py:58: error: Incompatible return value type (got "float", expected "int")  [return-value]
src/shop/tax.py:3: error: Cannot find implementation or library stub for module named "rates"  [import-not-found]
Found 2 errors in 2 files (checked 14 source files)
"""  # noqa: E501

RUFF = """\
src/shop/cart.py:3:8: F401 [*] `os` imported but unused
src/shop/cart.py:91:101: E501 Line too long (117 > 100)
Found 2 errors.
[*] 1 fixable with the `--fix` option.
"""

NPM_INSTALL = """\
npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR!
npm ERR! While resolving: shop@1.0.0
npm ERR! Found: react@18.2.0
"""

PIP = """\
ERROR: Could not find a version that satisfies the requirement shoptax==9.9 (from versions: none)
ERROR: No matching distribution found for shoptax==9.9
"""

CURL = "curl: (6) Could not resolve host: rates.example.com"
CURL_HTTP = "curl: (22) The requested URL returned error: 404"

GIT_CONFLICT = """\
Auto-merging src/shop/cart.py
CONFLICT (content): Merge conflict in src/shop/cart.py
Automatic merge failed; fix conflicts and then commit the result.
"""

CTEST = """\
1/2 Test #1: cart_test ........................   Passed    0.01 sec
2/2 Test #2: tax_test .........................***Failed    0.02 sec

50% tests passed, 1 tests failed out of 2

The following tests FAILED:
\t  2 - tax_test (Failed)
Errors while running CTest
"""

SOURCE_WITH_ERROR_WORDS = """\
1\tclass RateError(Exception):
2\t    \"\"\"An error: the rate is missing. Traceback (most recent call last) follows.\"\"\"
3\t
4\tdef rate(country):
5\t    if country not in RATES:
6\t        raise RateError("error: no rate, 3 failed")
7\t# FAILED tests/test_x.py::test_y - ValueError: x
"""
