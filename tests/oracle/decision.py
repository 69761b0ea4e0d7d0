"""The decision of SPEC 2, whole. Policies and calls are dicts as in the policy file and in CALL (SPEC 12.1)."""

from fnmatch import fnmatchcase

from oracle.conditions import conditions_hold, kleene_and

STRICTNESS = {"allow": 0, "approval": 1, "deny": 2}


def decide(policy: dict, call: dict) -> tuple[str, int | None, str | None]:
    """Return the outcome (allow, approval, deny), the index of the rule that is named, and the flag that is missing.

    First-applicable: the first rule whose pattern, predicates and conditions all match decides alone. A rule of which
    that cannot be told yields the stricter of its own outcome and what the rest of the rules give.
    """
    call = {**call, **effective_attributes(policy, call)}
    return decide_from(0, policy, call)


def decide_from(index: int, policy: dict, call: dict) -> tuple[str, int | None, str | None]:
    """The decision of the rules from ``index`` on."""
    rules = policy.get("rules", [])
    if index == len(rules):
        flag = missing_permission(policy.get("defaults", {}), call)
        return gate("deny" if flag else "allow", policy, call), None, flag
    matched = rule_matches(rules[index], call)
    if matched is False:
        return decide_from(index + 1, policy, call)
    own = (gate(rules[index]["effect"], policy, call), index, None)
    if matched is True:
        return own
    rest = decide_from(index + 1, policy, call)
    # In a tie the certain rule is named, and that is the one that the rest gives.
    return own if STRICTNESS[own[0]] > STRICTNESS[rest[0]] else rest


def effective_attributes(policy: dict, call: dict) -> dict:
    """Trusted local classification: the first entry that matches sets what it names, never ``remote``."""
    for entry in policy.get("classify", []):
        if any_pattern(entry["operation"], call["operation"]):
            return {name: entry[name] for name in ("read_only", "destructive") if entry.get(name) is not None}
    return {}


def any_pattern(patterns: str | list[str], operation: str) -> bool:
    """Whether the pattern, or one of them, matches the whole operation."""
    return any(fnmatchcase(operation, pattern) for pattern in ([patterns] if isinstance(patterns, str) else patterns))


def rule_matches(rule: dict, call: dict) -> bool | None:
    """Whether pattern, predicates and argument conditions match; ``None`` if only the conditions leave it open."""
    when = rule.get("when") or {}
    for predicate in ("remote", "read_only", "destructive"):
        if when.get(predicate) is not None and when[predicate] is not call[predicate]:
            return False
    if when.get("unclassified") is not None and when["unclassified"] is not (call["read_only"] is None):
        return False
    if not any_pattern(rule["operation"], call["operation"]):
        return False
    conditions = when.get("arguments")
    return True if conditions is None else kleene_and(conditions_hold(conditions, call["arguments"]))


def missing_permission(defaults: dict, call: dict) -> str | None:
    """The category guards, which speak only where no rule matched: the first flag that is needed and not given."""
    if call["destructive"] is True and not defaults.get("allow_destructive", False):
        return "allow_destructive"
    if call["read_only"] is False and not defaults.get("allow_mutations", False):
        return "allow_mutations"
    if call["read_only"] is None and call["remote"] and not defaults.get("allow_unclassified_remote", False):
        return "allow_unclassified_remote"
    return None


def gate(effect: str, policy: dict, call: dict) -> str:
    """The second gate: what is not denied may need approval, by the rule or by the mode."""
    mode = policy.get("approval", {}).get("mode", "never")
    if effect == "deny":
        return "deny"
    if effect == "require_approval" or mode == "all" or (mode == "non_read_only" and call["read_only"] is not True):
        return "approval"
    return "allow"
