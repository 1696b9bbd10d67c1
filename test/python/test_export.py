"""ONNX and safetensors, where the packages for them are."""

import json
import struct
import sys

import numpy as np
import pytest

from gallop import export, modelfile
from test_modelfile import small


def test_torch_module_equals_the_file():
    import torch

    model = small()
    model.input_state[:], model.input_constant[:] = 0, 0
    x, given = model.golden.x, model.golden.blend
    with torch.no_grad():
        y = export.to_torch(model)(torch.tensor(x), torch.tensor(given)).numpy()
    assert np.allclose(y, modelfile.run(model, x, given), rtol=1e-4, atol=1e-4)


def test_onnx_file(tmp_path):
    try:
        export.write_onnx(small(), tmp_path / "m.onnx")
    except Exception as e:  # torch 2.x asks for the package onnx
        if "onnx" in str(e).lower():
            pytest.skip(f"no onnx export here: {e}")
        raise
    data = (tmp_path / "m.onnx").read_bytes()
    assert len(data) > 1000 and b"phase" in data


def test_onnx_runs(tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = small()
    model.input_state[:], model.input_constant[:] = 0, 0
    export.write_onnx(model, tmp_path / "m.onnx")
    session = runtime.InferenceSession(str(tmp_path / "m.onnx"))
    y = session.run(None, {"x": model.golden.x, "phase": model.golden.blend})[0]
    assert np.allclose(y, modelfile.run(model, model.golden.x, model.golden.blend), atol=1e-4)


def test_safetensors_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    with pytest.raises(RuntimeError, match="pip install safetensors"):
        export.write_safetensors(small(), tmp_path / "m.safetensors")


def test_safetensors_file(tmp_path):
    pytest.importorskip("safetensors", reason="safetensors is not installed")
    export.write_safetensors(small(), tmp_path / "m.safetensors")
    data = (tmp_path / "m.safetensors").read_bytes()
    head = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
    assert head["layer0.weight"]["dtype"] == "F16" and head["__metadata__"]["gate"] == "cubic"
