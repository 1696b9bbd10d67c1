// The structs of include/gallop, field by field: [CStruct] says which, and the field moveX is move_x there.
// test/platforms/unity.sh compares every size and offset with C. All are blittable: a call copies nothing.
using System;
using System.Runtime.InteropServices;

namespace Gallop
{
    /// <summary>The C struct that this one is.</summary>
    [AttributeUsage(AttributeTargets.Struct)]
    public sealed class CStructAttribute : Attribute
    {
        public readonly string Name;

        public CStructAttribute(string name)
        {
            Name = name;
        }
    }

    /// <summary>A point or direction: right-handed, y up, z forward, in the controller's unit of length.</summary>
    [CStruct("gal_vec3"), StructLayout(LayoutKind.Sequential)]
    public struct Vec3
    {
        public float x, y, z;
    }

    /// <summary>A rotation, of unit length.</summary>
    [CStruct("gal_quat"), StructLayout(LayoutKind.Sequential)]
    public struct Quat
    {
        public float x, y, z, w;
    }

    /// <summary>Where a joint is and how it is turned.</summary>
    [CStruct("gal_transform"), StructLayout(LayoutKind.Sequential)]
    public struct JointTransform
    {
        public Vec3 position;
        public Quat rotation;
    }

    /// <summary>Where and how a character starts: the height comes from the ground, angles are radians, 0 = +z.</summary>
    [CStruct("gal_spawn"), StructLayout(LayoutKind.Sequential)]
    public struct Spawn
    {
        public float x, z;
        public float facing;
        public float phase;
        public uint group; // whose controller it has
    }

    /// <summary>What the player wants, kept until it is set again. Values out of range are clamped.</summary>
    [CStruct("gal_input"), StructLayout(LayoutKind.Sequential)]
    public struct CharacterInput
    {
        public float moveX;     // stick, -1..1, positive = right of the camera; one longer than 1 is cut to 1
        public float moveY;     // stick, -1..1, positive = away from the camera
        public float run;       // 0 walk .. 1 full run
        public float strafe;    // 0 face where you go .. 1 face where the camera looks
        public float crouch;    // 0..1
        public float cameraYaw; // radians, 0 = the camera looks along +z, positive turns towards +x
        public int responsive;  // not 0: quicker, less natural turns
        public int jump;        // not 0: jumps, as soon as it is fast enough
    }

    /// <summary>A character's movement, for game logic and sound.</summary>
    [CStruct("gal_character_state"), StructLayout(LayoutKind.Sequential)]
    public unsafe struct CharacterState
    {
        public Vec3 root;    // y is the mean ground height around it
        public float facing; // radians
        public float phase;  // radians, 0..2 pi
        public float speed;  // units per second, of the last step
        public fixed float contacts[16]; // 0..1, of Controller.ContactJoints
    }

    /// <summary>How a character is evaluated.</summary>
    [CStruct("gal_pace"), StructLayout(LayoutKind.Sequential)]
    public struct Pace
    {
        public uint frames; // that one evaluation stands for, 1..8
        public uint level;  // 0: by its controller; else by that stand-in of its group
    }

    [CStruct("gal_budget"), StructLayout(LayoutKind.Sequential)]
    internal struct NativeBudget
    {
        public float microseconds;
        public IntPtr clock;
        public IntPtr clockContext;
    }

    /// <summary>Of the last step under a budget.</summary>
    [CStruct("gal_load"), StructLayout(LayoutKind.Sequential)]
    public struct Load
    {
        public float microseconds; // what it took by the clock; without one, what it cost
        public uint evaluated;     // characters evaluated in it,
        public uint bridged;       // on the way to their last evaluation,
        public uint waiting;       // and new ones not yet evaluated
        public float bar;          // priority from which on all are evaluated in every frame by their controller
    }

    /// <summary>What layers are computed with (docs/numerics.md).</summary>
    public enum Precision
    {
        Stored,
        F32,
        Fp16,
        Bf16,
        Bf16Dot,
        Int16,
        Int8,
        Int8Dot
    }

    /// <summary>What the library refused.</summary>
    public enum Status
    {
        Ok,
        BadData,
        BadArgument,
        Io,
        NoMemory,
        Full,
        NotFound,
        Unsupported
    }

    [CStruct("gal_error"), StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeError
    {
        public Status status;
        public fixed byte message[256];
    }

    [CStruct("gal_network_desc"), StructLayout(LayoutKind.Sequential)]
    internal struct NetworkDesc
    {
        public uint structSize;
        public IntPtr allocator;
        public int isa;
        public int form;
        public IntPtr plan;
        public uint smallPages;
        public Precision precision;
        public uint block;
    }

    [CStruct("gal_network_info"), StructLayout(LayoutKind.Sequential)]
    internal struct NativeNetworkInfo
    {
        public uint inputs;
        public uint outputs;
        public uint liveInputs;
        public uint layers;
        public int gate;
        public uint experts;
        public ulong parameters;
        public UIntPtr memory;
        public int isa;
        public Precision precision;
    }

    [CStruct("gal_network_batch"), StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NetworkBatch
    {
        public uint count;
        public float* x;
        public UIntPtr xStride;
        public float* phase;
        public float* blend;
        public float* y;
        public UIntPtr yStride;
        public IntPtr parallel;
    }

    [CStruct("gal_controller_info"), StructLayout(LayoutKind.Sequential)]
    internal struct NativeControllerInfo
    {
        public IntPtr name;
        public float rate;
        public float unitMetres;
        public uint joints;
        public uint contacts;
        public uint legs;
        public float speedWalk;
        public float speedRun;
        public int canCrouch;
        public int canJump;
    }

    [CStruct("gal_group_desc"), StructLayout(LayoutKind.Sequential)]
    internal struct GroupDesc
    {
        public IntPtr controller;
        public uint capacity;
        public StandIns standIns;
        public uint framesMost;
    }

    /// An array of three: C# has none of pointers within a struct.
    [StructLayout(LayoutKind.Sequential)]
    internal struct StandIns
    {
        public IntPtr first, second, third;
    }

    [CStruct("gal_crowd_desc"), StructLayout(LayoutKind.Sequential)]
    internal unsafe struct CrowdDesc
    {
        public uint structSize;
        public IntPtr controller;
        public uint capacity;
        public IntPtr ground;
        public IntPtr groundContext;
        public IntPtr parallel;
        public IntPtr allocator;
        public GroupDesc* groups;
        public uint groupCount;
    }
}
