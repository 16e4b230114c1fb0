"""每一课的验证格，各会被哪一种错变红；见 ``test_mutations.py``。"""
