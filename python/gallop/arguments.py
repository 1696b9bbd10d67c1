"""What the command line of training takes, what is refused, and what is said."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from gallop import judge

NAMED = ("walker", "runner", "dog")
PFNNS = ("walker", "runner", None)
WHOSE = {  # of options that only some trainings have: theirs; None is that of --data alone
    "begin": NAMED, "mend": NAMED, "ground": NAMED[:2],
    "looks": NAMED, "bars": NAMED, "report": NAMED,
    "clips": ("runner",), "teacher": ("walker",), "contract": ("walker",),
    "plain_paths": ("walker",), "all": ("walker",), "roles": (None,), "look": (None,),
    "no_standing": (None,), "seconds": ("dog", None), "slide": PFNNS, "kinematics": PFNNS,
    "absolute": PFNNS, "keep": PFNNS, "course": PFNNS, "polish_slide": PFNNS,
}
ON_TWO = ("slide", "kinematics", "absolute", "keep", "course", "polish_slide", "no_standing")
ON_FOUR = ("seconds",)  # of your own motion: what only a biped has, what only a quadruped


def number(kind: type, fits: Callable[[float], bool], expected: str) -> Callable[[str], float]:
    """A number of that kind that fits, for an argument; what is expected is said of another."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not fits(value):
            raise argparse.ArgumentTypeError(f"{text}: {expected} expected")
        return value

    return read


def positive(kind: type) -> Callable[[str], float]:
    """A number of that kind above 0, for an argument."""
    what = "a whole number" if kind is int else "a number"
    return number(kind, lambda value: 0 < value < 1e6, f"{what} above 0 and below a million")


count = number(int, lambda value: 0 <= value < 1e6,  # of steps; 0 is none
               "a whole number from 0 to 999999")
seed = number(int, lambda value: 0 <= value < 2**32, "a whole number from 0 to 4294967295")


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    p = argparse.ArgumentParser(prog="gallop.train",
                                description="Train a controller and write its model.")
    p.add_argument("what", nargs="?", choices=["walker", "runner", "dog"],
                   help="a controller of the project")
    p.add_argument("--data", type=Path, help="folder with the motion (.bvh, .glb), or one file")
    p.add_argument("--kind", default="pfnn", choices=["pfnn", "mann"],
                   help="gated by a phase, or by a network that sees the feet")
    p.add_argument("--seconds", type=positive(float),
                   help="dog, quadruped: train for so long, whatever steps that are")
    p.add_argument("--roles", type=Path, help="TOML file that names the joints' roles")
    p.add_argument("--clips", type=Path,
                   help="runner: .npz of its clean clips; written if it is not there, else read")
    p.add_argument("--look", action="store_true",
                   help="with --data: say what the files show, write the page of it, and end")
    p.add_argument("--no-standing", action="store_true",
                   help="train a mann though the files show nobody who stands")
    p.add_argument("-o", "--out", type=Path, help="model to write")
    p.add_argument("--quick", action="store_true",
                   help="three to six minutes of two idle cores, not the best")
    p.add_argument("--seed", type=seed, default=1)
    p.add_argument("--hidden", type=positive(int),
                   help="width of the hidden layers (352, quick 256; runner: 384, mann 224, "
                   "quick 160)")
    p.add_argument("--gate", default="cubic", choices=["cubic", "linear", "constant", "plain"])
    p.add_argument("--experts", type=positive(int),
                   help="control points (4 cubic, 10 linear, 50 constant)")
    p.add_argument("--slide", type=float, default=3.0, help="weight of the foot-slide term")
    p.add_argument("--kinematics", type=float, default=1.0, help="weight of the skeleton term")
    p.add_argument("--steps", type=positive(float), default=1.0,
                   help="factor on the steps of all stages")
    p.add_argument("--batch", type=positive(float), default=1.0,
                   help="factor on the schedule's batches")
    p.add_argument("--noise", type=float, default=1.0, help="factor on the schedule's noise")
    p.add_argument("--absolute", type=float, default=1.0, help="share of absolute in the error")
    p.add_argument("--no-judge", action="store_true",
                   help="no judge: neither its looks and rules nor its table at the end")
    p.add_argument("--polish", type=count, help="steps of the last stage (0: none), "
                   "whatever --steps says")
    p.add_argument("--mend", type=count, help="steps of polish after that which count turns on the "
                   "spot, jumps and squats for more (0); the dog's: of each of four rounds on its "
                   "own motion made clean (1500, quick 0)")
    p.add_argument("--ground", type=count, default=0, help="walker, runner: steps of the stage in "
                   "which it learns to see the ground; nothing else is changed (0: it does not)")
    p.add_argument("--from", type=Path, dest="begin", metavar="MODEL",
                   help="mend this model of the project, and train nothing else")
    p.add_argument("--keep", type=float,
                   help="polish: how much stays as it was (0.5), or as the teacher says (2)")
    p.add_argument("--course", type=float,
                   help="polish: weight of where it is led (20; the runner's --quick 40)")
    p.add_argument("--polish-slide", type=float, help="polish: weight of foot slide (3)")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    p.add_argument("--checkpoint", type=Path, help="file to resume from and save to")
    p.add_argument("--curve", type=Path, help="CSV file for the loss curve")
    p.add_argument("--plain-paths", action="store_true", help="no straightened copies of clips")
    p.add_argument("--all", action="store_true", help="train on the held-out frames too")
    p.add_argument("--contract", type=Path, help="contract text to use (default: the project's)")
    p.add_argument("--teacher", type=Path,
                   help="walker: a model to learn from, for a smaller one (with --hidden)")
    p.add_argument("--looks", type=count, metavar="STEPS",
                   help="of what the project ships: steps between two looks of the judge in the "
                   "last stage (250, of the dog 750; 0, with --quick and with --teacher: none)")
    p.add_argument("--bars", type=Path, help="of these: bars that the judge holds it to beside the "
                   "general ones (models/runner.aims, walker.bars and so on)")
    p.add_argument("--report", type=Path, help="of these: JSON of what the judge said")
    p.add_argument("--judge", type=Path, help="the gallop command that judges (default: the one on "
                   "the path, or built in the checkout)")
    p.add_argument("--quiet", action="store_true")
    return p


