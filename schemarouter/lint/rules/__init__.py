"""One module a code, named after the code and its name: ``sr306_allow_everything``. Found by looking, listed nowhere.

The module's docstring is the documentation of the code. A code that is found here also has a check
(:func:`schemarouter.lint.rule.rule`); the codes of the reader and of suppressions are documented only.
"""
