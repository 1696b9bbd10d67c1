using UnityEngine;

namespace Gallop
{
    /// <summary>
    /// A character of a GallopCrowd: starts where its object stands, walks as its stick says, and drives the bones of a
    /// skeleton below it.
    ///
    /// A bone is turned by what its joint turned away from rest, so a skeleton's axes may be any, but its rest pose must be
    /// the controller's (for the walker: a T pose, facing the object's forward). The bones found need not be all.
    /// </summary>
    public sealed unsafe class GallopCharacter : MonoBehaviour
    {
        public GallopCrowd crowd;

        [Tooltip("A bone for each joint of the controller, in its order, or none. Empty: children with the joints' names.")]
        public Transform[] bones = new Transform[0];

        [Tooltip("Bones get their joints' places too, not their turns alone: for a skeleton that was made for the model.")]
        public bool placesBones;

        [Tooltip("Where the stick's forward is, and where a strafing character looks; none: the world's forward.")]
        public Transform view;

        public Vector2 stick;
        public float run, strafe, crouch;
        public bool responsive, jump;

        private uint handle;
        private JointTransform[] pose;
        private Quaternion[] offsets; // from a joint's rotation to its bone's
        private float tall = 1;       // the body's height to the model's
        private Place before, last;   // of the last two steps

        /// <summary>Its number in the crowd, 0 while it is not enabled.</summary>
        public uint Handle => handle;

        /// Where the character stands, in the crowd's space and unit.
        private struct Place
        {
            public Vec3 root;
            public float facing;
        }

        private void OnEnable()
        {
            Controller controller = crowd.Controller;
            float metres = controller.UnitMetres;
            Vector3 place = transform.position;
            if (bones.Length == 0)
            {
                bones = FindBones(controller);
            }
            pose = new JointTransform[controller.Joints.Length];
            Fit(controller);
            handle = crowd.Join(this, new Spawn
            {
                x = -place.x / metres,
                z = place.z / metres,
                facing = UnityAxes.Yaw(transform.eulerAngles.y)
            });
        }

        private void OnDisable()
        {
            crowd.Leave(this, handle);
            handle = 0;
        }

        private Transform[] FindBones(Controller controller)
        {
            var found = new Transform[controller.Joints.Length];
            foreach (Transform child in GetComponentsInChildren<Transform>())
            {
                for (int j = 0; j < found.Length; j++)
                {
                    if (child != transform && controller.Joints[j].name == child.name)
                    {
                        found[j] = child;
                    }
                }
            }
            return found;
        }

        /// How the bones, as they stand now, lie to the joints at rest.
        private void Fit(Controller controller)
        {
            Joint[] joints = controller.Joints;
            var rest = new Quaternion[joints.Length];
            Quaternion upright = Quaternion.Inverse(transform.rotation);
            offsets = new Quaternion[joints.Length];
            for (int j = 0; j < joints.Length; j++)
            {
                Quaternion own = UnityAxes.Rotation(joints[j].rest.rotation);
                rest[j] = joints[j].parent < 0 ? own : rest[joints[j].parent] * own;
                if (bones[j] != null)
                {
                    offsets[j] = Quaternion.Inverse(rest[j]) * (upright * bones[j].rotation);
                }
            }
            float hips = joints[0].rest.position.y * controller.UnitMetres;
            if (!placesBones && bones[0] != null && hips > 0)
            {
                tall = (bones[0].position.y - transform.position.y) / hips;
            }
        }

        private void Update()
        {
            crowd.Crowd.SetInput(handle, new CharacterInput
            {
                moveX = stick.x,
                moveY = stick.y,
                run = run,
                strafe = strafe,
                crouch = crouch,
                cameraYaw = view == null ? 0 : UnityAxes.Yaw(view.eulerAngles.y),
                responsive = responsive ? 1 : 0,
                jump = jump ? 1 : 0
            });
        }

        /// Parents stand before their children, so a bone that is moved takes nothing along that is right already.
        internal void Show(int steps, float fraction)
        {
            float metres = crowd.Controller.UnitMetres;
            Follow(crowd.Crowd.State(handle), steps);
            Place place = Between(before, last, fraction);
            Vector3 root = UnityAxes.Position(place.root, metres);
            transform.SetPositionAndRotation(root, Quaternion.Euler(0, UnityAxes.Degrees(place.facing), 0));
            fixed (JointTransform* joints = pose)
            {
                crowd.Crowd.PoseBetween(handle, fraction, joints, pose.Length);
            }
            for (int j = 0; j < pose.Length; j++)
            {
                if (bones[j] == null)
                {
                    continue;
                }
                bones[j].rotation = UnityAxes.Rotation(pose[j].rotation) * offsets[j];
                if (j == 0 || placesBones)
                {
                    bones[j].position = root + (UnityAxes.Position(pose[j].position, metres) - root) * tall;
                }
            }
        }

        /// Of several steps since the last frame the one before the last lies that far on the way. Whoever was added or
        /// teleported has come further than he goes, and no way lies behind him.
        private void Follow(CharacterState now, int steps)
        {
            float x = now.root.x - last.root.x, z = now.root.z - last.root.z;
            float most = 2 * steps * now.speed / crowd.Controller.Rate + 1;
            var place = new Place { root = now.root, facing = now.facing };
            if (x * x + z * z > most * most)
            {
                before = last = place;
            }
            else if (steps > 0)
            {
                before = Between(last, place, (steps - 1f) / steps);
                last = place;
            }
        }

        /// The facing goes the short way round.
        private static Place Between(Place from, Place to, float share)
        {
            float turn = Mathf.DeltaAngle(from.facing * Mathf.Rad2Deg, to.facing * Mathf.Rad2Deg) * Mathf.Deg2Rad;
            return new Place
            {
                root = new Vec3
                {
                    x = from.root.x + (to.root.x - from.root.x) * share,
                    y = from.root.y + (to.root.y - from.root.y) * share,
                    z = from.root.z + (to.root.z - from.root.z) * share
                },
                facing = from.facing + turn * share
            };
        }
    }
}
