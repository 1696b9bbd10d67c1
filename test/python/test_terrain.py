"""Made-up ground: its shape, what a network sees of it, and that it is fitted to feet."""

import numpy as np
import pytest
import torch

import synthetic
from gallop import exporter, features, modelfile, polish, terrain
from gallop.losses import Unroll, Weights
from gallop.network import PFNN
from gallop.trainer import Batches, Settings, Stage, World

CPU = torch.device("cpu")


def ground(**fields):
    made = dict(zip(terrain.FIELDS, terrain.level(1)[0]))
    made.update(fields)
    return torch.tensor([float(v) for v in made.values()])


STAIRS = {"high": 18, "deep": 30, "steps": 4, "landing": 100}


def contract():
    c = synthetic.contract()
    c.inputs[-2:-2] = terrain.blocks(c.unit)
    return c


@pytest.fixture(scope="module")
def data():
    base = synthetic.dataset()
    return features.build(contract(), base.takes)


def test_level_ground_is_nowhere_high():
    at = torch.randn(50, 2) * 1e4
    assert terrain.height(ground(), at).abs().max() == 0
    assert not terrain.is_uneven(ground())


def test_a_slope_rises_along_it():
    g = ground(slope_x=0.5, slope_z=-0.25)
    at = torch.tensor([[10.0, 4.0], [-2.0, 8.0]])
    assert terrain.height(g, at).tolist() == [4, -3]
    high, slope = terrain.around(g, at, torch.tensor([[0.6, 0.8]] * 2), 20)
    assert torch.allclose(high, torch.tensor([4.0, -3.0]), atol=1e-5)
    assert torch.allclose(slope, torch.tensor([[0.5, -0.25]] * 2), atol=1e-5)


def test_stairs_go_up_and_down_in_steps():
    """Half a landing, risers at 50, 80, 110 and 140, a landing above, and the same down."""
    z = torch.arange(0, 520, 0.25)
    high = terrain.height(ground(**STAIRS), torch.stack([0 * z, z], -1))
    period = 2 * (100 + 4 * 30)
    assert high.max() == 72 and high.min() == 0
    assert high[z == 20] == 0 and high[z == 65] == 18 and high[z == 125] == 54
    assert high[z == 180] == 72
    half = z < period / 2
    assert torch.allclose(high[half], 72 - high[(z >= period / 2) & (z < period)], atol=1e-3)
    steep = torch.diff(high) / 0.25
    assert (steep[steep != 0].abs() > 0).all() and (steep == 0).float().mean() > 0.8
    turned = terrain.height(ground(**STAIRS, angle=np.pi / 2), torch.stack([z, 0 * z], -1))
    assert torch.allclose(turned, high, atol=0.02)


def test_random_grounds_are_what_they_say():
    host = np.random.default_rng(1)
    made = torch.tensor(terrain.drawn(host, 4000, 0.01))
    field = {n: made[:, i] for i, n in enumerate(terrain.FIELDS)}
    stairs = field["high"] > 0
    assert 0.6 < stairs.float().mean() < 0.73 and not (stairs & (field["wave"] > 0)).any()
    assert torch.hypot(field["slope_x"], field["slope_z"]).max() <= 0.6
    at = torch.tensor(host.normal(0, 500, (4000, 2)))
    assert torch.isfinite(terrain.height(made, at)).all()


def feet_on(treads):
    """Two legs that stand by turns, a moment lifted between, a foot in the middle of each tread."""
    toe = torch.tensor([[[0, z + 8.0], [0, z + 38.0]] for z in treads])
    feet = torch.stack([toe - torch.tensor([0, 16.0]), toe], -2)
    still = torch.ones(len(treads), 2)
    lifted = torch.zeros(len(treads), 2)
    each = torch.stack([feet, feet], 1).flatten(0, 1)  # the second moment of each is in the air
    return each, torch.stack([still, lifted], 1).flatten(0, 1), torch.stack(
        [still, lifted], 1).flatten(0, 1)


