"""The command line: train a controller and write its model.

    python -m gallop.train walker|runner|dog [--quick] [--seed N] [-o FILE]
    python -m gallop.train --data FOLDER --kind pfnn|mann -o MODEL.gallop
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import sys
import time

import numpy as np

try:
    import scipy  # noqa: F401  what is imported below needs it
    import torch
except ModuleNotFoundError as missing:
    if __name__ != "__main__":
        raise
    raise SystemExit(f"gallop.train: needs {missing.name}: pip install torch scipy, "
                     "or gallop[training]") from None

from gallop import (
    capture,
    contract,
    distil,
    exporter,
    features,
    library,
    modelfile,
    motion,
    person,
    runner,
    start,
    terrain,
    walker,
)
from gallop.arguments import (
    check_device,
    check_inputs,
    check_judge,
    check_whose,
    parser,
    prepare_outputs,
    say,
)
from gallop.choice import PolishChoice, polish_choice_of
from gallop.endings import finish, write_curve
from gallop.errors import said_of
from gallop.losses import Unroll, Weights
from gallop.network import PFNN
from gallop.polish import Plan, Polish
from gallop.trainer import Batches, Settings, Stage, Trainer

EXPERTS = {"cubic": 4, "linear": 10, "constant": 50, "plain": 1, "network": 8}
MENDING = {"rate": 8e-5, "spins": 0.2, "turns": 6.0, "leaps": 3.0, "leap": 0.25, "carry": 1.0,
           "tall": 0.05}  # see Plan
GROUND = {"rate": 5e-4, "ground": 0.85, "tread": 2.0, "reach": 2.0, "lean": 0.3, "manner": 0.0}
LICENCE = (
    "This model was trained on the 100STYLE dataset, Creative Commons Attribution 4.0 "
    "International (https://creativecommons.org/licenses/by/4.0/). The model's weights are "
    "published under the same terms: keep the attribution above.\n"
)


def stages(args: argparse.Namespace) -> tuple[Stage, ...]:
    """The schedule: single frames with noise and dropout, then unrolls without."""
    single = Weights(absolute=args.absolute)
    long = Weights(args.slide, args.kinematics, absolute=args.absolute)
    if args.kind == "mann":  # the pose alone tells what comes next: little noise, long unrolls
        small = 1 if args.quick else 5
        return (Stage(1000 * small, 256, dropout=0.1, noise=0.1, weights=single),
                Stage(600 * small, 72, 8, 5e-4, noise=0.05, weights=long),
                Stage(600 * small, 48, 24, 5e-4, noise=0.05, weights=long))
    if args.quick:
        return (Stage(2500, 256, dropout=0.1, noise=1.0, weights=single),
                Stage(600, 72, 8, 3e-4, noise=0.5, weights=long))
    return (Stage(4200, 1024, dropout=0.1, noise=0.3, weights=single),
            Stage(1400, 512, 8, 5e-4, noise=0.15, weights=long),
            Stage(2800, 512, 24, 5e-4, noise=0.15, weights=long))


def split(data: features.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and rows held out: the end of every clip, with a gap between."""
    length = np.array([len(t) for t in data.takes])[data.take]
    at = data.frame / length
    return at < walker.TRAIN, at >= walker.HOLD_OUT


def settings_of(args: argparse.Namespace, style_weight: dict[str, float]) -> Settings:
    """The training that the arguments ask for."""
    schedule = tuple(
        dataclasses.replace(s, steps=max(1, round(s.steps * args.steps)),
                            batch=round(s.batch * args.batch), noise=s.noise * args.noise)
        for s in stages(args))
    gate = "network" if args.kind == "mann" else args.gate
    experts = args.experts or EXPERTS[gate]
    hidden = args.hidden or (256 if args.quick else 352)
    return Settings(hidden, gate, experts, schedule, style_weight, seed=args.seed)


