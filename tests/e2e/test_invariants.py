"""``check --invariants``: what must never happen, written in another file, asked about every policy."""

COMPANY = """\
version: 1
name: company
invariants:
  - name: destructive-asks
    never: destructive and remote and not approval
    reason: nobody deletes unseen
"""
OPEN = """\
version: 1
name: desk
rules:
  - name: mail # schemarouter: ignore[SR306, SR401, SR402] the mail server is ours
    operation: "mail.*"
    effect: allow
budget: {max_tool_calls: 3}
"""
CLOSED = """\
version: 1
name: desk
rules:
  - name: mail
    operation: "mail.*"
    effect: deny
    reason: not yet
"""


def files(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def test_a_policy_that_breaks_one_fails_at_the_rule(run, tmp_path):
    files(tmp_path, company=COMPANY, policy=OPEN)
    result = run("check", "--invariants", "company.yaml", "policy.yaml", "--output-format", "concise", cwd=tmp_path)
    assert result.code == 1
    assert result.out.splitlines()[0] == (
        "policy.yaml:6:13: SR407[broken-invariant] the invariant `destructive-asks` does not hold: rule `mail` decides for "
        "`mail.a`"
    )


def test_a_policy_that_keeps_them_is_clean(run, tmp_path):
    files(tmp_path, company=COMPANY, policy=CLOSED)
    assert run("check", "--invariants", "company.yaml", "policy.yaml", cwd=tmp_path).code == 0


def test_no_comment_and_no_selection_silences_it(run, tmp_path):
    files(tmp_path, company=COMPANY, policy=OPEN.replace("SR306,", "SR306, SR407,"))
    for options in ((), ("--ignore", "SR407"), ("--select", "SR1")):
        result = run("check", "--invariants", "company.yaml", "policy.yaml", *options, cwd=tmp_path)
        assert result.code == 1, options
        assert "SR407" in result.out


def test_the_project_can_name_them(run, tmp_path):
    files(tmp_path, company=COMPANY, policy=OPEN)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.schemarouter]\ninclude = ["policy.yaml"]\ninvariants = ["company.yaml"]\n'
    )
    result = run("check", cwd=tmp_path)
    assert result.code == 1
    assert "the invariant `destructive-asks` does not hold" in result.out


def test_a_file_that_is_none_is_refused_and_says_where(run, tmp_path):
    files(
        tmp_path,
        policy=CLOSED,
        unknown="version: 1\ninvariants:\n  - {name: a, never: destrutive}\n",
        more="version: 1\nrules: []\ninvariants:\n  - {name: a, never: destructive}\n",
        none="version: 1\n",
        broken="version: 1\ninvariants: [\n",
    )
    said = {
        "unknown": "unknown.yaml:3:22: SR407[broken-invariant] unknown word `destrutive`",
        "more": "more.yaml:2:1: SR101[unknown-key] `rules` has no meaning in a file of invariants",
        "none": "none.yaml:1:1: SR102[missing-key] the file has no `invariants`",
        "broken": "broken.yaml:2:14: SR001[syntax-error]",
    }
    for name, message in said.items():
        result = run("check", "--invariants", f"{name}.yaml", "policy.yaml", "--output-format", "concise", cwd=tmp_path)
        assert result.code == 1, name
        assert message in result.out, result.out
    assert run("check", "--invariants", "missing.yaml", "policy.yaml", cwd=tmp_path).code == 2
