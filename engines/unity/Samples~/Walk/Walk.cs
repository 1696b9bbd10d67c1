// Put this on an empty object, give it walker.gallop.bytes, press Play: sixteen characters of spheres, the first of
// which walks with the arrow keys and runs with the left shift.
using Gallop;
using UnityEngine;

public sealed class Walk : MonoBehaviour
{
    public TextAsset model;

    private const int Others = 15;
    private GallopCharacter player;
    private readonly GallopCharacter[] others = new GallopCharacter[Others];

    private void Start()
    {
        var crowd = gameObject.AddComponent<GallopCrowd>();
        crowd.model = model;
        player = Make(crowd, Vector3.zero);
        player.view = Camera.main.transform;
        for (int i = 0; i < Others; i++)
        {
            float angle = 2 * Mathf.PI * i / Others;
            others[i] = Make(crowd, new Vector3(6 * Mathf.Sin(angle), 0, 6 * Mathf.Cos(angle)));
        }
    }

    private static GallopCharacter Make(GallopCrowd crowd, Vector3 place)
    {
        var body = new GameObject("Walker");
        body.SetActive(false); // it joins the crowd when it has its bones
        body.transform.position = place;
        var character = body.AddComponent<GallopCharacter>();
        character.crowd = crowd;
        character.placesBones = true;
        character.bones = new Transform[crowd.Controller.Joints.Length];
        for (int j = 0; j < character.bones.Length; j++)
        {
            Transform ball = GameObject.CreatePrimitive(PrimitiveType.Sphere).transform;
            ball.SetParent(body.transform);
            ball.localScale = 0.12f * Vector3.one;
            character.bones[j] = ball;
        }
        body.SetActive(true);
        return character;
    }

    private void Update()
    {
        player.stick = new Vector2(Input.GetAxis("Horizontal"), Input.GetAxis("Vertical"));
        player.run = Input.GetKey(KeyCode.LeftShift) ? 1 : 0;
        for (int i = 0; i < Others; i++) // each on a circle of its own
        {
            float angle = 0.4f * Time.time + i;
            others[i].stick = new Vector2(Mathf.Sin(angle), Mathf.Cos(angle));
            others[i].run = (float)i / Others;
        }
        Vector3 at = player.transform.position;
        Camera.main.transform.position = at + new Vector3(0, 2.5f, -4.5f);
        Camera.main.transform.LookAt(at + Vector3.up);
    }
}