def held_out_error(
    net: PFNN, unroll: Unroll, data: features.Dataset, rows: np.ndarray
) -> float:
    """Mean absolute error of single frames in the held-out rows, in deviations."""
    where = np.flatnonzero(rows)
    if len(where) == 0:
        return float("nan")
    with torch.no_grad():
        device = unroll.x_mean.device
        x, y = (torch.tensor(a[where], device=device) for a in (data.x, data.y))
        style = torch.nn.functional.one_hot(torch.tensor(data.style[where], device=device),
                                            net.styles).float()
        normal = torch.cat([(x - unroll.x_mean) / unroll.x_std, style], 1)
        out = net(normal, torch.tensor(data.phase[where], device=device))
        return float((out - (y - unroll.y_mean) / unroll.y_std).abs().mean())


def train_walker(args: argparse.Namespace) -> modelfile.Model | None:
    """Train, judge and write the walker."""
    own = not (args.quick or args.teacher)
    if args.polish is None and own:
        args.polish = round(walker.POLISH * args.steps)
    folder = args.data or walker.default_folder()
    text_file = args.contract or library.models_folder() / "walker.contract"
    rules = contract.parse(text_file.read_text(), str(text_file))
    if args.ground > 0:
        rules.inputs[-2:-2] = terrain.blocks(rules.unit)
    data = features.build(rules, walker.takes(folder, not args.plain_paths))
    rows, held = split(data)
    if args.all:
        rows = np.ones_like(rows)
    settings = settings_of(args, walker.STYLE_WEIGHT)
    say(args, f"{len(data.takes)} takes, {len(data.x)} frames ({rows.sum()} to train on), "
        f"{len(rules.input_names())} inputs, {len(rules.output_names())} outputs, {args.device}")
    say(args, "in a frame joints go up to {:.1f} cm against the root, which changes by "
        "up to {:.1f} cm from one frame to the next".format(*features.pose_motion(data.takes)))
    scale = features.scale_of(rules, data.x[rows], data.y[rows])
    pupil = None
    if args.teacher:
        pupil = distil.Pupil(args.teacher, args.judge, rules, scale, data.styles, walker.STYLE)
        data = pupil.relabelled(data, torch.device(args.device))
    trainer = Trainer(rules, data, rows, scale, settings, args.device, args.checkpoint)
    net, scale = first_stages(args, trainer, rules, scale)
    if trainer.world.rank > 0:
        return None
    curve = trainer.history
    say(args, f"held-out error {held_out_error(net, trainer.unroll, data, held):.4f}")
    style_number = data.styles.index(walker.STYLE)
    style = np.array([float(s == walker.STYLE) for s in data.styles])

    def made(network: PFNN) -> modelfile.Model:
        return standing(exporter.to_model(network, rules, scale, fixed=style))

    choice = polish_choice_of(args, "walker", made, walker.FIT) if own else None
    net, more = polished(args, trainer, rules, data, style_number, pupil,
                         walker.RECIPE if own else {}, choice)
    if args.curve:
        write_curve(args.curve, curve + [(settings_steps(settings) + s, e) for s, e in more])
    model = made(net)
    if pupil:
        model = pupil.finished(model)
        say(args, pupil.report())
    finish(args, model, data, "walker", capture.ATTRIBUTION, LICENCE, trainer.interrupted, choice)
    return model


