// The functions of include/gallop that the package calls, their handles, and how a status becomes an exception.
using System;
using System.Runtime.InteropServices;
using System.Security;
using System.Text;

namespace Gallop
{
    /// <summary>A call that the library refused; the message is the library's.</summary>
    public sealed class GallopException : Exception
    {
        public readonly Status Status;

        public GallopException(Status status, string message) : base(message)
        {
            Status = status;
        }
    }

    internal sealed class ControllerHandle : SafeHandle
    {
        public ControllerHandle(IntPtr opened) : base(IntPtr.Zero, true)
        {
            SetHandle(opened);
        }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            Native.gal_controller_close(handle);
            return true;
        }
    }

    /// A network, or one that a controller owns: then it keeps the controller open.
    internal sealed class NetworkHandle : SafeHandle
    {
        private readonly ControllerHandle owner;

        public NetworkHandle(IntPtr opened, ControllerHandle owner) : base(IntPtr.Zero, true)
        {
            SetHandle(opened);
            this.owner = owner;
            Native.Keep(owner);
        }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            if (owner == null)
            {
                Native.gal_network_close(handle);
            }
            else
            {
                owner.DangerousRelease();
            }
            return true;
        }
    }

    /// A crowd keeps its controllers open, and its ground where the callback finds it, in whatever order the garbage
    /// collector comes by.
    internal sealed class CrowdHandle : SafeHandle
    {
        private readonly ControllerHandle[] controllers;
        private GCHandle ground;

        public CrowdHandle(IntPtr created, ControllerHandle[] controllers, GCHandle ground) : base(IntPtr.Zero, true)
        {
            SetHandle(created);
            this.controllers = controllers;
            this.ground = ground;
            foreach (var controller in controllers)
            {
                Native.Keep(controller);
            }
        }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            Native.gal_crowd_destroy(handle);
            foreach (var controller in controllers)
            {
                controller.DangerousRelease();
            }
            ground.Free();
            return true;
        }
    }

    [SuppressUnmanagedCodeSecurity]
    internal static unsafe class Native
    {
#if UNITY_IOS && !UNITY_EDITOR
        private const string Library = "__Internal"; // linked into the player
#else
        private const string Library = "gallop";
#endif

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate float GroundFn(IntPtr context, float x, float z);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        public delegate double ClockFn(IntPtr context);

        [DllImport(Library)] public static extern IntPtr gal_status_text(Status status);
        [DllImport(Library)] public static extern IntPtr gal_isa_name(int isa);
        [DllImport(Library)] public static extern Status gal_network_open(out IntPtr network, byte[] path, ref NetworkDesc desc, ref NativeError error);
        [DllImport(Library)] public static extern Status gal_network_open_memory(out IntPtr network, byte[] data, UIntPtr size, ref NetworkDesc desc, ref NativeError error);
        [DllImport(Library)] public static extern void gal_network_close(IntPtr network);
        [DllImport(Library)] public static extern NativeNetworkInfo gal_network_get_info(NetworkHandle network);
        [DllImport(Library)] public static extern UIntPtr gal_network_workspace_size(NetworkHandle network, uint capacity);
        [DllImport(Library)] public static extern Status gal_network_run(NetworkHandle network, ref NetworkBatch batch, IntPtr workspace, UIntPtr size, ref NativeError error);
        [DllImport(Library)] public static extern Status gal_controller_open(out IntPtr controller, byte[] path, ref NetworkDesc desc, ref NativeError error);
        [DllImport(Library)] public static extern Status gal_controller_open_memory(out IntPtr controller, byte[] data, UIntPtr size, ref NetworkDesc desc, ref NativeError error);
        [DllImport(Library)] public static extern void gal_controller_close(IntPtr controller);
        [DllImport(Library)] public static extern NativeControllerInfo gal_controller_get_info(ControllerHandle controller);
        [DllImport(Library)] public static extern IntPtr gal_controller_network(ControllerHandle controller);
        [DllImport(Library)] public static extern IntPtr gal_controller_joint_name(ControllerHandle controller, uint joint);
        [DllImport(Library)] public static extern int gal_controller_joint_parent(ControllerHandle controller, uint joint);
        [DllImport(Library)] public static extern int gal_controller_contact_joint(ControllerHandle controller, uint contact);
        [DllImport(Library)] public static extern IntPtr gal_controller_gait_name(ControllerHandle controller, uint gait);
        [DllImport(Library)] public static extern JointTransform gal_controller_joint_rest(ControllerHandle controller, uint joint);
        [DllImport(Library)] public static extern Status gal_crowd_create(out IntPtr crowd, ref CrowdDesc desc, ref NativeError error);
        [DllImport(Library)] public static extern void gal_crowd_destroy(IntPtr crowd);
        [DllImport(Library)] public static extern Status gal_crowd_add(CrowdHandle crowd, ref Spawn spawn, out uint character);
        [DllImport(Library)] public static extern Status gal_crowd_remove(CrowdHandle crowd, uint character);
        [DllImport(Library)] public static extern uint gal_crowd_count(CrowdHandle crowd);
        [DllImport(Library)] public static extern uint gal_crowd_at(CrowdHandle crowd, uint index);
        [DllImport(Library)] public static extern Status gal_crowd_set_input(CrowdHandle crowd, uint character, ref CharacterInput input);
        [DllImport(Library)] public static extern Status gal_crowd_teleport(CrowdHandle crowd, uint character, float x, float z, float facing);
        [DllImport(Library)] public static extern Status gal_crowd_set_pace(CrowdHandle crowd, uint character, Pace* pace);
        [DllImport(Library)] public static extern Status gal_crowd_pace(CrowdHandle crowd, uint character, out Pace pace);
        [DllImport(Library)] public static extern Status gal_crowd_set_priority(CrowdHandle crowd, uint character, float priority);
        [DllImport(Library)] public static extern Status gal_crowd_set_budget(CrowdHandle crowd, NativeBudget* budget);
        [DllImport(Library)] public static extern Load gal_crowd_load(CrowdHandle crowd);
        [DllImport(Library)] public static extern Status gal_crowd_set_foot_lock(CrowdHandle crowd, uint character, int on);
        [DllImport(Library)] public static extern void gal_crowd_step(CrowdHandle crowd);
        [DllImport(Library)] public static extern uint gal_crowd_advance(CrowdHandle crowd, float seconds, uint maxFrames, out float fraction);
        [DllImport(Library)] public static extern ulong gal_crowd_resets(CrowdHandle crowd);
        [DllImport(Library)] public static extern JointTransform* gal_crowd_pose(CrowdHandle crowd, uint character, out uint joints);
        [DllImport(Library)] public static extern Status gal_crowd_pose_between(CrowdHandle crowd, uint character, float fraction, JointTransform* to);
        [DllImport(Library)] public static extern Status gal_crowd_pose_local(CrowdHandle crowd, uint character, JointTransform* to);
        [DllImport(Library)] public static extern unsafe uint gal_crowd_gaits(CrowdHandle crowd, uint character, float* amounts, uint capacity);
        [DllImport(Library)] public static extern Status gal_crowd_state(CrowdHandle crowd, uint character, out CharacterState state);
        [DllImport(Library)] public static extern UIntPtr gal_crowd_snapshot_size(CrowdHandle crowd);
        [DllImport(Library)] public static extern Status gal_crowd_save(CrowdHandle crowd, byte[] data, UIntPtr size, out UIntPtr used);
        [DllImport(Library)] public static extern Status gal_crowd_restore(CrowdHandle crowd, byte[] data, UIntPtr size, ref NativeError error);

        public static void Keep(SafeHandle owner)
        {
            bool kept = false;
            owner?.DangerousAddRef(ref kept);
        }

        /// UTF-8 with a zero at its end.
        public static byte[] Path(string path)
        {
            return Encoding.UTF8.GetBytes(path + "\0");
        }

        public static string Text(IntPtr utf8)
        {
            byte* bytes = (byte*)utf8;
            int length = 0;
            while (bytes[length] != 0)
            {
                length++;
            }
            return Encoding.UTF8.GetString(bytes, length);
        }

        /// Of a call that fills an error.
        public static void Check(Status status, ref NativeError error)
        {
            if (status != Status.Ok)
            {
                fixed (byte* message = error.message)
                {
                    throw new GallopException(status, Text((IntPtr)message));
                }
            }
        }

        /// Of a call that has a status alone.
        public static void Check(Status status, uint character)
        {
            if (status != Status.Ok)
            {
                throw new GallopException(status, "character " + character + ": " + Text(gal_status_text(status)));
            }
        }

        public static NetworkDesc Describe(Precision precision)
        {
            return new NetworkDesc { structSize = (uint)sizeof(NetworkDesc), precision = precision };
        }
    }
}
