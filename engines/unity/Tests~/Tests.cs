// What the package promises, without Unity: mono Tests.exe golden|layout|check MODEL.gallop
using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using Gallop;
using Unity.Collections;
using UnityEngine;

internal static unsafe class Tests
{
    private static int mistakes;

    private static void Expect(bool good, string what)
    {
        if (!good)
        {
            Console.WriteLine("not so: " + what);
            mistakes++;
        }
    }

    private static Status Refused(Action action)
    {
        try
        {
            action();
        }
        catch (GallopException exception)
        {
            Expect(exception.Message.Length > 10, "a message: " + exception.Message);
            return exception.Status;
        }
        return Status.Ok;
    }

    /// STRUCT SIZE, and STRUCT.FIELD OFFSET SIZE, for check_layout.py.
    private static void PrintLayout()
    {
        foreach (Type type in typeof(Crowd).Assembly.GetTypes())
        {
            var named = type.GetCustomAttribute<CStructAttribute>();
            if (named == null)
            {
                continue;
            }
            int whole = Marshal.SizeOf(type);
            Console.WriteLine(named.Name + " " + whole);
            FieldInfo[] fields = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
            foreach (FieldInfo field in fields)
            {
                string name = Regex.Replace(field.Name, "[A-Z]", match => "_" + match.Value.ToLowerInvariant());
                Console.WriteLine(named.Name + "." + name + " " + Marshal.OffsetOf(type, field.Name) + " " + SizeOf(field));
            }
        }
    }

    private static int SizeOf(FieldInfo field)
    {
        Type type = field.FieldType;
        var repeated = field.GetCustomAttribute<System.Runtime.CompilerServices.FixedBufferAttribute>();
        if (repeated != null)
        {
            return repeated.Length * Marshal.SizeOf(repeated.ElementType);
        }
        return type.IsPointer ? sizeof(IntPtr) : type.IsEnum ? sizeof(int) : Marshal.SizeOf(type);
    }

    private sealed class Slope : IGround
    {
        public float Height(float x, float z)
        {
            return z / 4;
        }
    }

    private sealed class Cliff : IGround
    {
        public float Height(float x, float z)
        {
            return z > 100 ? throw new InvalidOperationException("the world ends here") : 0;
        }
    }

    private static readonly CharacterInput forward = new CharacterInput { moveY = 1 };

    private static void WalkOn(Controller controller, IGround ground, Action<Crowd, uint> then)
    {
        using (var crowd = new Crowd(controller, 2, ground))
        {
            uint who = crowd.Add(new Spawn());
            crowd.SetInput(who, forward);
            for (int frame = 0; frame < 200; frame++)
            {
                crowd.Step();
            }
            then(crowd, who);
        }
    }

    private static void CheckGround(Controller controller)
    {
        WalkOn(controller, new Slope(), (crowd, who) =>
        {
            CharacterState state = crowd.State(who);
            Expect(state.root.z > 100 && Math.Abs(state.root.y - state.root.z / 4) < 5, "the slope is walked up");
        });
        string said = "";
        try
        {
            WalkOn(controller, new Cliff(), (crowd, who) => { });
        }
        catch (InvalidOperationException exception)
        {
            said = exception.Message;
        }
        Expect(said == "the world ends here", "the ground's exception comes out of the step");
    }

    private static void CheckCrowd(Controller controller)
    {
        using (var crowd = new Crowd(controller, 1))
        {
            uint who = crowd.Add(new Spawn { x = 50 });
            Expect(Refused(() => crowd.Add(new Spawn())) == Status.Full, "a full crowd says so");
            Expect(Refused(() => crowd.SetInput(who + 1, forward)) == Status.NotFound, "a stranger is not found");
            Expect(Refused(() => crowd.Teleport(who, float.NaN, 0, 0)) == Status.BadArgument, "nowhere is refused");
            crowd.SetInput(who, forward);
            crowd.Advance(1 / controller.Rate, 0, out float fraction);
            var bytes = new byte[crowd.SnapshotSize];
            int used = crowd.Save(bytes);
            crowd.Step();
            float first = crowd.State(who).root.z;
            crowd.Restore(bytes, used);
            crowd.Step();
            Expect(first == crowd.State(who).root.z, "a restored crowd goes on as the saved one did");
            Expect(Refused(() => crowd.Restore(bytes, used - 1)) == Status.BadData, "a cut snapshot is refused");
            crowd.Remove(who);
            Expect(crowd.Count == 0 && crowd.Pose(who, out int joints) == null, "a character is removed");
        }
        Expect(Refused(() => new Crowd(new Gallop.Group[0])) == Status.BadArgument, "a crowd of nobody is refused");
        Expect(Refused(() => Controller.FromBytes(new byte[100])) == Status.BadData, "rubbish is refused");
    }

