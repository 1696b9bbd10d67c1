using System.Collections.Generic;
using UnityEngine;

namespace Gallop
{
    /// <summary>
    /// A crowd in a scene. Characters (GallopCharacter) join it; it steps all of them once a frame, after every Update, and
    /// shows their poses.
    /// </summary>
    [DefaultExecutionOrder(100)]
    public sealed class GallopCrowd : MonoBehaviour, IGround
    {
        [Tooltip("A model file, named walker.gallop.bytes so that Unity takes it for a TextAsset.")]
        public TextAsset model;

        [Tooltip("Most characters at once.")]
        public int capacity = 64;

        [Tooltip("What they walk on; none: the plane at height 0.")]
        public Terrain terrain;

        public Precision precision;

        private readonly List<GallopCharacter> characters = new List<GallopCharacter>();
        private Controller controller;
        private Crowd crowd;

        /// <summary>Opened when it is first asked for: objects wake up in any order.</summary>
        public Controller Controller
        {
            get
            {
                if (controller == null)
                {
                    controller = Controller.FromBytes(model.bytes, precision);
                }
                return controller;
            }
        }

        public Crowd Crowd
        {
            get
            {
                if (crowd == null)
                {
                    crowd = new Crowd(Controller, capacity, terrain == null ? null : this);
                }
                return crowd;
            }
        }

        /// <summary>The terrain's height, for the crowd. A step runs on Unity's own thread, which Terrain asks for.</summary>
        float IGround.Height(float x, float z)
        {
            float metres = Controller.UnitMetres;
            Vector3 place = UnityAxes.Position(new Vec3 { x = x, z = z }, metres);
            return (terrain.SampleHeight(place) + terrain.transform.position.y) / metres;
        }

        /// <summary>Where this frame stands between the last two steps, for Crowd.PoseBetween.</summary>
        public float Fraction { get; private set; }

        internal uint Join(GallopCharacter character, Spawn spawn)
        {
            uint handle = Crowd.Add(spawn);
            characters.Add(character);
            return handle;
        }

        internal void Leave(GallopCharacter character, uint handle)
        {
            characters.Remove(character);
            crowd?.Remove(handle);
        }

        private void LateUpdate()
        {
            int steps = Crowd.Advance(Time.deltaTime, 0, out float fraction);
            Fraction = fraction;
            for (int i = 0; i < characters.Count; i++)
            {
                characters[i].Show(steps, fraction);
            }
        }

        private void OnDestroy()
        {
            crowd?.Dispose();
            controller?.Dispose();
            crowd = null;
            controller = null;
        }
    }
}
