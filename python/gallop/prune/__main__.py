"""Leaves out patches of a controller's weights: python -m gallop.prune MODEL -o OUT

MODEL is a .gallop file. A patch is 16 outputs x 8 inputs of all experts of a dense layer; what is
left out is neither stored nor read. What stays is solved anew by least squares, or trained:

--train STEPS   on frames, to say what the dense network says, while patches go in steps
--learn STEPS   after that to say what the dense network says where the controller's own loop comes
                to (walker, runner, dog), with --data
--polish STEPS  after that in that loop with what is asked of a controller, with --data

--judge stops where it should: by least squares the share grows step by step, each file is judged in
the runtime (`gallop judge`), and the last that misses no bar that the dense model meets is kept; a
polish ends at the first network that misses none, or keeps the one that misses the fewest.

Convolutions of a torch model are pruned by calling gallop.prune.patterns and gallop.prune.admm;
python -m gallop.prune.digits is an example.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from gallop import modelfile
from gallop.errors import said_of
from gallop.modelfile import Model
from gallop.prune import blocks, frames
from gallop.prune.frames import Frames
from gallop.verdict import Judge, at_once

STEP = 0.1  # of shares that are judged


def frames_of(args: argparse.Namespace, model: Model) -> Frames:
    """What --frames and --data name; else the file's golden frames."""
    if args.frames:
        found = frames.read(args.frames, model)
    elif args.data:
        found = frames.of_motion(model, args.data, str(args.model))
    else:
        found = frames.golden(model, str(args.model))
    return found.some(args.most, args.seed)


def solved(args: argparse.Namespace, model: Model, some: Frames, share: float) -> Model:
    """The model pruned without training."""
    there = blocks.by_outputs(model, some, share, args.seed) if args.choose == "outputs" else None
    return blocks.pruned(model, some, share, args.ridge, args.quiet, there)


def searched(args: argparse.Namespace, model: Model, some: Frames, judge: Judge
             ) -> tuple[dict, Model | None]:
    """The largest share up to the asked one, in steps, that misses no bar that the dense meets."""
    report: dict = {"dense misses": len(judge.dense), "shares": []}
    best = None
    for tried in np.arange(STEP, args.share + STEP / 2, STEP):
        path = args.output.with_suffix(f".{round(100 * tried)}.gallop")
        if not path.exists():
            made = solved(args, model, some, float(tried))
            modelfile.write(made, path)
        sparse, verdict = modelfile.read(path), judge.of_file(path)
        off = blocks.error(model, sparse, some)
        say(args, f"{tried:.0%}: error {off:.4f}, {verdict}")
        report["shares"].append({"share": round(float(tried), 2), "error": off,
                                 "missed": sorted(verdict.new)})
        if verdict.new:
            break
        best = sparse
    return report, best


def trained(args: argparse.Namespace, model: Model, some: Frames, judge: Judge | None
            ) -> tuple[dict, Model]:
    """The model pruned with training."""
    from gallop.arguments import check_device
    from gallop.prune import learn, regress, trained
    from gallop.prune.closed_loop import Course

    check_device(args.device)
    plan = trained.Plan(
        regress.Plan(args.share, args.train, round(1024 * args.size), args.rate, seed=args.seed),
        Course(args.polish, args.polish_rate, args.size, args.seed, args.keep),
        args.every, args.learn_every,
        learn.Plan(args.learn, args.rate, max(1, round(2048 * args.size)),
                   batch=max(1, round(4096 * args.size)), seed=args.seed),
        tuple(args.means), args.device, args.checkpoint, args.start)

    def told(text: str) -> None:
        say(args, text)

    out, report = trained.pruned(model, args.model, some, args.data, plan, judge, told, args.quiet)
    return report, out


def run(args: argparse.Namespace) -> int:
    """Prune as the arguments say."""
    model = modelfile.read(args.model)
    if not any(blocks.is_prunable(layer) for layer in model.layers):
        raise ValueError(f"{args.model}: no dense layer of {8 * blocks.LEAST} inputs or more")
    judge = None
    if args.judge:
        judge = Judge(args.model, args.gallop, args.bars, args.seconds, at_once())
    if judge:
        say(args, f"dense: {len(judge.dense)} bars missed")
    some = frames_of(args, model)
    few = "" if args.data or args.frames else (
        ", the file's golden ones: few, and errors of these alone say little; --data or --frames "
        "has others")
    say(args, f"{len(some.x)} frames{few}")
    report: dict = {"model": str(args.model), "frames": len(some.x)}
    out: Model | None
    if args.train or args.start:
        more, out = trained(args, model, some, judge)
    elif judge:
        more, out = searched(args, model, some, judge)
    else:
        out = solved(args, model, some, args.share)
        more = {}
    report.update(more)
    if out is not None:
        report["error"] = blocks.error(model, out, some.some(2000, 0))
        report["share"] = round(blocks.share_of(out), 4)
        report["bytes"] = modelfile.write(out, args.output), args.model.stat().st_size
        say(args, "{}: {:.1%} left out, error {:.4f} deviations, {} bytes of {}".format(
            args.output, report["share"], report["error"], *report["bytes"]))
    else:
        say(args, "no share passes; nothing is written")
    if args.report:
        args.report.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if out is not None else 1