def train_runner(args: argparse.Namespace) -> None:
    """Train, judge and write the runner."""
    args.hidden = args.hidden or (runner.QUICK_HIDDEN if args.quick else runner.HIDDEN[args.kind])
    if args.polish is None:
        usual = runner.QUICK_POLISH if args.quick else runner.POLISH
        args.polish = round(usual * args.steps)
    rules = runner.contract(args.kind == "pfnn", args.ground > 0)
    data = features.build(rules, runner.takes(runner_clips(args)))
    data.weight = runner.rarity(data)
    every = np.ones(len(data.x), bool)
    say(args, f"{len(data.takes)} takes, {len(data.x)} frames, {len(rules.input_names())} inputs, "
        f"{len(rules.output_names())} outputs, {args.device}")
    scale = features.scale_of(rules, data.x, data.y)
    settings = settings_of(args, {})
    trainer = Trainer(rules, data, every, scale, settings, args.device, args.checkpoint)
    _, scale = first_stages(args, trainer, rules, scale)
    if trainer.world.rank > 0:
        return
    curve = trainer.history
    own = runner.QUICK_RECIPE if args.quick else runner.RECIPE

    def made(network: PFNN) -> modelfile.Model:
        return standing(exporter.to_model(network, rules, scale, fixed=np.ones(len(data.styles))))

    choice = None if args.quick else polish_choice_of(args, "runner", made, runner.FIT)
    net, more = polished(args, trainer, rules, data, 0, recipe=own, choice=choice)
    if args.curve:
        write_curve(args.curve, curve + [(settings_steps(settings) + s, e) for s, e in more])
    finish(args, made(net), data, "runner", runner.ATTRIBUTION, runner.LICENCE,
           trainer.interrupted, choice)


def runner_clips(args: argparse.Namespace) -> list[motion.Clip]:
    """The runner's clean clips: from the file that keeps them, or made."""
    if args.clips and args.clips.exists():
        with np.load(args.clips, allow_pickle=False) as kept_clips:
            return person.unpacked(dict(kept_clips))
    made = runner.clips(args.data or runner.default_folder())
    if args.clips:
        np.savez_compressed(args.clips, **person.packed(made))
    return made


def first_stages(
    args: argparse.Namespace, trainer: Trainer, rules: contract.Contract, scale: features.Scale
) -> tuple[PFNN, features.Scale]:
    """The network before it is polished, and its scale: trained, or of the model to be mended."""
    if args.begin:
        try:
            model = terrain.given_sight(modelfile.read(args.begin), rules)
            scale = exporter.restore(trainer.average, model)
        except ValueError as e:
            raise ValueError(f"--from {args.begin}: {e}") from None
        trainer.unroll.set_scale(scale)
        return trainer.average, scale
    began = time.time()
    net = trainer.train(args.quiet)
    check_begun(trainer)
    spent = time.time() - began
    say(args, f"trained in {spent:.1f} s, {trainer.step / spent:.1f} steps/s")
    return net, scale


def settings_steps(settings: Settings) -> int:
    """Steps of the whole schedule."""
    return sum(s.steps for s in settings.stages)


def polished(
    args: argparse.Namespace, trainer: Trainer, rules: contract.Contract, data: features.Dataset,
    style: int, pupil: distil.Pupil | None = None, recipe: dict[str, float] | None = None,
    choice: PolishChoice | None = None,
) -> tuple[PFNN, list[tuple[int, dict[str, float]]]]:
    """The network after the last stage, and that stage's history; a pupil's ends when its judge
    says so. `recipe`: what the Plan has of its own; `choice` looks at the last of its stages."""
    net, history = trainer.average, []  # type: PFNN, list[tuple[int, dict[str, float]]]
    began = time.time()
    plans = plans_of(args, pupil is not None, recipe or {})
    for plan, suffix in plans:
        if trainer.interrupted:
            break
        place = args.checkpoint.with_suffix(suffix) if args.checkpoint else None
        beside = batches_of(trainer, rules, data, style, suffix)
        last = Polish(net, trainer.unroll, rules, data, beside, style, plan, args.seed,
                      trainer.world, place, pupil.teacher if pupil else None)
        seen = pupil or (choice if plan is plans[-1][0] else None)
        net = seen.polished(last, args.quiet) if seen else last.train(args.quiet)
        trainer.interrupted = last.interrupted
        done = history[-1][0] + 1 if history else 0
        history += [(done + step, parts) for step, parts in last.history]
    say(args, f"polished in {time.time() - began:.1f} s")
    return net, history


