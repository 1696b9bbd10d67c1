using System;
using System.Runtime.InteropServices;

namespace Gallop
{
    /// <summary>The bare network: rows of features in and out. It has room for runs of up to so many rows; one thread at a
    /// time runs it.</summary>
    public sealed unsafe class Network : IDisposable
    {
        private readonly NetworkHandle handle;
        private IntPtr memory;    // as allocated
        private IntPtr workspace; // the same, aligned to 64
        private UIntPtr size;

        public readonly int Inputs, Outputs, Experts;
        public readonly string Isa; // the instruction set in use

        internal Network(NetworkHandle opened)
        {
            handle = opened;
            NativeNetworkInfo info = Native.gal_network_get_info(handle);
            Inputs = (int)info.inputs;
            Outputs = (int)info.outputs;
            Experts = (int)info.experts;
            Isa = Native.Text(Native.gal_isa_name(info.isa));
        }

        /// <summary>Opens a model file's network.</summary>
        public static Network Open(string path, Precision precision = Precision.Stored)
        {
            var desc = Native.Describe(precision);
            var error = new NativeError();
            Native.Check(Native.gal_network_open(out var opened, Native.Path(path), ref desc, ref error), ref error);
            return new Network(new NetworkHandle(opened, null));
        }

        /// <summary>Makes room for runs of up to `rows` rows.</summary>
        public void Reserve(int rows)
        {
            UIntPtr need = Native.gal_network_workspace_size(handle, checked((uint)rows));
            IntPtr anew = Marshal.AllocHGlobal((IntPtr)checked((long)need + 63));
            Marshal.FreeHGlobal(memory);
            memory = anew;
            workspace = (IntPtr)(((long)memory + 63) & ~63L);
            size = need;
        }

        /// <summary>
        /// Runs `rows` rows: x [rows][Inputs] to y [rows][Outputs], raw features. phase [rows] in radians for a phase gate,
        /// blend [rows][Experts] where the caller gives it, else null.
        /// </summary>
        public void Run(int rows, float* x, float* phase, float* blend, float* y)
        {
            var batch = new NetworkBatch { count = checked((uint)rows), x = x, phase = phase, blend = blend, y = y };
            var error = new NativeError();
            Native.Check(Native.gal_network_run(handle, ref batch, workspace, size, ref error), ref error);
        }

        public void Dispose()
        {
            handle.Dispose();
            Marshal.FreeHGlobal(memory);
            memory = workspace = IntPtr.Zero;
            size = UIntPtr.Zero;
            GC.SuppressFinalize(this);
        }

        ~Network()
        {
            Marshal.FreeHGlobal(memory);
        }
    }
}
