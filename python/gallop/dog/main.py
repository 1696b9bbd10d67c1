"""`python -m gallop.train dog`: motion in, dog.gallop out, with its figures."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from pathlib import Path

import numpy as np
import torch

from gallop import exporter, modelfile
from gallop.choice import Choice, choice_of
from gallop.contract import parse
from gallop.dog import export as dog_export
from gallop.dog import mend as dog_mend
from gallop.dog import own
from gallop.dog import train as dog_train
from gallop.dog.loop import State
from gallop.dog.polish import Plan, Polishing
from gallop.dog.rollout import Rollout, Rows
from gallop.dog.train import Settings, Trainer
from gallop.endings import ENDED, judged, keep_choice, kept, recipe
from gallop.network import MANN
from gallop.trainer import load_checkpoint
from gallop.verdict import at_once

STOPS = {False: 12, True: 6}  # rests made of a clip, with --quick fewer
POLISH = 1200  # steps under random sticks
SHARES = {"stages": 0.34, "polish": 0.09, "mend": 0.57}  # of --seconds
POLISH_LOOKS = 4  # of the judge at a polish, which may be too long


def golden_inputs(trainer: Trainer, seed: int = 0) -> np.ndarray:
    """Inputs of frames that were held out."""
    frames, roll = trainer.frames, trainer.rollout
    held = np.flatnonzero(frames.held) if frames.held.any() else np.arange(len(frames))
    rows = torch.tensor(np.random.default_rng(seed).choice(held, exporter.GOLDEN),
                        device=trainer.device)
    x = roll.body.features(roll.data.state(rows), roll.data.path(rows), roll.data.jump[rows])
    return x.cpu().numpy()


def held_out(trainer: Trainer, unroll: int = 30, count: int = 256) -> tuple[float, float]:
    """Mean foot error in cm on held-out clips: after one step, and after `unroll` own steps."""
    frames, roll = trainer.frames, trainer.rollout
    last = np.arange(len(frames) - unroll)
    good = frames.held[last] & (frames.run[last] == frames.run[last + unroll])
    if not good.any():
        return float("nan"), float("nan")
    if roll.fuses:  # a size for which there are kernels
        count = trainer.settings.stages[0].batch
    rows = np.random.default_rng(0).choice(np.flatnonzero(good), count)
    return foot_errors(roll, torch.tensor(rows, device=trainer.device), unroll)


def foot_errors(roll: Rollout, rows: torch.Tensor, unroll: int) -> tuple[float, float]:
    """Mean distance in cm of the feet from the data's after the first and the last step."""
    errors = []

    def watch(s: State, y: torch.Tensor, step: torch.Tensor, true: Rows,
              turn: torch.Tensor) -> torch.Tensor:
        errors.append(float((s.feet.detach() - true.feet).norm(dim=-1).mean()))
        return roll.weights * 0

    terms, roll.terms = roll.terms, watch  # type: ignore[method-assign]
    with torch.set_grad_enabled(roll.fuses):  # there are kernels for that, though none is used
        roll(rows, unroll, 0.0)
    roll.terms = terms  # type: ignore[method-assign]
    return errors[0], errors[-1]


def settings_of(args: argparse.Namespace) -> Settings:
    """The training that the arguments ask for."""
    stages = dog_train.QUICK if args.quick else dog_train.FULL
    stages = tuple(dataclasses.replace(s, steps=max(1, round(s.steps * args.steps)),
                                       batch=max(1, round(s.batch * args.batch))) for s in stages)
    experts = 1 if args.gate == "plain" else args.experts or 8
    return Settings(args.hidden or 256, experts, stages, noise=0.05 * args.noise, anchor=0.5,
                    fast=2.0, seed=args.seed)


def begun_from(model: modelfile.Model) -> dict:
    """What Trainer.save would have kept of the network of a model file."""
    sizes = len(model.input_mean), len(model.output_mean), model.layers[0].outputs
    net = MANN(*sizes, model.experts, list(model.gate_features))
    scale = exporter.restore(net, model)
    return {"net": net.state_dict(),
            "scale": {k: torch.tensor(v) for k, v in vars(scale).items()}}


