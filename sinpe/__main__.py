"""``python -m sinpe``：打印 5 个位置、8 维的编码表。"""

from .encoding import _print_example

_print_example()
