// What the package and its sample use of UnityEngine, written by us so that they compile and run without Unity: names and
// signatures as Unity's manual has them; of behaviour, objects with parents, and messages in Unity's order.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace AOT
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type type)
        {
        }
    }
}

namespace Unity.Collections
{
    public struct NativeArray<T> where T : struct
    {
        internal IntPtr memory;
        public int Length;

        public static NativeArray<T> Over(IntPtr memory, int length)
        {
            return new NativeArray<T> { memory = memory, Length = length };
        }
    }
}

namespace Unity.Collections.LowLevel.Unsafe
{
    public static class NativeArrayUnsafeUtility
    {
        public static unsafe void* GetUnsafePtr<T>(NativeArray<T> array) where T : struct
        {
            return (void*)array.memory;
        }
    }
}

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TooltipAttribute : Attribute
    {
        public TooltipAttribute(string text)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DefaultExecutionOrder : Attribute
    {
        public readonly int order;

        public DefaultExecutionOrder(int order)
        {
            this.order = order;
        }
    }

    public static class Mathf
    {
        public const float PI = (float)Math.PI, Deg2Rad = PI / 180, Rad2Deg = 180 / PI;

        /// The way from one angle to another, degrees, -180..180.
        public static float DeltaAngle(float current, float target)
        {
            return (float)Math.IEEERemainder((double)target - current, 360);
        }

        public static float Sin(float angle)
        {
            return (float)Math.Sin(angle);
        }

        public static float Cos(float angle)
        {
            return (float)Math.Cos(angle);
        }
    }

    public struct Vector2
    {
        public float x, y;

        public Vector2(float x, float y)
        {
            this.x = x;
            this.y = y;
        }
    }

    public struct Vector3
    {
        public float x, y, z;

        public Vector3(float x, float y, float z)
        {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        public static Vector3 zero => new Vector3();
        public static Vector3 one => new Vector3(1, 1, 1);
        public static Vector3 up => new Vector3(0, 1, 0);
        public static Vector3 operator +(Vector3 a, Vector3 b) => new Vector3(a.x + b.x, a.y + b.y, a.z + b.z);
        public static Vector3 operator -(Vector3 a, Vector3 b) => new Vector3(a.x - b.x, a.y - b.y, a.z - b.z);
        public static Vector3 operator *(Vector3 a, float s) => new Vector3(a.x * s, a.y * s, a.z * s);
        public static Vector3 operator *(float s, Vector3 a) => a * s;
    }

    public struct Quaternion
    {
        public float x, y, z, w;

        public Quaternion(float x, float y, float z, float w)
        {
            this.x = x;
            this.y = y;
            this.z = z;
            this.w = w;
        }

        public static Quaternion identity => new Quaternion(0, 0, 0, 1);

        public static Quaternion Inverse(Quaternion q)
        {
            return new Quaternion(-q.x, -q.y, -q.z, q.w);
        }

        /// Only about y, which is all that is used here.
        public static Quaternion Euler(float x, float y, float z)
        {
            double half = y * Mathf.Deg2Rad / 2;
            return new Quaternion(0, (float)Math.Sin(half), 0, (float)Math.Cos(half));
        }

        public static Quaternion operator *(Quaternion a, Quaternion b)
        {
            return new Quaternion(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                                  a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
        }

        public static Vector3 operator *(Quaternion q, Vector3 v)
        {
            Quaternion turned = q * new Quaternion(v.x, v.y, v.z, 0) * Inverse(q);
            return new Vector3(turned.x, turned.y, turned.z);
        }
    }

    public class Object
    {
        public string name = "";
    }

    public class Component : Object
    {
        public GameObject gameObject;
        public Transform transform => gameObject.transform;

        public T[] GetComponentsInChildren<T>()
        {
            var found = new List<T>();
            Collect(transform, found);
            return found.ToArray();
        }

        private static void Collect<T>(Transform at, List<T> found)
        {
            if (at is T wanted)
            {
                found.Add(wanted);
            }
            at.children.ForEach(child => Collect(child, found));
        }
    }

    public class MonoBehaviour : Component
    {
    }

    /// World places are kept; what a parent does is passed on to its children.
    public class Transform : Component
    {
        internal readonly List<Transform> children = new List<Transform>();
        private Vector3 place;
        private Quaternion turn = Quaternion.identity;

        public Vector3 localScale = Vector3.one;

        public new string name
        {
            get { return gameObject.name; }
            set { gameObject.name = value; }
        }

        public Vector3 position
        {
            get { return place; }
            set { SetPositionAndRotation(value, turn); }
        }

        public Quaternion rotation
        {
            get { return turn; }
            set { SetPositionAndRotation(place, value); }
        }

        public Vector3 eulerAngles => new Vector3(0, 2 * Mathf.Rad2Deg * (float)Math.Atan2(turn.y, turn.w), 0);

        public void SetPositionAndRotation(Vector3 position, Quaternion rotation)
        {
            Quaternion by = rotation * Quaternion.Inverse(turn);
            for (int i = 0; i < children.Count; i++)
            {
                Transform child = children[i];
                child.SetPositionAndRotation(position + by * (child.place - place), by * child.turn);
            }
            place = position;
            turn = rotation;
        }

        public void SetParent(Transform parent)
        {
            parent.children.Add(this);
        }

        public void LookAt(Vector3 point)
        {
        }
    }

    public enum PrimitiveType
    {
        Sphere
    }

    public enum KeyCode
    {
        LeftShift
    }

    public static class Input
    {
        public static Vector2 stick;

        public static float GetAxis(string name)
        {
            return name == "Horizontal" ? stick.x : stick.y;
        }

        public static bool GetKey(KeyCode key)
        {
            return false;
        }
    }

    public static class Time
    {
        public static float deltaTime, time;
    }

    public class TextAsset : Object
    {
        public byte[] bytes;
    }

    public class Camera : Component
    {
        public static readonly Camera main = new GameObject("Camera").AddComponent<Camera>();
    }

    public class Terrain : Component
    {
        public Func<Vector3, float> height;

        public float SampleHeight(Vector3 place)
        {
            return height(place);
        }
    }

    public class GameObject : Object
    {
        private readonly List<Component> components = new List<Component>();
        private bool active = true;

        public readonly Transform transform;

        public GameObject(string name = "")
        {
            this.name = name;
            transform = AddComponent<Transform>();
        }

        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            return new GameObject(type.ToString());
        }

        public T AddComponent<T>() where T : Component, new()
        {
            var component = new T { gameObject = this };
            components.Add(component);
            Player.Add(component);
            if (active)
            {
                Player.Tell(component, "OnEnable");
            }
            return component;
        }

        public bool Active => active;

        public void SetActive(bool on)
        {
            if (on != active)
            {
                active = on;
                components.ForEach(component => Player.Tell(component, on ? "OnEnable" : "OnDisable"));
            }
        }
    }

    /// Sends messages as Unity does: Start before the first Update, all Updates before all LateUpdates.
    public static class Player
    {
        private sealed class Actor
        {
            public Component component;
            public int order;
            public Action start, update, late;
        }

        private static readonly List<Actor> actors = new List<Actor>();

        internal static void Add(Component component)
        {
            var order = component.GetType().GetCustomAttribute<DefaultExecutionOrder>();
            actors.Add(new Actor
            {
                component = component,
                order = order == null ? 0 : order.order,
                start = Find(component, "Start"),
                update = Find(component, "Update"),
                late = Find(component, "LateUpdate")
            });
            actors.Sort((a, b) => a.order.CompareTo(b.order));
        }

        private static Action Find(Component component, string message)
        {
            const BindingFlags any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            MethodInfo method = component.GetType().GetMethod(message, any, null, Type.EmptyTypes, null);
            return method == null ? null : (Action)Delegate.CreateDelegate(typeof(Action), component, method);
        }

        public static void Tell(Component component, string message)
        {
            Find(component, message)?.Invoke();
        }

        public static void Frame(float seconds)
        {
            Time.deltaTime = seconds;
            Time.time += seconds;
            for (int i = 0; i < actors.Count; i++)
            {
                Action start = actors[i].start;
                actors[i].start = null;
                start?.Invoke();
            }
            for (int i = 0; i < actors.Count; i++)
            {
                if (actors[i].component.gameObject.Active)
                {
                    actors[i].update?.Invoke();
                }
            }
            for (int i = 0; i < actors.Count; i++)
            {
                if (actors[i].component.gameObject.Active)
                {
                    actors[i].late?.Invoke();
                }
            }
        }
    }
}