def steps_of(args: argparse.Namespace) -> dict[str, int]:
    """The steps of each part of a training; with --quick there are others than those of the stages
    only where they are asked for."""
    usual = {"polish": POLISH, "mend": dog_mend.STEPS}
    usual = {name: 0 if args.quick else round(n * args.steps) for name, n in usual.items()}
    polish = usual["polish"] if args.polish is None else args.polish
    mend = usual["mend"] if args.mend is None else args.mend
    stages = sum(stage.steps for stage in settings_of(args).stages)
    return {"stages": 0 if args.begin else stages, "polish": 0 if args.begin else polish,
            "mend": mend}


def seconds_of(args: argparse.Namespace, spent: float = 0.0) -> dict[str, float | None]:
    """What each part that has steps has of --seconds, less what was spent; None: its steps
    count."""
    there = {name: SHARES[name] for name, steps in steps_of(args).items() if steps}
    left = args.seconds and max(args.seconds - spent, 1.0)
    return {name: left and left * share / sum(there.values()) for name, share in there.items()}


def train(args: argparse.Namespace) -> None:
    """Train, write and judge the dog."""
    contract, frames = dog_train.prepare(args.data, args.seed, STOPS[args.quick])
    before = None
    if args.begin:
        model = modelfile.read(args.begin)
        try:
            before, contract.rules = begun_from(model), parse(model.contract, "contract").rules
        except ValueError as e:
            raise ValueError(f"--from {args.begin}: {e}") from None
    if args.checkpoint and args.checkpoint.exists():
        before = load_checkpoint(args.checkpoint, torch.device("cpu"))
    trainer = Trainer(contract, frames, settings_of(args), args.device, before)
    _say(args, f"{len(frames)} frames ({int(frames.held.sum())} held out), "
         f"{len(contract.input_names())} inputs, {len(contract.output_names())} outputs, "
         f"{args.device}")
    begun = time.time()
    choice = None if args.quick else choice_of(args, "dog", dog_mend.FIT, dog_mend.EVERY)
    run(args, trainer, choice)
    model = exporter.to_model(trainer.average, contract, trainer.scale)
    if choice:
        model = choice.finished(model, not trainer.interrupted)
        trainer.average.load_state_dict(begun_from(model)["net"])
    trainer.net.load_state_dict(trainer.average.state_dict())
    first, last = held_out(trainer)
    _say(args, f"trained in {time.time() - begun:.0f} s; feet of held-out clips off by "
         f"{first:.3f} cm after one step, {last:.2f} cm after thirty")
    finish(args, trainer, model, choice)


def run(args: argparse.Namespace, trainer: Trainer, choice: Choice | None) -> None:
    """All stages, as far as ^C lets them: along the data, under random sticks, and on the own
    motion made clean, at which the judge looks."""
    steps, seconds = steps_of(args), seconds_of(args, trainer.warm_up(dog_mend.ANCHOR))
    begun = time.monotonic()
    if steps["stages"]:
        trainer.train(args.quiet, seconds["stages"])
    if args.checkpoint:
        trainer.save(args.checkpoint)
    polished(args, trainer, Plan(steps["polish"]), seconds.get("polish"), choice)
    if args.checkpoint:
        trainer.save(args.checkpoint)
    plan = dog_mend.plan_of(steps["mend"], trainer.device.type)
    left = seconds.get("mend")  # and what the parts before it have left or taken
    if left:
        left = max(sum(filter(None, seconds.values())) - (time.monotonic() - begun), 1.0)
    mended(args, trainer, plan, choice, left)