    private static void CheckPace(Controller controller, byte[] model)
    {
        using (Controller cheap = Controller.FromBytes(model, Precision.Int8))
        using (var crowd = new Crowd(new[] { new Gallop.Group { controller = controller, standIns = new[] { cheap } } }))
        {
            uint who = crowd.Add(new Spawn());
            crowd.SetInput(who, forward);
            crowd.SetPace(who, new Pace { frames = 2, level = 1 });
            for (int frame = 0; frame < 20; frame++)
            {
                crowd.Step();
            }
            Expect(crowd.PaceOf(who).frames == 2 && crowd.PaceOf(who).level == 1, "a stand-in takes over");
            var none = new Pace { frames = 1, level = 2 };
            Expect(Refused(() => crowd.SetPace(who, none)) == Status.BadArgument, "a level that is not there is refused");
            crowd.ClearPace(who);
        }
    }

    private static void CheckBudget(Controller controller)
    {
        using (var crowd = new Crowd(controller, 8))
        {
            for (int i = 0; i < 8; i++)
            {
                uint who = crowd.Add(new Spawn { x = 100 * i });
                crowd.SetInput(who, forward);
                crowd.SetPriority(who, i == 0 ? 8 : 1);
            }
            crowd.SetBudget(1, true);
            Steps(crowd, 40);
            Expect(crowd.Load.evaluated < 8 && crowd.Load.evaluated + crowd.Load.bridged == 8, "a budget thins out");
            crowd.SetBudget(1e6f);
            Steps(crowd, 40);
            Expect(crowd.Load.evaluated == 8 && crowd.Load.microseconds > 0, "a large budget by the clock does not");
            Expect(Refused(() => crowd.SetBudget(-1)) == Status.BadArgument, "no budget is below nothing");
            crowd.ClearBudget();
            crowd.Step();
            Expect(crowd.Load.evaluated == 0, "no load is told without a budget");
        }
    }

    private static void Steps(Crowd crowd, int count)
    {
        for (int step = 0; step < count; step++)
        {
            crowd.Step();
        }
    }

