"""Anyone's quadruped from files to a controller: look, say what was found, train, write."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time

import numpy as np

from gallop import bvh, exporter, modelfile
from gallop.dog import features as dog_features
from gallop.dog import main as dog_main
from gallop.dog import train as dog_train
from gallop.dog.features import Frames
from gallop.dog.polish import Plan
from gallop.quadruped import page
from gallop.quadruped.takes import Found, prepare

QUICK_HIDDEN, QUICK_EXPERTS = 128, 4
POLISH = 1200  # steps of the last stage, under random sticks
TRAINED = 0.6  # of --seconds: before it
HELD_OUT, LONG = 0.06, 900  # the end of each run of so many frames is not trained on


def train(args: argparse.Namespace, files: list[bvh.Bvh]) -> None:
    """The whole of it."""
    from gallop.arguments import say
    from gallop.endings import ENDED, judged, kept, recipe

    if args.checkpoint:
        raise ValueError(f"--checkpoint {args.checkpoint}: a quadruped of your own is not resumed")
    found = prepare(args.data, files, args.roles, args.seed)
    say(args, page.describe(found))
    place = args.out.with_suffix(".html")
    place.write_text(page.page(args.data.name, found), encoding="utf-8")
    say(args, f"what was found, with pictures: {place}")
    if args.look:
        return
    frames = frames_of(found)
    trainer = dog_train.Trainer(found.contract, frames, settings_of(args), args.device)
    inputs, outputs = (len(names()) for names in (
        found.contract.input_names, found.contract.output_names))
    say(args, f"{len(found.takes)} takes, {len(frames)} frames ({int(frames.held.sum())} held "
        f"out), {inputs} inputs, {outputs} outputs, {args.device}")
    begun = time.time()
    spent = trainer.warm_up()
    seconds = args.seconds and max(args.seconds - spent, 1.0)
    trainer.train(args.quiet, seconds and TRAINED * seconds)
    if not trainer.history and trainer.interrupted:
        raise KeyboardInterrupt("interrupted before the first fifty steps, nothing is kept")
    usual = 0 if args.quick else round(POLISH * args.steps)
    steps = args.polish if args.polish is not None else usual
    dog_main.polished(args, trainer, Plan(steps), seconds and (1 - TRAINED) * seconds)
    trainer.net.load_state_dict(trainer.average.state_dict())
    first, last = dog_main.held_out(trainer)
    off = "no run of frames is long enough to hold its end out" if np.isnan(first) else (
        f"feet of held-out frames off by {first:.3f} units after one step, {last:.2f} after thirty")
    say(args, f"trained in {time.time() - begun:.0f} s; {off}")
    if args.curve:
        dog_main.write_curve(args.curve, trainer.history)
    model = exporter.to_model(trainer.average, found.contract, trainer.scale)
    exporter.add_golden(model, dog_main.golden_inputs(trainer))
    exporter.add_provenance(model, {
        "model": args.out.stem, "data": f"the motion in {args.data.name}",
        "licence": "that of the motion",
        "command": recipe(sys.argv[1:]) + (ENDED if trainer.interrupted else "")})
    size = modelfile.write(model, args.out)
    say(args, f"wrote {args.out}, {size / 1024:.0f} KB")
    if trainer.interrupted:
        raise KeyboardInterrupt(kept(args))
    if not args.no_judge:
        judged(args, model)


def frames_of(found: Found) -> Frames:
    """Features of all takes; the ends of long runs are held out."""
    frames = dog_features.build(found.takes)
    last = np.r_[np.flatnonzero(np.diff(frames.run)) + 1, len(frames)]
    for first, end in zip(np.r_[0, last[:-1]], last):
        if end - first >= LONG:
            frames.held[end - int(HELD_OUT * (end - first)) : end] = True
    return frames


def settings_of(args: argparse.Namespace) -> dog_train.Settings:
    """The dog's training, with a smaller network where it has to be quick."""
    made = dog_main.settings_of(args)
    if not args.quick:
        return made
    experts = made.experts if args.experts or args.gate == "plain" else QUICK_EXPERTS
    return dataclasses.replace(made, hidden=args.hidden or QUICK_HIDDEN, experts=experts)