def finish(args: argparse.Namespace, trainer: Trainer, model: modelfile.Model,
           choice: Choice | None) -> None:
    """Write what was asked for, and judge it."""
    if args.checkpoint:
        trainer.save(args.checkpoint)
    if args.curve:
        write_curve(args.curve, trainer.history)
    ended = ENDED if trainer.interrupted else ""
    dog_export.finish(model, golden_inputs(trainer), recipe(sys.argv[1:]) + ended)
    if choice:
        keep_choice(args, model, choice)
    if args.out:
        size = modelfile.write(model, args.out)
        _say(args, f"wrote {args.out}, {size / 1024:.0f} KB")
    if trainer.interrupted:
        raise KeyboardInterrupt(kept(args))
    if not args.no_judge:
        judged(args, model)


def polished(args: argparse.Namespace, trainer: Trainer, plan: Plan,
             seconds: float | None = None, choice: Choice | None = None) -> None:
    """The polish under random sticks, with `seconds` as many steps as there is time for. With a
    judge the network that it has the least against by the end of a quarter of it goes on."""
    if plan.steps == 0 or trainer.interrupted:
        return
    if trainer.rollout.fuses:  # a size for which there are kernels
        plan = dataclasses.replace(plan, size=trainer.settings.stages[0].batch)
    stage = Polishing(trainer, plan, seconds)
    if choice is None:
        trainer.interrupted = not stage.train(args.quiet, plan.steps)
        return
    every = max(1, plan.steps // POLISH_LOOKS)
    best = choice.best_of(stage, plan.steps, every, lambda: model_of(trainer), args.quiet)
    trainer.interrupted = best is None
    if best:
        trainer.average.load_state_dict(begun_from(best)["net"])


def model_of(trainer: Trainer) -> modelfile.Model:
    """The trainer's network as it would be shipped."""
    return exporter.to_model(trainer.average, trainer.contract, trainer.scale)


def mended(args: argparse.Namespace, trainer: Trainer, plan: dog_mend.Plan,
           choice: Choice | None = None, seconds: float | None = None) -> None:
    """The rounds on the own motion, with `seconds` as many steps as there is time for."""
    if plan.steps == 0 or trainer.interrupted:
        return
    workers = own.workers_of(at_once() if trainer.device.type == "cuda" else 1)
    try:
        stage = dog_mend.Mending(trainer, plan, seconds, workers)
        if choice:
            watched(args, stage, choice, seconds)
        else:
            stage.train(args.quiet, stage.steps)
    finally:
        if workers:
            workers.shutdown(wait=False, cancel_futures=True)


def watched(args: argparse.Namespace, stage: dog_mend.Mending, choice: Choice,
            seconds: float | None) -> None:
    """The rounds, at which the judge looks."""
    trainer = stage.trainer
    choice.begin((stage.plan, settings_of(args), steps_of(args), args.begin, args.data, seconds),
                 args.checkpoint, stage.mixes)
    choice.looks.first(model_of(trainer))  # what is worse than that is not kept
    try:
        let = choice.watch(stage, stage.steps, lambda: model_of(trainer), args.quiet,
                           dog_mend.SINCE)
    except (FloatingPointError, ValueError) as e:  # what was looked at by then is not lost by it
        choice.looks.content()
        if choice.looks.best is None:
            raise
        _say(args, f"the mending ends: {e}")
        let = True
    trainer.interrupted = not let


def write_curve(path: Path, history: list[tuple[int, float, list[float]]]) -> None:
    """The loss curve as CSV: step, loss and its terms."""
    from gallop.dog.rollout import Weights

    names = list(vars(Weights()))
    shown = [names.index(n) for n in ("hinge", "posture", "step", "contact", "path", "feet")]
    heads = [names[i].replace("step", "taken") for i in shown]  # "step" counts steps
    lines = [",".join(["step", "loss", *heads])]
    for step, loss, terms in history:
        cells = [f"{terms[i]:.6g}" if terms else "" for i in shown]
        lines.append(",".join([str(step), f"{loss:.6g}", *cells]))
    path.write_text("\n".join(lines) + "\n")


def _say(args: argparse.Namespace, text: str) -> None:
    if not args.quiet:
        print(text, file=sys.stderr, flush=True)
