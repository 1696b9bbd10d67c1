"""What comes of a training: the file, its provenance and curve, and what the judge says of it."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

from gallop import exporter, features, judge, modelfile, start
from gallop.arguments import say
from gallop.choice import Choice
from gallop.polish import PARTS

ENDED = " (ended by ^C)"


def write_curve(path: Path, history: list[tuple[int, dict[str, float]]]) -> None:
    """The loss curve as CSV: step, loss and its parts."""
    keys = ["loss", "error", "slide", "kinematics", "decay", *(k for k in PARTS if k != "slide")]
    with path.open("w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["step", *keys])
        for step, entry in history:
            out.writerow([step, *(f"{entry[k]:.6g}" if k in entry else "" for k in keys)])


def finish(
    args: argparse.Namespace, model: modelfile.Model, data: features.Dataset, name: str,
    attribution: str, licence: str, interrupted: bool, choice: Choice | None = None,
) -> None:
    """Golden frames, provenance, file, and the table of the closed loop; of a training that ^C
    ended, the file alone. What a `choice` keeps is written in place of the model."""
    start.from_standing(model)
    if choice:
        model = choice.finished(model, not interrupted)
    exporter.add_golden(model, *exporter.golden_rows(data))
    exporter.add_provenance(model, {
        "model": name, "data": attribution.split(";")[0], "attribution": attribution,
        "licence": "CC BY 4.0" if licence else "that of the motion",
        "command": recipe(sys.argv[1:]) + (ENDED if interrupted else "")})
    if choice:
        keep_choice(args, model, choice)
    model.licence = licence
    if args.out:
        size = modelfile.write(model, args.out)
        say(args, f"wrote {args.out}, {size / 1024:.0f} KB")
    if interrupted:
        raise KeyboardInterrupt(kept(args))
    if args.no_judge:
        return
    judged(args, model)


def keep_choice(args: argparse.Namespace, model: modelfile.Model, choice: Choice) -> None:
    """What was chosen, in the model, and all that the judge said, where it is asked for."""
    if choice.words():
        model.provenance["chosen"] = choice.words()
    if args.report:
        args.report.write_text(json.dumps(choice.report(), indent=1) + "\n")


def judged(args: argparse.Namespace, model: modelfile.Model) -> None:
    """Print the tables of `gallop judge`, where there is that command; ^C says what is kept."""
    try:
        gallop = judge.command(args.judge)
    except ValueError as e:
        say(args, f"not judged: {e}")
        return
    with tempfile.TemporaryDirectory() as folder:
        place = args.out or Path(folder) / "model.gallop"
        if not args.out:
            modelfile.write(model, place)
        try:
            print(judge.table(gallop, place))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(kept(args)) from None


def kept(args: argparse.Namespace) -> str:
    """What is there after ^C."""
    files = [str(path) for path in (args.out, args.checkpoint) if path]
    where = " and ".join(files) if files else "nowhere: say -o FILE or --checkpoint FILE"
    return f"interrupted; what was trained until then is kept in {where}"


def recipe(words: list[str]) -> str:
    """The command that makes a model, without what does not change it: where files go, and what is
    printed. Without a judge nothing is chosen by it, so that is said."""
    places = ("-o", "--out", "--curve", "--checkpoint", "--judge", "--clips", "--report")
    kept, skip = [], False
    for word in words:
        if not skip and word not in (*places, "--quiet") and not word.startswith(
                tuple(p + "=" for p in places)):
            kept.append(word)
        skip = not skip and word in places
    return " ".join(["python -m gallop.train", *kept])
