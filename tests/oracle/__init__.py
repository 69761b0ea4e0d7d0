"""The definition: what a decision is (SPEC 2), as plain functions over plain data. Nothing here is fast.

Nothing of the package is imported, so that agreement with it means something.
"""
