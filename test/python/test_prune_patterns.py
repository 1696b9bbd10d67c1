"""Pruning to patterns: what is chosen and kept; a run that was stopped ends as any other."""

import pathlib
import sys

import numpy as np
import pytest
import torch

from gallop.prune import admm, digits, patterns


def weights():
    return torch.randn(6, 5, 3, 3, generator=torch.Generator().manual_seed(1))


def test_natural_patterns_have_the_centre():
    assert len(set(patterns.NATURAL)) == 56
    assert all(len(p) == 4 and patterns.CENTRE in p for p in patterns.NATURAL)


def test_the_most_frequent_patterns_are_chosen():
    chosen = [(0, 1, 3, 4), (4, 5, 7, 8)]
    w = torch.zeros(3, 2, 3, 3)
    for i in range(6):
        w.view(-1, 9)[i, list(chosen[i > 3])] = 1.0 + i
    assert patterns.choose_patterns([w], 2) == chosen
    with pytest.raises(ValueError):
        patterns.choose_patterns([w], 57)


def test_a_kernel_keeps_the_pattern_with_most_of_its_squares():
    chosen = [(0, 1, 3, 4), (4, 5, 7, 8)]
    w = weights()
    kernels = w.reshape(-1, 9)
    mask = patterns.pattern_mask(w, chosen).reshape(-1, 9)
    squares = torch.stack([kernels[:, list(p)].square().sum(1) for p in chosen])
    assert mask.sum() == 4 * len(kernels)
    assert torch.allclose((kernels * mask).square().sum(1), squares.max(0).values)


def test_connectivity_keeps_the_share_and_a_kernel_of_each_filter():
    w = weights()
    w[2] *= 1e-3
    mask = patterns.connectivity_mask(w, 0.4)
    kept = mask[:, :, 0, 0]
    assert kept.sum() == 12 and kept[2].sum() == 1
    assert torch.equal(mask, kept[:, :, None, None].expand_as(w))


def run(path: pathlib.Path | None, plans: list[admm.Plan]) -> tuple[torch.Tensor, int]:
    torch.manual_seed(3)
    layers = torch.nn.Conv2d(2, 6, 3), torch.nn.Flatten(), torch.nn.Linear(54, 3)
    model = torch.nn.Sequential(*layers)
    x, y = torch.randn(32, 2, 5, 5), torch.randint(0, 3, (32,))
    chosen = patterns.choose_patterns([model[0].weight], 6)
    project = {"0.weight": lambda w: patterns.project(w, chosen, 0.5)}
    epochs = 0

    def batches(epoch):
        nonlocal epochs
        epochs += 1
        if path and len(plans) == 2 and epoch == 3 and epochs == 4:
            raise KeyboardInterrupt
        return [(x, y)]

    for plan in plans:
        try:
            admm.Pruner(model, project, plan, path).run(batches, torch.nn.functional.cross_entropy)
        except KeyboardInterrupt:
            torch.manual_seed(9)
            torch.nn.init.zeros_(model[2].weight)  # what is in memory is lost
    return model[0].weight.detach(), epochs


def test_masks_hold_and_a_stopped_run_goes_on(tmp_path):
    plan = admm.Plan(epochs=2, retrain=3)
    whole, _ = run(None, [plan])
    kernels = (whole != 0).reshape(-1, 9).sum(1)
    assert kernels.max() == 4 and (kernels > 0).sum() == 6
    again, epochs = run(tmp_path / "state.pt", [plan, plan])
    assert epochs == 6 and torch.equal(whole, again)


