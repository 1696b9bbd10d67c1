using Unity.Collections;
using Unity.Collections.LowLevel.Unsafe;

namespace Gallop
{
    /// <summary>Poses straight into native arrays, for jobs, animation jobs and meshes.</summary>
    public static unsafe class NativePoses
    {
        public static void PoseBetween(this Crowd crowd, uint character, float fraction, NativeArray<JointTransform> to)
        {
            crowd.PoseBetween(character, fraction, (JointTransform*)NativeArrayUnsafeUtility.GetUnsafePtr(to), to.Length);
        }

        public static void PoseLocal(this Crowd crowd, uint character, NativeArray<JointTransform> to)
        {
            crowd.PoseLocal(character, (JointTransform*)NativeArrayUnsafeUtility.GetUnsafePtr(to), to.Length);
        }
    }
}