def say(args: argparse.Namespace, text: str) -> None:
    """A line on stderr, unless quiet."""
    if not args.quiet:
        print(text, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    """The arguments."""
    p = argparse.ArgumentParser(prog="python -m gallop.prune", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", type=Path)
    p.add_argument("-o", "--output", type=Path, required=True)
    p.add_argument("--share", type=float, default=0.5, help="of the patches to leave out (0.5)")
    source = p.add_mutually_exclusive_group()
    source.add_argument("--frames", type=Path, help=".npz with x [F, K] and given [F, 1 or E]")
    source.add_argument("--data", type=Path, metavar="FOLDER",
                        help="the motion of the walker or the dog, as gallop.train takes it")
    p.add_argument("--most", type=int, default=20000, help="frames that are used (20000)")
    p.add_argument("--choose", choices=["outputs", "inputs"], default="outputs",
                   help="which patches go without --train: by what all outputs change by, or layer "
                   "by layer by their products with their inputs, which needs no PyTorch (outputs)")
    p.add_argument("--ridge", type=float, default=1e-4, help="of the mean square product (1e-4)")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--train", type=int, default=0, metavar="STEPS",
                   help="train on the frames, in place of least squares (3000 do)")
    p.add_argument("--learn", type=int, default=0, metavar="STEPS",
                   help="then say what the dense network says where the loop comes to (40000 do)")
    p.add_argument("--polish", type=int, default=0, metavar="STEPS",
                   help="then train in the controller's own loop (3600 do)")
    p.add_argument("--means", type=float, nargs="*", default=[], metavar="SHARE",
                   help="the judge looks at means of weights, too: so much of what is polished, "
                   "the rest of what had learnt (0.35 0.7 do)")
    p.add_argument("--keep", type=float, default=2.0, help="how much the dense network counts in "
                   "--polish (2; 8 after --learn)")
    p.add_argument("--start", type=Path, metavar="FILE",
                   help="go on with what was pruned already, in place of --train")
    p.add_argument("--rate", type=float, default=1e-3, help="of --train and --learn (0.001)")
    p.add_argument("--polish-rate", type=float, default=3e-4, help="of --polish (0.0003)")
    p.add_argument("--size", type=float, default=1.0, help="factor on the batches of all")
    p.add_argument("--every", type=int, default=600, help="steps of polish between looks of the "
                   "judge (600)")
    p.add_argument("--learn-every", type=int, default=4000,
                   help="the same of --learn (4000)")
    p.add_argument("--device", default="cpu", help="cpu or cuda")
    p.add_argument("--checkpoint", type=Path, help="to save to and resume from: FILE.frames, "
                   "FILE.learn, FILE.polish")
    p.add_argument("--judge", action="store_true", help="stop where a share misses a bar")
    p.add_argument("--bars", type=Path, help="as `gallop judge --bars`")
    p.add_argument("--seconds", type=float, default=60, help="of each of the judge's scripts (60)")
    p.add_argument("--gallop", type=Path, help="the gallop command (default: the one on the path, "
                   "or built in the checkout)")
    p.add_argument("--report", type=Path, help="JSON of what was found")
    p.add_argument("--quiet", action="store_true")
    return p


def check(args: argparse.Namespace) -> None:
    """A ValueError for the first argument that cannot be meant."""
    ranges = {"share": (0.01, 0.95), "most": (1, 10**7), "ridge": (0.0, 1e3),
              "seconds": (5.0, 3600.0), "train": (0, 10**7), "polish": (0, 10**7),
              "learn": (0, 10**7), "keep": (0.0, 1e3),
              "rate": (1e-7, 1.0), "polish_rate": (1e-7, 1.0), "size": (0.01, 100.0),
              "every": (1, 10**7), "learn_every": (1, 10**7)}
    for name, (least, most) in ranges.items():
        if not least <= getattr(args, name) <= most:
            raise ValueError("--{} {:g}, expected {:g}..{:g}".format(
                name.replace("_", "-"), getattr(args, name), least, most))
    if args.bars and not args.judge:
        raise ValueError("--bars without --judge")
    for stage in ("learn", "polish"):
        if getattr(args, stage) and not ((args.train or args.start) and args.data):
            raise ValueError(f"--{stage} without --data, or without --train or --start")
    if args.start and (args.train or not (args.polish or args.learn)):
        raise ValueError("--start with --train, or without --polish or --learn")
    if args.means and not (args.learn and args.polish and args.judge):
        raise ValueError("--means without --learn, --polish or --judge")
    if not all(0 < share < 1 for share in args.means):
        raise ValueError("--means {}, expected shares between 0 and 1".format(
            " ".join(f"{share:g}" for share in args.means)))
    for name in ("output", "report", "checkpoint"):
        path = getattr(args, name)
        if path and path.is_dir():
            raise ValueError(f"--{name} {path}: a folder, a file expected")
        if path and not path.parent.is_dir():
            raise ValueError(f"--{name} {path}: no folder {path.parent}")
    if args.output.exists() and args.model.exists() and args.output.samefile(args.model):
        raise ValueError(f"--output {args.output}: the model itself")


def main() -> int:
    """Run the command; what is wrong becomes one line."""
    args = parser().parse_args()
    try:
        check(args)
        return run(args)
    except ModuleNotFoundError as missing:
        print(f"gallop.prune: needs {missing.name}: pip install torch scipy, or gallop[training]; "
              "--choose inputs without --train needs neither", file=sys.stderr)
        return 2
    except (OSError, ValueError, FloatingPointError) as e:
        print(f"gallop.prune: {said_of(e)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = f"; go on by the same command, from {args.checkpoint}.*" if args.checkpoint else ""
        print(f"\ngallop.prune: interrupted, nothing is written{kept}", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
