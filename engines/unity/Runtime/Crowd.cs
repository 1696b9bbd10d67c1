using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using AOT;

namespace Gallop
{
    /// <summary>Ground height at a point, in the crowd's space and unit. Called many times a character and step.</summary>
    public interface IGround
    {
        float Height(float x, float z);
    }

    /// <summary>Characters of one controller, and how many there may be at once.</summary>
    public struct Group
    {
        public Controller controller;
        public int capacity; // 0: 16

        /// Levels 1, 2 and 3, the cheaper the further: the same controller at another precision, or a smaller one of the
        /// same body. Null: none.
        public Controller[] standIns;

        public int framesMost; // that a budget lets one evaluation stand for: 1, 2, 4 or 8; 0: 8

        internal GroupDesc Raw()
        {
            Controller[] others = standIns ?? new Controller[0];
            if (others.Length > 3)
            {
                throw new GallopException(Status.BadArgument, "at most three stand-ins expected");
            }
            return new GroupDesc
            {
                controller = controller.Handle.DangerousGetHandle(),
                capacity = checked((uint)capacity),
                framesMost = checked((uint)framesMost),
                standIns = new StandIns { first = At(others, 0), second = At(others, 1), third = At(others, 2) }
            };
        }

        private static IntPtr At(Controller[] others, int i)
        {
            return i < others.Length ? others[i].Handle.DangerousGetHandle() : IntPtr.Zero;
        }
    }

    /// <summary>
    /// Up to so many characters of one controller, or of several. A character is a number, 0 is none. One thread at a time
    /// changes a crowd. What is called every frame makes no garbage.
    /// </summary>
    public sealed unsafe class Crowd : IDisposable
    {
        private static readonly Native.GroundFn callGround = CallGround; // lives for ever, as C keeps its address

        private static readonly Native.ClockFn readClock = ReadClock;

        private readonly CrowdHandle handle;
        private readonly Ground ground;

        private sealed class Ground
        {
            public IGround own;
            public ExceptionDispatchInfo thrown;
        }

        public Crowd(Controller controller, int capacity, IGround ground = null)
            : this(new[] { new Group { controller = controller, capacity = capacity } }, ground)
        {
        }

        /// <summary>The controllers have one rate and one unit; Spawn.group is an index of `groups`.</summary>
        public Crowd(Group[] groups, IGround ground = null)
        {
            this.ground = new Ground { own = ground };
            var controllers = new List<ControllerHandle>();
            foreach (Group group in groups)
            {
                controllers.Add(group.controller.Handle);
                controllers.AddRange(Array.ConvertAll(group.standIns ?? new Controller[0], other => other.Handle));
            }
            GroupDesc[] raw = Array.ConvertAll(groups, group => group.Raw());
            var context = GCHandle.Alloc(this.ground);
            fixed (GroupDesc* first = raw)
            {
                var desc = new CrowdDesc
                {
                    structSize = (uint)sizeof(CrowdDesc),
                    groups = first,
                    groupCount = (uint)raw.Length,
                    ground = ground == null ? IntPtr.Zero : Marshal.GetFunctionPointerForDelegate(callGround),
                    groundContext = GCHandle.ToIntPtr(context)
                };
                var error = new NativeError();
                Status status = Native.gal_crowd_create(out var created, ref desc, ref error);
                if (status != Status.Ok)
                {
                    context.Free();
                }
                Native.Check(status, ref error);
                handle = new CrowdHandle(created, controllers.ToArray(), context);
            }
            GC.KeepAlive(groups);
        }

        [MonoPInvokeCallback(typeof(Native.GroundFn))]
        private static float CallGround(IntPtr context, float x, float z)
        {
            var ground = (Ground)GCHandle.FromIntPtr(context).Target;
            try
            {
                return ground.own.Height(x, z);
            }
            catch (Exception exception) // must not pass through C; thrown again when the step is done
            {
                ground.thrown = ground.thrown ?? ExceptionDispatchInfo.Capture(exception);
                return 0;
            }
        }

        private void ThrowGround()
        {
            ExceptionDispatchInfo thrown = ground.thrown;
            ground.thrown = null;
            thrown?.Throw();
        }

        /// <summary>Adds a character at rest.</summary>
        public uint Add(Spawn spawn)
        {
            Status status = Native.gal_crowd_add(handle, ref spawn, out uint character);
            ThrowGround();
            if (status != Status.Ok)
            {
                throw new GallopException(status, "a character to add: " + Native.Text(Native.gal_status_text(status)));
            }
            return character;
        }

        public void Remove(uint character)
        {
            Native.Check(Native.gal_crowd_remove(handle, character), character);
        }

        public int Count => (int)Native.gal_crowd_count(handle);

        /// <summary>The character at a place, 0 .. Count - 1, in an order that changes only when one is removed.</summary>
        public uint At(int index)
        {
            return Native.gal_crowd_at(handle, (uint)index);
        }

        public void SetInput(uint character, CharacterInput input)
        {
            Native.Check(Native.gal_crowd_set_input(handle, character, ref input), character);
        }

        /// <summary>Puts a character elsewhere as it is, in the middle of its step.</summary>
        public void Teleport(uint character, float x, float z, float facing)
        {
            Status status = Native.gal_crowd_teleport(handle, character, x, z, facing);
            ThrowGround();
            Native.Check(status, character);
        }

        /// <summary>How a character is evaluated, from its next evaluation on.</summary>
        public void SetPace(uint character, Pace pace)
        {
            Native.Check(Native.gal_crowd_set_pace(handle, character, &pace), character);
        }

