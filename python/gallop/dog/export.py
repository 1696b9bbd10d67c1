"""What the dog's model file has besides its network: golden frames, licence, provenance."""

from __future__ import annotations

import numpy as np

from gallop import dog, exporter, modelfile

LICENCE = (
    "This model was trained on the motion of the dog set named above, Creative Commons Attribution "
    "4.0 International (https://creativecommons.org/licenses/by/4.0/). The model's weights are "
    "published under the same terms: keep the attribution above.\n"
)


def finish(model: modelfile.Model, x: np.ndarray, command: str) -> None:
    """Golden frames of x and where the model comes from."""
    exporter.add_golden(model, x)
    exporter.add_provenance(model, {
        "model": "dog", "data": "Lifelike agility and play in quadrupedal robots, motion set",
        "attribution": dog.ATTRIBUTION, "licence": "CC BY 4.0", "command": command})
    model.licence = LICENCE