def test_the_ground_that_fits_is_chosen():
    """Of stairs that begin here or there, those whose steps the feet stand on."""
    feet, planted, low = feet_on([65.0, 95.0])
    begins = torch.arange(0, 30, 3.0)
    grounds = torch.stack([ground(**STAIRS, begin=float(b)) for b in begins])
    cost = terrain.misfit(grounds, feet, planted, low)
    best = int(cost.argmin())
    assert cost[best] < 1e-6 and (cost > 1).sum() >= 4
    chosen = terrain.fitted(grounds[None], feet[None], planted[None], low[None])
    assert torch.equal(chosen[0], grounds[best])
    low_feet = torch.ones_like(low)  # feet that are dragged from step to step fit none
    assert terrain.misfit(grounds, feet, planted, low_feet).min() > 50


def test_what_is_seen_under_a_stretch(data):
    """The heights of a stretch on a slope are those of its path's places, seen from the root."""
    c = contract()
    under = terrain.Under(c, data, CPU)
    rows = torch.tensor([40, 90])
    x = torch.tensor(data.x[rows[:, None] + torch.arange(3)])
    g = torch.stack([ground(slope_x=0.3, slope_z=0.1), ground()])
    seen = under._seen(x, under.frame[rows], under.path[under.frame[rows]], g)
    heights = seen[..., terrain.height_columns(c)].unflatten(-1, (2, -1))
    assert heights[1].abs().max() == 0
    place = torch.stack([x[0][:, under.where[a]] for a in "xz"], -1)
    world = [under.facing[under.frame[rows[0]] + u] for u in range(3)]
    for u, f in enumerate(world):
        way = torch.stack([torch.cos(f) * 0.3 - torch.sin(f) * 0.1,
                           torch.sin(f) * 0.3 + torch.cos(f) * 0.1])
        middle = heights[0, u].mean(0)
        assert torch.allclose(middle, place[u] @ way, atol=1e-2)
    kept = [i for i in range(x.shape[-1]) if not
            terrain.height_columns(c).start <= i < terrain.height_columns(c).stop]
    assert torch.equal(seen[..., kept], x[..., kept])


def trained(data, steps):
    c = contract()
    torch.manual_seed(3)
    net = PFNN(len(c.input_names()), len(c.output_names()), 24, styles=1)
    with torch.no_grad():
        net.layers[0].weight[..., terrain.height_columns(c)] = 0
    unroll = Unroll(net, c, features.scale_of(c, data.x, data.y))
    stage = Stage(1, 16, 8, weights=Weights(3, 1))
    batches = Batches(data, np.ones(len(data.x), bool), Settings(24, stages=(stage,)),
                      World("cpu"))
    batches.ground = terrain.Under(c, data, CPU)
    plan = polish.Plan(steps, pool=24, frames=6, stage=stage, rate=2e-3, ground=0.8, tread=1.0,
                       reach=1.0, lean=1.0, manner=0.0)
    last = polish.Polish(net, unroll, c, data, batches, 0, plan, 1, World("cpu"))
    return c, net, last.train(quiet=True), last


def test_only_what_is_seen_of_the_ground_is_trained(data):
    c, before, after, last = trained(data, 30)
    seen = terrain.height_columns(c)
    a, b = (dict(n.named_parameters()) for n in (before, after))
    changed = a["layers.0.weight"] != b["layers.0.weight"]
    assert changed[..., seen].float().mean() > 0.9
    rest = torch.ones(changed.shape[-1], dtype=torch.bool)
    rest[seen] = False
    assert not changed[..., rest].any()
    assert all(torch.equal(a[k], b[k]) for k in a if k != "layers.0.weight")
    assert {"tread", "reach", "lean"} <= set(last.history[0][1])


def test_a_model_that_is_given_sight_does_the_same(data):
    plain = synthetic.contract()
    net = PFNN(len(plain.input_names()), len(plain.output_names()), 16)
    base = synthetic.dataset()
    model = exporter.to_model(net, plain, features.scale_of(plain, base.x, base.y), "f32")
    x, phase = base.x[:8], base.phase[:8, None]
    said = modelfile.run(model, x, phase)
    c = contract()
    seeing = terrain.given_sight(model, c)
    high = data.x[:8].copy()
    high[:, terrain.height_columns(c)] = 17
    assert np.allclose(modelfile.run(seeing, high, phase), said, atol=1e-9)
    assert "trajectory.height -10" in seeing.contract
    assert terrain.given_sight(seeing, c) is seeing
    model.input_mean = model.input_mean[1:]
    with pytest.raises(ValueError, match=rf"{len(high[0]) - 1} inputs, {len(high[0])} expected"):
        terrain.given_sight(model, c)