def check_whose(args: argparse.Namespace, words: argparse.ArgumentParser) -> None:
    """Refuse what this training does not have, in place of leaving it out."""
    for option, whose in WHOSE.items():
        if args.what not in whose and getattr(args, option) != words.get_default(option):
            words.error(f"{flag(option)}: of "
                        f"{' and '.join(n or 'your own motion' for n in whose)} alone")


def check_body(args: argparse.Namespace, quadruped: bool) -> None:
    """Refuse what a training of such a body, which the files in --data show, does not have."""
    words = parser()
    for option in ON_TWO if quadruped else ON_FOUR:
        if getattr(args, option) != words.get_default(option):
            whose, shown = ("a biped", "a quadruped") if quadruped else ("a quadruped", "a biped")
            raise ValueError(f"{flag(option)}: of {whose} alone, and {args.data} shows {shown}")


def flag(option: str) -> str:
    """How an option is written."""
    return "--from" if option == "begin" else "--" + option.replace("_", "-")


def check_device(name: str) -> None:
    """Whether this machine and this PyTorch have the device."""
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as e:
        raise ValueError(f"--device {name}: {str(e).splitlines()[0]}") from None


def check_judge(args: argparse.Namespace) -> None:
    """Whether there will be a judge, before hours are spent; one that is named has to be there, and
    to understand the bars that are."""
    try:
        gallop = judge.command(args.judge)
    except ValueError as e:
        if args.judge:
            raise
        say(args, f"it will not be judged: {e}")
        return
    if args.bars:
        judge.check_bars(gallop, args.bars)


def check_inputs(args: argparse.Namespace) -> None:
    """Whether what is read is there, before the hours after which some of it is asked for."""
    for path in (args.begin, args.teacher, args.contract, args.bars, args.roles):
        if path and path.is_dir():
            raise IsADirectoryError(f"{path}: a folder, a file expected")
        if path and not path.exists():
            raise FileNotFoundError(f"{path}: no such file")


def prepare_outputs(args: argparse.Namespace) -> None:
    """The folders of what is written at the end; what cannot be written is said before the work."""
    if args.data and not args.what and args.out and args.out.suffix == ".html":
        raise ValueError(f"{args.out}: the page of what was found would lie there; another name "
                         f"expected, such as {args.out.with_suffix('.gallop')}")
    for path in (args.out, args.checkpoint, args.curve, args.report):
        if path and path.is_dir():
            raise IsADirectoryError(f"{path}: a folder, a file expected")
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not os.access(path.parent, os.W_OK):
                raise PermissionError(f"{path.parent}: nothing can be written there")


def say(args: argparse.Namespace, text: str) -> None:
    """A line on stderr, unless quiet."""
    if not args.quiet and os.environ.get("RANK", "0") == "0":
        print(text, file=sys.stderr, flush=True)
