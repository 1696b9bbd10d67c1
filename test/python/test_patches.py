"""Sparse layers: their place in files, and leaving patches out of a model."""

import numpy as np
import pytest

from gallop import modelfile, patches, prune_blocks
from gallop.modelfile import Layer, ModelError


def sparse_layer(type="f32", n=37, k=21, experts=2, seed=3):
    host = np.random.default_rng(seed)
    mask = host.random(patches.counts(n, k)) < 0.5
    weights = host.normal(size=(experts, n, k)).astype(np.float32)
    weights *= patches.spread(mask, n, k)
    bias = host.normal(size=(experts, n)).astype(np.float32)
    return Layer(weights, bias, "elu", type, "sparse", mask=mask)


def model_of(layers, inputs, gate="linear", experts=2):
    one, n = np.ones(inputs, np.float32), layers[-1].outputs
    return modelfile.Model(layers, gate, experts, 0 * one, one, np.zeros(n, np.float32),
                           np.ones(n, np.float32), np.zeros(inputs, np.uint32), 0 * one)


@pytest.mark.parametrize("type", ["f32", "f16", "bf16"])
def test_round_trip(type):
    model = model_of([sparse_layer(type)], 21)
    data = modelfile.encode(model)
    back = modelfile.decode(data)
    assert modelfile.encode(back) == data
    assert (back.layers[0].mask == model.layers[0].mask).all()
    x, phase = np.random.default_rng(1).normal(size=(5, 21)), np.linspace(0, 6, 5)[:, None]
    dense = modelfile.decode(data)
    dense.layers[0].kind = "dense"
    assert (modelfile.run(back, x, phase) == modelfile.run(dense, x, phase)).all()


def test_what_does_not_fit_its_mask_is_refused():
    layer = sparse_layer()
    layer.weights[:] = 1
    with pytest.raises(ModelError, match="outside of the mask"):
        modelfile.encode(model_of([layer], 21))
    layer.mask = None
    with pytest.raises(ModelError, match="without a mask"):
        modelfile.encode(model_of([layer], 21))


def test_a_wrong_mask_is_refused():
    data = bytearray(modelfile.encode(model_of([sparse_layer()], 21)))
    with pytest.raises(ValueError, match="counts of the mask"):
        patches.decode_mask(lambda dtype, *shape: np.ones(shape, dtype), 37, 21)
    assert data


def test_what_stays_is_solved_anew():
    """Inputs of few dimensions leave something to make up with: solving is better than zeros."""
    host = np.random.default_rng(5)
    k, n, frames = 64, 48, 800
    dense = Layer(host.normal(size=(2, n, k)).astype("f4"), host.normal(size=(2, n)).astype("f4"))
    model = model_of([dense], k)
    x = host.normal(size=(frames, 12)) @ host.normal(size=(12, k))
    some = prune_blocks.Frames(x, host.uniform(0, 6, (frames, 1)))
    out = prune_blocks.pruned(model, some, 0.5, 1e-6, quiet=True)
    mask = out.layers[0].mask
    assert out.layers[0].kind == "sparse" and mask.mean() == 0.5
    cut = model_of([Layer(dense.weights * patches.spread(mask, n, k), dense.bias)], k)
    assert prune_blocks.error(model, out, some) < 0.02 * prune_blocks.error(model, cut, some)
    assert modelfile.encode(modelfile.decode(modelfile.encode(out)))