    /// The crowd keeps what it needs, whatever is disposed of first or not at all.
    private static void CheckOwners(string model)
    {
        Controller controller = Controller.Open(model);
        var crowd = new Crowd(controller, 1, new Slope());
        Network network = controller.Network();
        controller.Dispose();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        uint who = crowd.Add(new Spawn());
        crowd.Step();
        Expect(Math.Abs(crowd.State(who).facing) < 0.2 && network.Inputs > 0, "a controller lives as long as its crowds");
        crowd.Dispose();
        network.Dispose();
        network.Dispose();
        bool thrown = false;
        try
        {
            crowd.Step();
        }
        catch (ObjectDisposedException)
        {
            thrown = true;
        }
        Expect(thrown, "a disposed crowd throws");
        for (int i = 0; i < 3; i++)
        {
            new Crowd(Controller.Open(model), 1).Add(new Spawn());
        }
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    private static Walk StartSample(byte[] model)
    {
        var sample = new GameObject("Sample").AddComponent<Walk>();
        sample.model = new TextAsset { bytes = model };
        UnityEngine.Input.stick = new Vector2(0, 1);
        for (int frame = 0; frame < 180; frame++) // frames of another rate than the model's
        {
            Player.Frame(1 / 90f);
        }
        return sample;
    }

    /// At a display's own rate an actor goes evenly, as its bones do, and not in the crowd's steps; a teleport is no way.
    private static void CheckActor(byte[] model)
    {
        Walk sample = StartSample(model);
        const BindingFlags hidden = BindingFlags.Instance | BindingFlags.NonPublic;
        var player = (GallopCharacter)typeof(Walk).GetField("player", hidden).GetValue(sample);
        foreach (float rate in new[] { 144f, 90f, 25f })
        {
            float least = 9, most = 0, last = player.transform.position.z;
            for (int frame = 0; frame < 40; frame++)
            {
                Player.Frame(1 / rate);
                float at = player.transform.position.z;
                least = Math.Min(least, (at - last) * rate);
                most = Math.Max(most, (at - last) * rate);
                last = at;
            }
            Expect(least > 0.6f * most, "it goes evenly at " + rate + " frames a second: " + least + " to " + most + " m/s");
        }
        player.crowd.Crowd.Teleport(player.Handle, 500, 500, 0);
        Player.Frame(1 / 144f);
        Expect(Math.Abs(player.transform.position.x + 5) < 0.1, "it is there at once: " + player.transform.position.x);
    }

    /// Sixteen walkers of spheres, by the sample's own script: two seconds ahead, in Unity's axes.
    private static void CheckSample(byte[] model)
    {
        Walk sample = StartSample(model);
        const BindingFlags hidden = BindingFlags.Instance | BindingFlags.NonPublic;
        var player = (GallopCharacter)typeof(Walk).GetField("player", hidden).GetValue(sample);
        var others = (GallopCharacter[])typeof(Walk).GetField("others", hidden).GetValue(sample);
        Vector3 at = player.transform.position, hips = player.bones[0].position, head = player.bones[6].position;
        Expect(at.z > 1 && at.z < 4 && Math.Abs(at.x) < 0.5, "it walks along Unity's z: " + at.x + " " + at.z);
        Expect(hips.y > 0.7 && hips.y < 1.1 && head.y > hips.y + 0.4, "it stands upright");
        int left = Array.FindIndex(player.crowd.Controller.Joints, joint => joint.name == "LeftHip");
        int right = Array.FindIndex(player.crowd.Controller.Joints, joint => joint.name == "RightHip");
        Expect(player.bones[left].position.x < player.bones[right].position.x, "its left is on Unity's left");
        Controller known = player.crowd.Controller;
        string touching = string.Join(" ", Array.ConvertAll(known.ContactJoints, joint => known.Joints[joint].name));
        Expect(touching == "LeftAnkle LeftToe RightAnkle RightToe", "contacts know their joints: " + touching);
        var gaits = new float[known.Gaits.Length];
        player.crowd.Crowd.Gaits(player.Handle, gaits);
        Expect(string.Join(" ", known.Gaits) == "stand walk run" && gaits[1] + gaits[2] > 0.9f, "it knows its gait");
        Expect(others[3].transform.position.z != others[3].bones[0].position.z, "the others walk, too");
        player.gameObject.SetActive(false);
        Expect(player.crowd.Crowd.Count == others.Length && player.Handle == 0, "who is disabled leaves the crowd");
        player.gameObject.SetActive(true);
    }

    /// A skeleton whose bones lie otherwise (here: each turned about y by a right angle) is turned as its joints are.
    private static void CheckBones(byte[] model)
    {
        var crowd = new GameObject().AddComponent<GallopCrowd>();
        crowd.model = new TextAsset { bytes = model };
        var body = new GameObject("Body");
        body.SetActive(false);
        Quaternion turned = Quaternion.Euler(0, 90, 0);
        foreach (Gallop.Joint joint in crowd.Controller.Joints)
        {
            Transform bone = new GameObject(joint.name).transform;
            bone.SetParent(body.transform);
            bone.SetPositionAndRotation(new Vector3(0, joint.parent < 0 ? 1.9562314f : 0, 0), turned);
        }
        var character = body.AddComponent<GallopCharacter>();
        character.crowd = crowd;
        body.SetActive(true);
        character.stick = new Vector2(0, 1);
        for (int frame = 0; frame < 60; frame++)
        {
            Player.Frame(1 / 60f);
        }
        int joints = crowd.Controller.Joints.Length;
        JointTransform* pose = stackalloc JointTransform[joints];
        crowd.Crowd.PoseBetween(character.Handle, crowd.Fraction, pose, joints);
        for (int j = 0; j < joints; j++)
        {
            Quaternion expected = UnityAxes.Rotation(pose[j].rotation) * turned, got = character.bones[j].rotation;
            float same = expected.x * got.x + expected.y * got.y + expected.z * got.z + expected.w * got.w;
            Expect(Math.Abs(same) > 0.999f, "bone " + j + " is turned as its joint");
        }
        CheckAxes(crowd.Controller, pose);
        Expect(Math.Abs(character.bones[0].position.y - 0.02f * pose[0].position.y) < 0.02f, "a body of twice the height");
        Player.Tell(crowd, "OnDestroy");
        body.SetActive(false);
    }

    /// Places and turns agree: in Unity's axes, too, a bone leads from its parent where the parent is turned.
    private static void CheckAxes(Controller controller, JointTransform* pose)
    {
        for (int j = 1; j < controller.Joints.Length; j++)
        {
            Gallop.Joint joint = controller.Joints[j];
            Quaternion turn = UnityAxes.Rotation(pose[joint.parent].rotation);
            Vector3 led = UnityAxes.Position(pose[joint.parent].position, 1) + turn * UnityAxes.Position(joint.rest.position, 1);
            Vector3 off = led - UnityAxes.Position(pose[j].position, 1);
            Expect(off.x * off.x + off.y * off.y + off.z * off.z < 9, joint.name + " is where its parent leads");
        }
    }

    private static void CheckTerrain(byte[] model)
    {
        var crowd = new GameObject().AddComponent<GallopCrowd>();
        crowd.model = new TextAsset { bytes = model };
        crowd.terrain = new GameObject().AddComponent<Terrain>();
        crowd.terrain.height = place => 0.5f + place.x / 10;
        crowd.terrain.transform.position = new Vector3(0, 2, 0);
        var body = new GameObject();
        body.SetActive(false);
        body.transform.position = new Vector3(3, 0, 0);
        body.AddComponent<GallopCharacter>().crowd = crowd;
        body.SetActive(true);
        Player.Frame(1 / 30f);
        Vector3 at = body.transform.position;
        Expect(Math.Abs(at.x - 3) < 0.05 && Math.Abs(at.y - 2.8f) < 0.05, "it stands on the terrain: " + at.x + " " + at.y);
        body.SetActive(false);
    }

    /// What is called every frame makes no garbage: neither the bare crowd nor the scene.
    private static void CheckGarbage(Controller controller)
    {
        var pose = new JointTransform[controller.Joints.Length];
        using (var crowd = new Crowd(controller, 8, new Slope()))
        fixed (JointTransform* to = pose)
        {
            uint who = crowd.Add(new Spawn());
            long before = 0;
            for (int frame = 0; frame < 1010; frame++)
            {
                if (frame == 10) // what is made once is made by now
                {
                    before = GC.GetAllocatedBytesForCurrentThread();
                }
                crowd.SetInput(who, forward);
                crowd.Step();
                crowd.Advance(0.01f, 0, out float fraction);
                crowd.PoseBetween(who, fraction, NativeArray<JointTransform>.Over((IntPtr)to, pose.Length));
                crowd.PoseLocal(who, NativeArray<JointTransform>.Over((IntPtr)to, pose.Length));
                crowd.State(who);
                Player.Frame(1 / 60f);
            }
            long made = GC.GetAllocatedBytesForCurrentThread() - before;
            Expect(before > 0, "allocated bytes are counted");
            Expect(made == 0, "1000 frames make no garbage: " + made + " bytes");
        }
    }

    public static int Main(string[] arguments)
    {
        switch (arguments[0])
        {
            case "golden":
                Golden.Run(arguments[1]);
                break;
            case "layout":
                PrintLayout();
                break;
            default:
                byte[] model = File.ReadAllBytes(arguments[1]);
                using (Controller controller = Controller.FromBytes(model))
                {
                    CheckCrowd(controller);
                    CheckGround(controller);
                    CheckPace(controller, model);
                    CheckBudget(controller);
                    CheckOwners(arguments[1]);
                    CheckActor(model);
                    CheckSample(model);
                    CheckBones(model);
                    CheckTerrain(model);
                    CheckGarbage(controller);
                }
                Console.WriteLine(mistakes == 0 ? "all as promised" : mistakes + " mistakes");
                break;
        }
        return mistakes == 0 ? 0 : 1;
    }
}
