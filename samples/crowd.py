"""Ten lines of Python that run a crowd: python3 samples/crowd.py [MODEL.gallop]"""

import sys

import gallop

model = sys.argv[1] if len(sys.argv) > 1 else gallop.model_path("walker")
crowd = gallop.Crowd(model, capacity=8)
characters = [crowd.add(x=150 * i) for i in range(8)]
for frame in range(120):  # two seconds
    for i, who in enumerate(characters):
        crowd.set_input(who, move_y=1, run=i / 7)
    crowd.step()
for who, pose in zip(characters, crowd.poses()):  # [8, joints, 7]: position x y z, rotation x y z w
    print(f"{crowd.state(who).speed:6.1f} units a second, hips at {pose[0, :3].round(1)}")