def plans_of(
    args: argparse.Namespace, taught: bool, recipe: dict[str, float]
) -> list[tuple[Plan, str]]:
    """The polish, then the mending of what it leaves, on a GPU of as many characters, then the
    ground; and the suffixes of their checkpoints."""
    usual = round((500 if args.quick else 3600) * args.steps)
    steps = args.polish if args.polish is not None else usual
    weights = Weights(args.slide, args.kinematics, absolute=args.absolute)
    small = (96, 12, Stage(1, 48, 8, weights=weights))
    large = (512, 16, Stage(1, 256, 16, weights=weights))
    size = small if args.quick else large
    mended = large if args.device.startswith("cuda") and not args.quick else small
    told = {"keep": args.keep, "slide": args.polish_slide, "course": args.course}
    own = {**({"keep": 2.0} if taught else {}), **recipe}
    own.update((k, v) for k, v in told.items() if v is not None)
    plan = Plan(0 if args.begin else steps, *size[:2], stage=size[2], **own)
    mend = dataclasses.replace(plan, steps=args.mend or 0, pool=mended[0], frames=mended[1],
                               stage=mended[2], **MENDING)
    few = dataclasses.replace(plan.stage, batch=plan.stage.batch // 2)
    ground = dataclasses.replace(plan, stage=few, **{**GROUND, "steps": args.ground})
    made = ((plan, ".polish"), (mend, ".mend"), (ground, ".ground"))
    return [(p, suffix) for p, suffix in made if p.steps]


def batches_of(
    trainer: Trainer, rules: contract.Contract, data: features.Dataset, style: int, suffix: str
) -> Batches:
    """Stretches of data beside the polish: of all styles, but for the mending of what has one; in
    the ground's stage with ground under them."""
    if suffix == ".ground":
        made = copy.copy(trainer.batches)
        made.ground = terrain.Under(rules, data, trainer.world.device)
        return made
    if suffix == ".polish" or len(data.styles) == 1:
        return trainer.batches
    rows = trainer.batches.rows & (data.style == style)
    return Batches(data, rows, trainer.settings, trainer.world)


def standing(model: modelfile.Model) -> modelfile.Model:
    """The model, which begins standing."""
    start.from_standing(model)
    return model


def check_begin(args: argparse.Namespace) -> None:
    """Whether a model that is to be mended is of such a body, before its motion is read."""
    if args.begin:
        model = modelfile.read(args.begin)
        hinged = bool(contract.parse(model.contract, str(args.begin)).hinges)
        if hinged != (args.what == "dog"):
            raise ValueError(f"--from {args.begin}: {'' if hinged else 'no '}hinges, a "
                             f"{args.what} expected")


def check_begun(trainer: Trainer) -> None:
    """End here if ^C came before there was anything to keep."""
    if trainer.interrupted and trainer.step == 0:
        raise KeyboardInterrupt("interrupted before the first step, nothing is kept")


def main() -> int:
    """Run the command; errors of data and files become one line."""
    words = parser()
    args = words.parse_args()
    check_whose(args, words)
    if args.look and not args.data:
        words.error("--look: of your own motion, --data FOLDER")
    if args.what in ("walker", "dog") and args.kind != "pfnn":
        words.error("--kind: the walker is a pfnn, the dog a mann")
    try:
        check_inputs(args)
        check_begin(args)
        prepare_outputs(args)
        check_device(args.device)
        if not (args.no_judge or args.look):
            check_judge(args)
        if args.what == "dog":
            from gallop.dog import main as dog_main

            dog_main.train(args)
        elif args.what == "walker":
            train_walker(args)
        elif args.what == "runner":
            train_runner(args)
        elif args.data and args.out:
            from gallop import anyone

            anyone.train(args)
        else:
            missing = "-o MODEL.gallop is missing" if args.data else (
                "say 'walker', 'runner' or 'dog', or --data FOLDER and -o MODEL.gallop")
            words.error(missing)
    except (OSError, ValueError, FloatingPointError) as e:
        print(f"gallop.train: {said_of(e)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as e:
        said = str(e) or "interrupted, nothing is kept"
        print(f"\ngallop.train: {said}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
