"""Writes the files that fuzzing of ONNX graphs starts from: a few operators of each family.

/usr/bin/python3 fuzz/onnx_graph_seeds.py fuzz/corpus/onnx_graph
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

FLOAT, WHOLE, TRUTH = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
Shape = list[int | str]


def port(name: str, shape: Shape, kind: int = FLOAT) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name: str, values: list, kind: type = np.int64) -> TensorProto:
    return numpy_helper.from_array(np.array(values, kind), name)


def graph(
    nodes: list[NodeProto],
    inputs: list[ValueInfoProto],
    outputs: list[str],
    constants: list[TensorProto] = (),
) -> GraphProto:
    made = [helper.make_empty_tensor_value_info(name) for name in outputs]
    return helper.make_graph(nodes, "g", inputs, made, list(constants))


def branch(op: str) -> GraphProto:
    return graph([helper.make_node(op, ["x"], ["b"])], [], ["b"])


node = helper.make_node
IMAGE, ROWS = port("x", ["n", 2, "h", "w"]), port("x", ["n", 4])
KERNEL = constant("k", np.ones((3, 2, 3, 3)).tolist(), np.float32)
STEP = graph(
    [node("Identity", ["c"], ["d"]), node("Add", ["s", "x"], ["t"]), node("Relu", ["t"], ["row"])],
    [port("i", [], WHOLE), port("c", [], TRUTH), port("s", ["n", 4])],
    ["d", "t", "row"],
)
CELL = graph(
    [node("Add", ["s", "r"], ["t"]), node("Tanh", ["t"], ["out"])],
    [port("s", [4]), port("r", [4])],
    ["t", "out"],
)


def quantised() -> GraphProto:
    """Bytes with scales around each operator, as quantisers write them."""
    nodes: list[NodeProto] = []

    def bytes_of(real: str, name: str) -> str:
        nodes.append(node("QuantizeLinear", [real, "s", "z"], [name]))
        nodes.append(node("DequantizeLinear", [name, "s", "z"], [f"{name}_"]))
        return f"{name}_"

    nodes.append(node("DequantizeLinear", ["w8", "ws"], ["w"], axis=0))
    nodes.append(node("DequantizeLinear", ["d8", "s"], ["d"]))
    x = bytes_of("x", "a")
    nodes.append(node("Conv", [x, "w", "b"], ["c"], strides=[2, 2], pads=[1, 1, 1, 1]))
    nodes.append(node("Relu", ["c"], ["r"]))
    x = bytes_of("r", "e")
    nodes.append(node("MaxPool", [x], ["p"], kernel_shape=[2, 2], pads=[1, 1, 0, 0]))
    y = bytes_of("p", "f")
    nodes.append(node("Add", [x, y], ["t"]))
    x = bytes_of("t", "g")
    nodes.append(node("Sigmoid", [x], ["h"]))
    x = bytes_of("h", "i")
    nodes.append(node("GlobalAveragePool", [x], ["j"]))
    x = bytes_of("j", "k")
    nodes.append(node("Flatten", [x], ["l"]))
    x = bytes_of("l", "m")
    nodes.append(node("Gemm", [x, "d"], ["n"]))
    bytes_of("n", "y")
    constants = [
        constant("s", 0.05, np.float32),
        constant("z", 3, np.uint8),
        constant("ws", [0.01, 0.02, 0.03], np.float32),
        constant("b", [1, -1, 0], np.float32),
        constant("w8", (np.arange(54).reshape(3, 2, 3, 3) - 27).tolist(), np.int8),
        constant("d8", [[1, 2], [3, 4], [5, 6]], np.uint8),
    ]
    return graph(nodes, [port("x", [1, 2, 5, 6])], ["y", "y_"], constants)


def quantised_window() -> GraphProto:
    """A convolution far before its line, whose kernel_shape is not the weights'; then a list that is clamped."""
    nodes = [
        node("DequantizeLinear", ["x", "s", "z"], ["a"]),
        node("DequantizeLinear", ["w8", "s"], ["w"]),
        node("Conv", ["a", "w"], ["b"], kernel_shape=[8, 8], pads=[0, 24, 0, 0], dilations=[1, 8]),
        node("QuantizeLinear", ["b", "s", "z"], ["c"]),
        node("DequantizeLinear", ["c", "s", "z"], ["d"]),
        node("Flatten", ["d"], ["e"]),
        node("Relu", ["e"], ["f"]),
        node("QuantizeLinear", ["f", "s", "z"], ["y"]),
    ]
    constants = [
        constant("s", 0.05, np.float32),
        constant("z", 128, np.uint8),
        constant("w8", np.ones((4, 2, 1, 4)).tolist(), np.int8),
    ]
    return graph(nodes, [port("x", [1, 2, 1, 9], TensorProto.UINT8)], ["y"], constants)