def test_wrong_arguments_are_refused_with_their_place(tmp_path):
    chosen = patterns.choose_patterns([weights()], 2)
    for wrong in (lambda: patterns.project(torch.zeros(6, 5, 5, 5), chosen, 1),
                  lambda: patterns.choose_patterns([torch.zeros(6, 5)], 2)):
        with pytest.raises(ValueError, match=r"expected \[filters, channels, 3, 3\]"):
            wrong()
    with pytest.raises(ValueError, match=r"keep 1.5, expected"):
        patterns.connectivity_mask(weights(), 1.5)
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 6, 3))
    with pytest.raises(ValueError, match=r"no parameter .1\.weight. in the model"):
        admm.Pruner(model, {"1.weight": torch.ones_like})
    run(tmp_path / "state.pt", [admm.Plan(epochs=1, retrain=1)])
    with pytest.raises(ValueError, match=r"state.pt was made with another plan"):
        run(tmp_path / "state.pt", [admm.Plan(epochs=2, retrain=1)])


def test_small_layers_keep_more_where_they_are_to():
    sizes = {"a": (4, 1, 3, 3), "b": (32, 32, 3, 3), "c": (64, 64, 3, 3)}
    layers = {name: torch.nn.Parameter(torch.zeros(size)) for name, size in sizes.items()}
    alike, uneven = (digits.keep_for(layers, 8, even) for even in (0, 0.5))
    assert alike["a"] == uneven["a"] == 1 and alike["b"] == alike["c"]
    assert uneven["b"] == pytest.approx(2 * uneven["c"])  # of a quarter of the weights
    for shares in (alike, uneven):
        kept = sum(shares[name] * w.numel() for name, w in layers.items()) * 4 / 9
        assert 8 * kept == pytest.approx(sum(w.numel() for w in layers.values()))


def test_images_are_moved_each_by_itself():
    x = torch.arange(3 * 16.0).reshape(3, 1, 4, 4)
    ways = torch.tensor([[-1, 0, 1], [1, 1, -1]])
    each = digits.moved(x, ways)
    for i in range(3):
        assert torch.equal(each[i], digits.moved(x[i : i + 1], ways[:, i : i + 1])[0])
    assert torch.equal(each[1, 0, :, :3], x[1, 0, :, 1:]) and bool((each[1, 0, :, 3] == -1).all())


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """Runs gallop.prune.digits on a few images of two sources, all into one folder."""
    def images(seed):
        host = np.random.default_rng(seed)
        return host.uniform(-1, 1, (40, 1, 8, 8)), host.integers(0, 10, 40)

    monkeypatch.setattr(digits, "SOURCES", {"digits": (lambda: images(1), 32),
                                            "mnist": (lambda: images(2), 32)})
    monkeypatch.setattr(digits, "export", lambda *_: None)
    words = "gallop.prune.digits --epochs 1 --retrain 1 --dense 2 --quiet"

    def ran(more=""):
        monkeypatch.setattr(sys, "argv", [*words.split(), *more.split(), "-o", str(tmp_path)])
        return digits.main()
    return ran


def test_experiments_in_one_folder_share_no_network(experiment, tmp_path):
    """What one run leaves behind, another takes where it was trained on the same images alone."""
    dense = "dense_digits_vgg_0_2.pt"
    for more in ("", "--data mnist", "--mix", "--validate", "--data mnist --mix --validate"):
        before = set(tmp_path.iterdir())
        assert experiment(more) == 0
        made = {path.name for path in set(tmp_path.iterdir()) - before}
        assert sorted(name.rpartition(".")[2] for name in made) == ["json", "pt", "pt"]
    before = (tmp_path / dense).stat().st_mtime_ns
    assert experiment("--patterns 4") == 0 and (tmp_path / dense).stat().st_mtime_ns == before


@pytest.mark.parametrize("more", ["--fewer 6", "--even 0.5", "--teach 0.5", "--dense 1",
                                  "--rate 0.1"])
def test_another_plan_is_refused_where_one_has_run(experiment, tmp_path, capsys, more):
    assert experiment() == 0
    report = tmp_path / "digits_vgg_8_0.json"
    told = report.read_text()
    assert experiment(more) == 2
    said = capsys.readouterr().err
    assert "digits_vgg_8_0.pt was made with another plan; remove it to start anew" in said
    assert report.read_text() == told and experiment() == 0
