using UnityEngine;

namespace Gallop
{
    /// <summary>
    /// Between Gallop's space (right-handed, x to the left of who looks along z) and Unity's (left-handed, x to the right):
    /// x is mirrored, the table of docs/game.md. Lengths become metres.
    /// </summary>
    public static class UnityAxes
    {
        public static Vector3 Position(Vec3 place, float unitMetres)
        {
            return new Vector3(-place.x * unitMetres, place.y * unitMetres, place.z * unitMetres);
        }

        public static Quaternion Rotation(Quat turn)
        {
            return new Quaternion(turn.x, -turn.y, -turn.z, turn.w);
        }

        /// <summary>Radians about the axis up, of a rotation that Unity gives in degrees (eulerAngles.y).</summary>
        public static float Yaw(float degrees)
        {
            return -degrees * Mathf.Deg2Rad;
        }

        /// <summary>The other way: a facing angle as degrees of eulerAngles.y.</summary>
        public static float Degrees(float yaw)
        {
            return -yaw * Mathf.Rad2Deg;
        }
    }
}