SEEDS = {
    "quantised": quantised(),
    "quantised_window": quantised_window(),
    "convolution": graph(
        [
            node("Conv", ["x", "k"], ["a"], pads=[1, 1, 1, 1], strides=[2, 1]),
            node("MaxPool", ["a"], ["b"], kernel_shape=[2, 2]),
            node("GlobalAveragePool", ["b"], ["c"]),
            node("Flatten", ["c"], ["y"]),
        ],
        [IMAGE],
        ["y"],
        [KERNEL],
    ),
    "attention": graph(
        [
            node("Transpose", ["x"], ["t"], perm=[0, 2, 1]),
            node("MatMul", ["x", "t"], ["a"]),
            node("Softmax", ["a"], ["s"], axis=-1),
            node("MatMul", ["s", "x"], ["b"]),
            node("LayerNormalization", ["b", "g"], ["y"]),
        ],
        [port("x", ["n", "l", 4])],
        ["y"],
        [constant("g", [1, 2, 3, 4], np.float32)],
    ),
    "heads": graph(
        [
            node("RMSNormalization", ["x", "g"], ["n"]),
            node("RotaryEmbedding", ["n", "c", "c", "p"], ["q"], num_heads=2),
            node(
                "Attention",
                ["q", "n", "x", "m", "k", "k"],
                ["y", "keys", "values"],
                q_num_heads=2,
                kv_num_heads=1,
                is_causal=1,
            ),
        ],
        [
            port("x", ["n", "l", 4]),
            port("p", ["n", "l"], WHOLE),
            port("m", ["l", "t"], TRUTH),
            port("k", ["n", 1, "o", 4]),
        ],
        ["y", "keys", "values"],
        [constant("g", [1, 2, 3, 4], np.float32), constant("c", [[1], [0.5]], np.float32)],
    ),
    "shapes": graph(
        [
            node("Shape", ["x"], ["s"]),
            node("Gather", ["s", "zero"], ["n"]),
            node("Concat", ["n", "rest"], ["to"], axis=0),
            node("Reshape", ["x", "to"], ["r"]),
            node("Slice", ["r", "zero", "two", "one"], ["c"]),
            node("Expand", ["c", "wide"], ["y"]),
        ],
        [ROWS],
        ["y"],
        [
            constant("zero", [0]),
            constant("rest", [2, 2]),
            constant("two", [2]),
            constant("one", [1]),
            constant("wide", [3, 1, 1, 1]),
        ],
    ),
    "resize": graph(
        [
            node("Resize", ["x", "", "s"], ["a"], mode="linear"),
            node("Pad", ["a", "p"], ["y"], mode="reflect"),
        ],
        [port("x", [1, 1, 4, 4])],
        ["y"],
        [constant("s", [1, 1, 2, 2], np.float32), constant("p", [0, 0, 1, 1, 0, 0, 1, 1])],
    ),
    "choice": graph(
        [node("If", ["c"], ["y"], then_branch=branch("Relu"), else_branch=branch("Neg"))],
        [port("c", [], TRUTH), ROWS],
        ["y"],
    ),
    "loop": graph(
        [node("Loop", ["m", "", "x"], ["y", "rows"], body=STEP)],
        [port("m", [], WHOLE), ROWS],
        ["y", "rows"],
    ),
    "scan": graph(
        [node("Scan", ["z", "x"], ["y", "rows"], body=CELL, num_scan_inputs=1)],
        [port("z", [4]), ROWS],
        ["y", "rows"],
    ),
    "recurrent": graph(
        [node("GRU", ["x", "w", "r"], ["y", "h"], hidden_size=2)],
        [port("x", ["l", "n", 3])],
        ["y", "h"],
        [
            constant("w", np.ones((1, 6, 3)).tolist(), np.float32),
            constant("r", np.ones((1, 6, 2)).tolist(), np.float32),
        ],
    ),
    "selection": graph(
        [
            node("TopK", ["x", "k"], ["v", "i"]),
            node("NonZero", ["v"], ["z"]),
            node("CumSum", ["v", "a"], ["s"]),
            node("ArgMax", ["x"], ["m"]),
            node("Einsum", ["x", "v"], ["y"], equation="ij,ik->jk"),
        ],
        [ROWS],
        ["y", "i", "z", "s", "m"],
        [constant("k", [2]), constant("a", 1)],
    ),
    "scattered": graph(
        [
            node("ScatterElements", ["x", "i", "u"], ["a"], axis=1),
            node("GatherND", ["a", "j"], ["b"]),
            node("Where", ["c", "a", "x"], ["y"]),
        ],
        [ROWS, port("c", ["n", 4], TRUTH)],
        ["y", "b"],
        [
            constant("i", [[0, 3]]),
            constant("u", [[1, 2]], np.float32),
            constant("j", [[0, 1], [0, 2]]),
        ],
    ),
    "sequences": graph(
        [
            node("SplitToSequence", ["x", "parts"], ["q"], axis=1),
            node("SequenceAt", ["q", "last"], ["b"]),
            node("SequenceErase", ["q", "zero"], ["e"]),
            node("SequenceInsert", ["e", "b", "zero"], ["i"]),
            node("SequenceLength", ["i"], ["l"]),
            node("ConcatFromSequence", ["i"], ["j"], axis=1),
            node("SplitToSequence", ["x", "two"], ["p"], axis=0),
            node("SequenceAt", ["p", "zero"], ["f"]),
            node("SequenceEmpty", [], ["n"]),
            node("SequenceInsert", ["n", "f"], ["s"]),
            node("ConcatFromSequence", ["s"], ["k"], axis=0, new_axis=1),
        ],
        [ROWS],
        ["j", "k", "l"],
        [
            constant("parts", [1, 3]),
            constant("last", -1),
            constant("zero", 0),
            constant("two", 2),
        ],
    ),
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in SEEDS.items():
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        model.producer_name = ""
        (folder / name).write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
