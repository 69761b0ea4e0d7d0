"""What a policy decides for every word up to a length, class by class: sets of words as integers, one bit a word.

The definition again, rule by rule through ``fnmatchcase``, made fast enough for thousands of policies.
"""

from fnmatch import fnmatchcase
from functools import lru_cache

from schemarouter.match.classes import CLASSES
from support.random_policies import words

WORDS = tuple(words(6))
EVERY = (1 << len(WORDS)) - 1


@lru_cache(maxsize=20_000)
def matched(pattern):
    """The words that a pattern matches."""
    return int("".join("1" if fnmatchcase(word, pattern) else "0" for word in reversed(WORDS)), 2)


def union(patterns):
    bits = 0
    for pattern in patterns:
        bits |= matched(pattern)
    return bits


def fits(predicates, attributes):
    wanted = (predicates.remote, predicates.read_only, predicates.destructive)
    if any(want is not None and want is not has for want, has in zip(wanted, attributes, strict=True)):
        return False
    return predicates.unclassified is None or predicates.unclassified is (attributes[1] is None)


def decided(graph, contract):
    """``(words, rule or None, outcome)`` of a policy without argument conditions, for one class of contract attributes."""
    left = EVERY
    result = []
    for entry in (*graph.classify, None):
        mine = left if entry is None else left & union(entry.patterns)
        left &= ~mine
        remote, read_only, destructive = contract
        if entry is not None:
            read_only = read_only if entry.read_only is None else entry.read_only
            destructive = destructive if entry.destructive is None else entry.destructive
        attributes = remote, read_only, destructive
        for number, rule in enumerate(graph.rules):
            if mine and fits(rule.predicates, attributes):
                taken = mine & union(rule.patterns)
                if taken:
                    mine &= ~taken
                    result.append((taken, number, outcome(graph, rule.effect, read_only)))
        if mine:
            result.append((mine, None, outcome(graph, guards(graph.defaults, attributes), read_only)))
    return result


def outcome(graph, effect, read_only):
    if effect == "deny":
        return "deny"
    mode = graph.approval.mode
    asks = effect == "require_approval" or mode == "all" or (mode == "non_read_only" and read_only is not True)
    return "approval" if asks else "allow"


def guards(defaults, attributes):
    remote, read_only, destructive = attributes
    refused = (
        (destructive is True and not defaults.allow_destructive)
        or (read_only is False and not defaults.allow_mutations)
        or (read_only is None and remote and not defaults.allow_unclassified_remote)
    )
    return "deny" if refused else "allow"


def shown(bits):
    """The first of some words."""
    return WORDS[(bits & -bits).bit_length() - 1]


def both(old, new):
    """Per contract class, ``(words, old rule, new rule, outcome before, outcome after)``."""
    for contract in CLASSES:
        theirs = decided(new, contract)
        for mine, one, before in decided(old, contract):
            for bits, other, after in theirs:
                if mine & bits:
                    yield mine & bits, contract, (one, other, before, after)
