"""The contract's text: round trip, names, and each error message."""

from pathlib import Path

import pytest

import synthetic
from gallop import contract

SHIPPED = Path(__file__).resolve().parents[2] / "models" / "walker.contract"
HEAD = ("gallop-contract 1\nname a\njoint A - 0 0 0\njoint B A 0 1 0\nsamples -10 0 10\n"
        "future 10 20\n")
BODY = "gait stand stand\ninput joint.position\noutput joint.position\n"


def test_round_trip():
    made = synthetic.contract()
    text = contract.to_text(made)
    again = contract.parse(text)
    assert contract.to_text(again) == text
    assert again.inputs == made.inputs and again.outputs == made.outputs
    assert again.rules == made.rules and again.legs == made.legs


def test_shipped_contract():
    c = contract.parse(SHIPPED.read_text(), "walker.contract")
    joints = len(c.joints)
    assert len(c.input_names()) == 12 * 4 + 12 * len(c.gaits) + 6 * joints
    assert len(c.output_names()) == 4 + 4 + 4 * 6 + 12 * joints
    assert contract.to_text(c) == SHIPPED.read_text()


def test_names_are_spelled_as_the_format_page_does():
    text = HEAD + BODY + (
        "input trajectory.position.x\ninput trajectory.gait stand\ninput trajectory.height 25\n"
        "input constant 1 4\ninput opaque style 2\noutput future.direction.z\noutput contact B\n"
        "output joint.rotation sixd\n")
    c = contract.parse(text)
    names = c.input_names()
    assert names[:6] == [f"joint.position.{j}.{a}" for j in "AB" for a in "xyz"]
    assert names[6:15] == [f"{s}[{o}]" for s in (
        "trajectory.position.x", "trajectory.gait.stand", "trajectory.height.25")
        for o in (-10, 0, 10)]
    assert names[15:] == ["constant[0]", "constant[1]", "constant[2]", "constant[3]", "style[0]",
                          "style[1]"]
    out = c.output_names()
    assert out[6:9] == ["future.direction.z[10]", "future.direction.z[20]", "contact.B"]
    assert out[9] == "joint.rotation.A.0" and len(out) == 9 + 12


def test_columns():
    c = synthetic.contract()
    where = c.columns(c.inputs, "trajectory.gait", "run")
    assert c.input_names()[where.start] == "trajectory.gait.run[-60]"
    with pytest.raises(KeyError, match="no block 'contact Nose'"):
        c.columns(c.outputs, "contact", "Nose")


FAULTS = [
    ("", 1, "the first line is not"),
    ("gallop-contract 2\n", 1, "the first line is not"),
    (HEAD + "nonsense 1\n", 7, "unknown keyword 'nonsense'"),
    (HEAD + "name b\n", 7, "'name' twice"),
    (HEAD + "rate 0\n", 7, "0 is out of range"),
    (HEAD + "unit nan\n", 7, "'nan' is not a decimal number"),
    (HEAD + "joint B A 0 0 0\n", 7, "a second joint named 'B'"),
    (HEAD + "joint C X 0 0 0\n", 7, "the parent 'X' of 'C' does not stand before it"),
    (HEAD + "joint C A 0 0\n", 7, "expected 'joint NAME PARENT"),
    (HEAD + "joint " + "x" * 64 + " A 0 0 0\n", 7, "is not a name"),
    (HEAD + "leg A B A C\n", 7, "unknown joint 'C'"),
    (HEAD + "leg A B\n", 7, "expected 'leg HIP KNEE HEEL TOE'"),
    (HEAD + "window 0 60\n", 7, "0 is not in 1..600"),
    (HEAD.replace("-10 0 10", "0 -10"), 5, "the offsets of 'samples' do not ascend"),
    (HEAD.replace("-10 0 10", "0 1.5"), 5, "'1.5' is not a whole number"),
    (HEAD + "gait a fly\n", 7, "unknown role 'fly'"),
    (HEAD + "gait a walk\ngait b walk\n", 8, "twice"),
    (HEAD + "input nose.position\n", 7, "unknown input block 'nose.position'"),
    (HEAD + "input trajectory.gait walk\n", 7, "unknown gait 'walk'"),
    (HEAD + "input constant 1\n", 7, "expected 'INPUT CONSTANT NUMBER COUNT'"),
    (HEAD + "output joint.rotation euler\n", 7, "unknown kind of rotation 'euler'"),
    (HEAD + "output contact C\n", 7, "unknown joint 'C'"),
    (HEAD + "rule a 1\nrule a 2\n", 8, "rule 'a' twice"),
    (HEAD + "rule a 1e\n", 7, "is not a decimal number"),
    (HEAD + "x" * 5000 + "\n", 7, "a line longer than 4096 bytes"),
    (HEAD + "output joint.position\n", None, "no 'input' line"),
    (HEAD + "window 5 5\n" + BODY, None, "a sample lies outside -5..4"),
    (HEAD + BODY + "input memory h 3\n", None, "blocks are not the same"),
    (HEAD + BODY + "input memory h 3\noutput memory h 2\n", None, "blocks are not the same"),
    (HEAD + BODY + 2 * "input memory h 3\n" + 2 * "output memory h 3\n", None, "a 'memory' twice"),
    (HEAD.replace("samples -10 0 10\n", "") + BODY + "input trajectory.position.x\n", None,
     "without a 'samples' line"),
]


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_fault_names_the_line(text, line, message):
    with pytest.raises(contract.ContractError) as caught:
        contract.parse(text, "c")
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"c:{line}:" if line else "c:")


def test_comments_and_blanks():
    c = contract.parse(HEAD + "\n# a remark\n" + BODY + "rule anchor 0.5 # half\n")
    assert c.rules == {"anchor": 0.5}


def test_numbers_read_back():
    for value in (0.0, 1.0, -97.811574, 1e-7, 123456.7, 0.333333333):
        text = contract.show(value)
        assert abs(float(text) - value) <= 2e-7 * abs(value) + 1e-12 and "e" not in text
