// A level without Unreal: a crowd on an actor and two characters whose meshes have bones that lie otherwise than their
// joints. Every bone must be where its joint is, in Unreal's axes.
//
//     level CONTENT_MODEL, from the folder that the path starts in

#include "Components/PoseableMeshComponent.h"
#include "Engine/World.h"
#include "GallopAxes.h"
#include "GallopCharacterComponent.h"
#include "GallopCrowdComponent.h"

namespace
{
int Mistakes = 0;

void Expect(bool bGood, const char* What)
{
	if (!bGood)
	{
		std::printf("not so: %s\n", What);
		Mistakes++;
	}
}

/** An actor with a mesh of the model's joints in rest, each bone turned by Own against its joint. */
struct FBody
{
	AActor Actor;
	UPoseableMeshComponent Mesh;
	UGallopCharacterComponent Character;

	FBody(UWorld& World, AActor& CrowdActor, const gal_controller* Controller, const FVector& Place, const FQuat& Own)
	{
		Actor.World = &World;
		Actor.Components = {&Mesh, &Character};
		Mesh.Owner = Character.Owner = &Actor;
		Actor.SetActorLocationAndRotation(Place, FRotator(0, 0, 0));
		Character.CrowdActor = &CrowdActor;
		std::vector<FTransform> Rest;
		for (uint32_t j = 0; j < gal_controller_get_info(Controller).joints; j++)
		{
			const gal_transform Local = gal_controller_joint_rest(Controller, j);
			const int32 Parent = gal_controller_joint_parent(Controller, j);
			const FTransform Above = Parent < 0 ? FTransform(FQuat::Identity, Place) : Rest[static_cast<std::size_t>(Parent)];
			const FVector Arm = Above.GetRotation().RotateVector(GallopAxes::Place(Local.position, 1.f));
			const FQuat Turn = Above.GetRotation() * GallopAxes::Turn(Local.rotation);
			Rest.push_back(FTransform(Turn, Above.GetLocation() + Arm));
			Mesh.Names.push_back(FName(gal_controller_joint_name(Controller, j)));
			Mesh.Parents.push_back(Parent);
			Mesh.World.push_back(FTransform(Turn * Own, Rest.back().GetLocation()));
		}
	}

	const FTransform Bone(const char* Name) const { return Mesh.GetBoneTransformByName(FName(Name), EBoneSpaces::WorldSpace); }
};

void Compare(const FBody& Body, gal_crowd* Crowd, gal_character Who, float Fraction, const FQuat& Own)
{
	gal_transform Pose[64];
	uint32_t Joints = 0;
	gal_crowd_pose(Crowd, Who, &Joints);
	gal_crowd_pose_between(Crowd, Who, Fraction, Pose);
	double Far = 0, Turned = 0;
	for (uint32_t j = 0; j < Joints; j++)
	{
		const FQuat Wanted = GallopAxes::Turn(Pose[j].rotation) * Own, Got = Body.Mesh.World[j].GetRotation();
		Far = std::fmax(Far, (Body.Mesh.World[j].GetLocation() - GallopAxes::Place(Pose[j].position, 1.f)).Length());
		Turned = std::fmax(Turned, 1 - std::fabs(Wanted.X * Got.X + Wanted.Y * Got.Y + Wanted.Z * Got.Z + Wanted.W * Got.W));
	}
	std::printf("farthest bone %.3f cm\n", Far);
	Expect(Far < 0.1, "bones are where joints are: turns alone lead there");
	Expect(Turned < 1e-6, "bones are turned as joints are");
}

void Run(const char* Model, const FQuat& Own)
{
	UWorld World;
	World.Slope = 0.1;
	AActor CrowdActor;
	UGallopCrowdComponent CrowdComponent;
	CrowdActor.World = &World;
	CrowdActor.Components = {&CrowdComponent};
	CrowdComponent.Owner = &CrowdActor;
	CrowdComponent.Model = Model;
	gal_crowd* Crowd = CrowdComponent.GetCrowd();
	Expect(Crowd != nullptr && CrowdComponent.GetScale() == 1.f, "the model opens");
	FBody First(World, CrowdActor, CrowdComponent.GetController(), FVector(100, 50, 0), Own);
	FBody Second(World, CrowdActor, CrowdComponent.GetController(), FVector(0, -200, 0), Own);
	First.Character.BeginPlay();
	Second.Character.BeginPlay();
	First.Character.Stick = FVector2D(0, 1);
	for (int Frame = 0; Frame < 120; Frame++)
	{
		CrowdComponent.TickComponent(1.f / 45, LEVELTICK_All, nullptr);
	}
	Compare(First, Crowd, gal_crowd_at(Crowd, 0), CrowdComponent.GetFraction(), Own);
	Compare(Second, Crowd, gal_crowd_at(Crowd, 1), CrowdComponent.GetFraction(), Own);
	const FVector Place = First.Actor.GetActorLocation();
	Expect(Place.X > 150 && std::fabs(Place.Y - 50) < 40, "it went along Unreal's x");
	Expect(std::fabs(Place.Z - 0.1 * Place.X) < 5, "it went up the slope");
	Expect(First.Bone("LeftHip").GetLocation().Y < First.Bone("RightHip").GetLocation().Y, "its left is where y is less");
	Expect(First.Bone("Head").GetLocation().Z > Place.Z + 120, "its head is up");
	double Least = 1e9, Most = 0, Last = Place.X;
	for (int Frame = 0; Frame < 60; Frame++)
	{
		CrowdComponent.TickComponent(1.f / 144, LEVELTICK_All, nullptr);
		Least = std::fmin(Least, First.Actor.GetActorLocation().X - Last);
		Most = std::fmax(Most, First.Actor.GetActorLocation().X - Last);
		Last = First.Actor.GetActorLocation().X;
	}
	Expect(Least > 0.6 * Most, "at a display's own rate the actor goes evenly, as its bones do");
	gal_crowd_teleport(Crowd, gal_crowd_at(Crowd, 0), -500, 500, 0);
	CrowdComponent.TickComponent(1.f / 144, LEVELTICK_All, nullptr);
	Expect(std::fabs(First.Actor.GetActorLocation().Y - 500) < 10, "who is teleported is there at once");
	First.Character.EndPlay(EEndPlayReason::Destroyed);
	Expect(gal_crowd_count(Crowd) == 1, "who ends play leaves");
	Second.Character.EndPlay(EEndPlayReason::Destroyed);
	CrowdComponent.EndPlay(EEndPlayReason::Destroyed);
}
}

int main(int Count, char** Arguments)
{
	(void)Count;
	Run(Arguments[1], FQuat::Identity);
	Run(Arguments[1], FQuat(0.5, 0.5, 0.5, 0.5));
	UGallopCrowdComponent Missing;
	Missing.Model = "no/such.gallop";
	Expect(Missing.GetCrowd() == nullptr && StubLogged().find("no/such.gallop") != std::string::npos, "a missing model is named");
	std::printf("%s\n", Mistakes ? "mistakes" : "all as promised");
	return Mistakes != 0;
}
