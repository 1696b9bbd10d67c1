using System;
using System.Collections.Generic;

namespace Gallop
{
    /// <summary>A joint of a controller's skeleton.</summary>
    public struct Joint
    {
        public string name;
        public int parent;          // -1: the root joint; a parent stands before its children
        public JointTransform rest; // in the parent's frame
    }

    /// <summary>
    /// A model file's contract, network and motion rules: immutable, shared by any number of crowds and threads. Disposing
    /// of it early is safe: what uses it keeps it open.
    /// </summary>
    public sealed class Controller : IDisposable
    {
        internal readonly ControllerHandle Handle;

        public readonly string Name;
        public readonly float Rate;       // frames per second that a step stands for
        public readonly float UnitMetres; // metres in one unit of length
        public readonly float SpeedWalk;  // units per second at full stick, not running
        public readonly float SpeedRun;   // the same, running fully
        public readonly bool CanCrouch, CanJump;
        public readonly Joint[] Joints;
        public readonly int[] ContactJoints; // which touches the ground, for each of a character's contacts

        public readonly string[] Gaits; // "stand", "walk", "run", "crouch", "jump" or some of them

        private Controller(IntPtr opened)
        {
            Handle = new ControllerHandle(opened);
            NativeControllerInfo info = Native.gal_controller_get_info(Handle);
            Name = Native.Text(info.name);
            Rate = info.rate;
            UnitMetres = info.unitMetres;
            SpeedWalk = info.speedWalk;
            SpeedRun = info.speedRun;
            CanCrouch = info.canCrouch != 0;
            CanJump = info.canJump != 0;
            ContactJoints = new int[info.contacts];
            for (uint i = 0; i < info.contacts; i++)
            {
                ContactJoints[i] = Native.gal_controller_contact_joint(Handle, i);
            }
            var gaits = new List<string>();
            for (IntPtr at; (at = Native.gal_controller_gait_name(Handle, (uint)gaits.Count)) != IntPtr.Zero;)
            {
                gaits.Add(Native.Text(at));
            }
            Gaits = gaits.ToArray();
            Joints = new Joint[info.joints];
            for (uint i = 0; i < info.joints; i++)
            {
                Joints[i] = new Joint
                {
                    name = Native.Text(Native.gal_controller_joint_name(Handle, i)),
                    parent = Native.gal_controller_joint_parent(Handle, i),
                    rest = Native.gal_controller_joint_rest(Handle, i)
                };
            }
        }

        /// <summary>Opens a model file.</summary>
        public static Controller Open(string path, Precision precision = Precision.Stored)
        {
            var desc = Native.Describe(precision);
            var error = new NativeError();
            Native.Check(Native.gal_controller_open(out var opened, Native.Path(path), ref desc, ref error), ref error);
            return new Controller(opened);
        }

        /// <summary>The same from the bytes of a model file, which are not needed afterwards.</summary>
        public static Controller FromBytes(byte[] bytes, Precision precision = Precision.Stored)
        {
            var desc = Native.Describe(precision);
            var error = new NativeError();
            var size = (UIntPtr)bytes.Length;
            Native.Check(Native.gal_controller_open_memory(out var opened, bytes, size, ref desc, ref error), ref error);
            return new Controller(opened);
        }

        /// <summary>The network inside; dispose of it, too.</summary>
        public Network Network()
        {
            return new Network(new NetworkHandle(Native.gal_controller_network(Handle), Handle));
        }

        public void Dispose()
        {
            Handle.Dispose();
        }
    }
}
