// The lines of test/platforms/native_walk.c, by this package.
using System;
using Gallop;

internal static unsafe class Golden
{
    private const int Rows = 11, Walkers = 8, Frames = 600;
    private const ulong HashStart = 0xcbf29ce484222325;

    /// FNV-1a over the bytes of the floats, low byte first.
    private static ulong Hash(ulong hash, void* floats, int count)
    {
        var bits = (uint*)floats;
        for (int i = 0; i < count; i++)
        {
            for (int shift = 0; shift < 32; shift += 8)
            {
                hash = unchecked((hash ^ (bits[i] >> shift & 255)) * 0x100000001b3);
            }
        }
        return hash;
    }

    private static void Print(string what, ulong hash)
    {
        Console.WriteLine(what + " " + hash.ToString("x16"));
    }

    private static float Draw(ref uint state)
    {
        state = unchecked(state * 1664525 + 1013904223);
        return (state >> 8) / 4194304.0f - 2.0f;
    }

    private static void RunNetwork(Network network)
    {
        float[] x = new float[Rows * network.Inputs], phase = new float[Rows], y = new float[Rows * network.Outputs];
        uint state = 1;
        for (int i = 0; i < x.Length; i++)
        {
            x[i] = Draw(ref state);
        }
        for (int i = 0; i < Rows; i++)
        {
            phase[i] = Draw(ref state);
        }
        network.Reserve(Rows);
        fixed (float* from = x, at = phase, to = y)
        {
            network.Run(Rows, from, at, null, to);
            Console.WriteLine("network " + network.Inputs + " to " + network.Outputs + " on " + network.Isa);
            Print("rows", Hash(HashStart, to, y.Length));
        }
    }

    private static void RunCrowd(Controller controller)
    {
        ulong poses = HashStart, between = HashStart, local = HashStart;
        var pose = new JointTransform[controller.Joints.Length];
        var who = new uint[Walkers];
        using (var crowd = new Crowd(controller, Walkers))
        {
            for (int i = 0; i < Walkers; i++)
            {
                who[i] = crowd.Add(new Spawn { x = 200.0f * i, phase = i / 2.0f });
            }
            for (int frame = 0; frame < Frames; frame++)
            {
                for (int i = 0; i < Walkers; i++)
                {
                    crowd.SetInput(who[i], new CharacterInput { moveY = 1, run = i / 8.0f, cameraYaw = frame / 128.0f });
                }
                crowd.Step();
                for (int i = 0; i < Walkers; i++)
                {
                    poses = Hash(poses, crowd.Pose(who[i], out int joints), 7 * joints);
                }
            }
            fixed (JointTransform* to = pose)
            {
                for (int i = 0; i < Walkers; i++)
                {
                    crowd.PoseBetween(who[i], 0.25f, to, pose.Length);
                    between = Hash(between, to, 7 * pose.Length);
                    crowd.PoseLocal(who[i], to, pose.Length);
                    local = Hash(local, to, 7 * pose.Length);
                }
            }
        }
        Print("poses", poses);
        Print("between", between);
        Print("local", local);
    }

    public static void Run(string model)
    {
        using (Controller controller = Controller.Open(model))
        using (Network network = controller.Network())
        {
            RunNetwork(network);
            RunCrowd(controller);
        }
        try
        {
            Controller.Open("no/such.gallop");
        }
        catch (GallopException exception)
        {
            string kind = exception.Status == Status.Io ? "input/output error" : exception.Status.ToString();
            Console.WriteLine(kind + ": " + exception.Message);
        }
    }
}