        /// <summary>Leaves it to the crowd again.</summary>
        public void ClearPace(uint character)
        {
            Native.Check(Native.gal_crowd_set_pace(handle, character, null), character);
        }

        /// <summary>How a character was evaluated last.</summary>
        public Pace PaceOf(uint character)
        {
            Native.Check(Native.gal_crowd_pace(handle, character, out Pace pace), character);
            return pace;
        }

        /// <summary>How much a character matters under a budget: 1 / its distance, say. 1 at the start.</summary>
        public void SetPriority(uint character, float priority)
        {
            Native.Check(Native.gal_crowd_set_priority(handle, character, priority), character);
        }

        [MonoPInvokeCallback(typeof(Native.ClockFn))]
        private static double ReadClock(IntPtr context)
        {
            return (double)Stopwatch.GetTimestamp() / Stopwatch.Frequency;
        }

        /// <summary>Lets the crowd decide how its characters are evaluated, so that a step takes so many microseconds: by
        /// this machine's clock, or by nominal costs, of which the same choices come everywhere.</summary>
        public void SetBudget(float microseconds, bool nominal = false)
        {
            var budget = new NativeBudget { microseconds = microseconds };
            budget.clock = nominal ? IntPtr.Zero : Marshal.GetFunctionPointerForDelegate(readClock);
            CheckBudget(Native.gal_crowd_set_budget(handle, &budget));
        }

        /// <summary>Every frame by their controllers again, as at the start.</summary>
        public void ClearBudget()
        {
            CheckBudget(Native.gal_crowd_set_budget(handle, null));
        }

        private static void CheckBudget(Status status)
        {
            if (status != Status.Ok)
            {
                throw new GallopException(status, "a budget: " + Native.Text(Native.gal_status_text(status)));
            }
        }

        /// <summary>Of the last step; all 0 without a budget.</summary>
        public Load Load => Native.gal_crowd_load(handle);

        public void SetFootLock(uint character, bool on)
        {
            Native.Check(Native.gal_crowd_set_foot_lock(handle, character, on ? 1 : 0), character);
        }

        /// <summary>One frame of 1 / Rate seconds for all characters.</summary>
        public void Step()
        {
            Native.gal_crowd_step(handle);
            ThrowGround();
        }

        /// <summary>Runs the whole frames due after `seconds` more, at most `maxFrames` (0: 4); returns how many ran.
        /// `fraction` is the part of a frame left over, for PoseBetween.</summary>
        public int Advance(float seconds, int maxFrames, out float fraction)
        {
            uint ran = Native.gal_crowd_advance(handle, seconds, (uint)maxFrames, out fraction);
            ThrowGround();
            return (int)ran;
        }

        /// <summary>Times a character was set back to rest because its state became non-finite.</summary>
        public long Resets => (long)Native.gal_crowd_resets(handle);

        /// <summary>The pose after the last step, in the world; null if there is no such character. Good until the next
        /// call that changes the crowd.</summary>
        public JointTransform* Pose(uint character, out int joints)
        {
            JointTransform* pose = Native.gal_crowd_pose(handle, character, out uint count);
            joints = (int)count;
            return pose;
        }

        /// <summary>The pose between the last two steps, in the world, to `to`, which has room for `capacity` joints:
        /// fraction 0 is before the last step, 1 after it.</summary>
        public void PoseBetween(uint character, float fraction, JointTransform* to, int capacity)
        {
            ExpectRoom(character, capacity);
            Native.Check(Native.gal_crowd_pose_between(handle, character, fraction, to), character);
        }

        /// <summary>The pose after the last step, each joint in its parent's frame, the root joint in the world.</summary>
        public void PoseLocal(uint character, JointTransform* to, int capacity)
        {
            ExpectRoom(character, capacity);
            Native.Check(Native.gal_crowd_pose_local(handle, character, to), character);
        }

        private void ExpectRoom(uint character, int capacity)
        {
            Native.gal_crowd_pose(handle, character, out uint joints);
            if (capacity < joints)
            {
                throw new ArgumentException("room for " + capacity + " joints, " + joints + " needed");
            }
        }

        public CharacterState State(uint character)
        {
            Native.Check(Native.gal_crowd_state(handle, character, out CharacterState state), character);
            return state;
        }

        /// <summary>How much a character is in each of its controller's Gaits, 0..1, into amounts.</summary>
        public void Gaits(uint character, float[] amounts)
        {
            fixed (float* to = amounts)
            {
                uint count = Native.gal_crowd_gaits(handle, character, to, (uint)amounts.Length);
                Native.Check(count == 0 ? Status.NotFound : Status.Ok, character);
            }
        }

        /// <summary>Bytes of the largest snapshot.</summary>
        public int SnapshotSize => checked((int)Native.gal_crowd_snapshot_size(handle));

        /// <summary>Writes all that the crowd goes on from; returns how many bytes it took.</summary>
        public int Save(byte[] bytes)
        {
            Status status = Native.gal_crowd_save(handle, bytes, (UIntPtr)bytes.Length, out UIntPtr used);
            if (status != Status.Ok)
            {
                throw new GallopException(status, bytes.Length + " bytes for a snapshot of " + (long)used);
            }
            return (int)used;
        }

        /// <summary>Makes the crowd what the saved one was. The bytes are checked; after an error it is as it was.</summary>
        public void Restore(byte[] bytes, int count)
        {
            if (count < 0 || count > bytes.Length)
            {
                throw new ArgumentOutOfRangeException(nameof(count));
            }
            var error = new NativeError();
            Native.Check(Native.gal_crowd_restore(handle, bytes, (UIntPtr)count, ref error), ref error);
        }

        public void Dispose()
        {
            handle.Dispose();
        }
    }
}
