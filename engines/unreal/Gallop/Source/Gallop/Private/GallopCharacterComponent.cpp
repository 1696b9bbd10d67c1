#include "GallopCharacterComponent.h"

#include "Components/PoseableMeshComponent.h"
#include "GallopAxes.h"
#include "GallopCrowdComponent.h"
#include "GameFramework/Actor.h"

void UGallopCharacterComponent::BeginPlay()
{
	Super::BeginPlay();
	AActor* Actor = GetOwner();
	Mesh = Actor->FindComponentByClass<UPoseableMeshComponent>();
	CrowdComponent = CrowdActor ? CrowdActor->FindComponentByClass<UGallopCrowdComponent>() : nullptr;
	if (!CrowdComponent || !CrowdComponent->GetCrowd())
	{
		return;
	}
	Bind(CrowdComponent->GetController());
	const FVector Place = Actor->GetActorLocation();
	gal_spawn Spawn = {};
	Spawn.x = -static_cast<float>(Place.Y) / CrowdComponent->GetScale();
	Spawn.z = static_cast<float>(Place.X) / CrowdComponent->GetScale();
	Spawn.facing = GallopAxes::Yaw(static_cast<float>(Actor->GetActorRotation().Yaw));
	Handle = CrowdComponent->Join(this, Spawn);
}

void UGallopCharacterComponent::EndPlay(const EEndPlayReason::Type EndPlayReason)
{
	if (Handle)
	{
		CrowdComponent->Leave(this, Handle);
		Handle = 0;
	}
	Super::EndPlay(EndPlayReason);
}

/** Which bone each joint has, and how the bones of the reference pose lie to the joints at rest. */
void UGallopCharacterComponent::Bind(const gal_controller* Controller)
{
	const int32 Joints = static_cast<int32>(gal_controller_get_info(Controller).joints);
	const FQuat Upright = GetOwner()->GetActorQuat().Inverse();
	TArray<FQuat> Rest;
	Pose.SetNumZeroed(Joints);
	for (int32 j = 0; j < Joints; j++)
	{
		const uint32_t Joint = static_cast<uint32_t>(j);
		const gal_transform Own = gal_controller_joint_rest(Controller, Joint);
		const int32 Parent = gal_controller_joint_parent(Controller, Joint);
		const FName Name(UTF8_TO_TCHAR(gal_controller_joint_name(Controller, Joint)));
		const FName* Given = Bones.Find(Name);
		const FName Bone = Given ? *Given : Name;
		const bool bThere = Mesh && Mesh->GetBoneIndex(Bone) != INDEX_NONE;
		Rest.Add(Parent < 0 ? GallopAxes::Turn(Own.rotation) : Rest[Parent] * GallopAxes::Turn(Own.rotation));
		BoneOfJoint.Add(bThere ? Bone : FName());
		Offsets.Add(FQuat::Identity);
		if (bThere)
		{
			const FTransform Bound = Mesh->GetBoneTransformByName(Bone, EBoneSpaces::WorldSpace);
			Offsets[j] = Rest[j].Inverse() * (Upright * Bound.GetRotation());
			if (j == 0 && Own.position.y > 0.f)
			{
				const double Hips = Bound.GetLocation().Z - GetOwner()->GetActorLocation().Z;
				Tall = static_cast<float>(Hips) / (Own.position.y * CrowdComponent->GetScale());
			}
		}
	}
}

void UGallopCharacterComponent::Steer(gal_crowd* Crowd)
{
	gal_input Input = {};
	Input.move_x = static_cast<float>(Stick.X);
	Input.move_y = static_cast<float>(Stick.Y);
	Input.run = Run;
	Input.strafe = Strafe;
	Input.crouch = Crouch;
	Input.camera_yaw = GallopAxes::Yaw(CameraYaw);
	Input.jump = bJump;
	gal_crowd_set_input(Crowd, Handle, &Input);
}

/** Where the character stands between two states; the facing goes the short way round. */
static gal_character_state Between(const gal_character_state& From, const gal_character_state& To, float Share)
{
	gal_character_state At = To;
	At.root.x = From.root.x + (To.root.x - From.root.x) * Share;
	At.root.y = From.root.y + (To.root.y - From.root.y) * Share;
	At.root.z = From.root.z + (To.root.z - From.root.z) * Share;
	At.facing = From.facing + FMath::UnwindRadians(To.facing - From.facing) * Share;
	return At;
}

/**
 * Of several steps since the last frame the one before the last lies that far on the way. Whoever was added or teleported
 * has come further than he goes, and no way lies behind him.
 */
void UGallopCharacterComponent::Follow(const gal_character_state& Now, uint32 Steps)
{
	const float Rate = gal_controller_get_info(CrowdComponent->GetController()).rate;
	const float X = Now.root.x - Last.root.x, Z = Now.root.z - Last.root.z, Most = 2 * Steps * Now.speed / Rate + 1;
	if (X * X + Z * Z > Most * Most)
	{
		Before = Last = Now;
	}
	else if (Steps > 0)
	{
		Before = Between(Last, Now, (Steps - 1.f) / Steps);
		Last = Now;
	}
}

/** Parents stand before their children, so that a bone's place is right when its turn is set. */
void UGallopCharacterComponent::Show(gal_crowd* Crowd, uint32 Steps, float Fraction)
{
	const float Scale = CrowdComponent->GetScale();
	gal_character_state State = {};
	gal_crowd_state(Crowd, Handle, &State);
	Follow(State, Steps);
	State = Between(Before, Last, Fraction);
	gal_crowd_pose_between(Crowd, Handle, Fraction, Pose.GetData());
	const FVector Root = GallopAxes::Place(State.root, Scale);
	GetOwner()->SetActorLocationAndRotation(Root, FRotator(0, GallopAxes::Degrees(State.facing), 0));
	for (int32 j = 0; j < Pose.Num(); j++)
	{
		if (BoneOfJoint[j] == FName())
		{
			continue;
		}
		FTransform Bone = Mesh->GetBoneTransformByName(BoneOfJoint[j], EBoneSpaces::WorldSpace);
		Bone.SetRotation(GallopAxes::Turn(Pose[j].rotation) * Offsets[j]);
		if (j == 0)
		{
			Bone.SetLocation(Root + (GallopAxes::Place(Pose[j].position, Scale) - Root) * Tall);
		}
		Mesh->SetBoneTransformByName(BoneOfJoint[j], Bone, EBoneSpaces::WorldSpace);
	}
}
