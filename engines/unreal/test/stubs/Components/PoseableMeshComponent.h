#pragma once

#include "Components/ActorComponent.h"

namespace EBoneSpaces
{
	enum Type
	{
		WorldSpace
	};
}

/** Bones in the world; what a bone does is passed on to those below it. */
class UPoseableMeshComponent : public UActorComponent
{
public:
	std::vector<FName> Names;
	std::vector<int32> Parents;
	std::vector<FTransform> World;

	int32 GetBoneIndex(FName Name) const
	{
		for (std::size_t i = 0; i < Names.size(); i++)
		{
			if (Names[i] == Name)
			{
				return static_cast<int32>(i);
			}
		}
		return INDEX_NONE;
	}
	FTransform GetBoneTransformByName(FName Name, EBoneSpaces::Type) const
	{
		return World.at(static_cast<std::size_t>(GetBoneIndex(Name)));
	}
	void SetBoneTransformByName(FName Name, const FTransform& To, EBoneSpaces::Type)
	{
		Move(GetBoneIndex(Name), To);
	}

private:
	void Move(int32 Bone, const FTransform& To)
	{
		const FTransform From = World[static_cast<std::size_t>(Bone)];
		const FQuat By = (To.GetRotation() * From.GetRotation().Inverse()).GetNormalized();
		World[static_cast<std::size_t>(Bone)] = To;
		for (std::size_t i = static_cast<std::size_t>(Bone) + 1; i < Names.size(); i++)
		{
			if (Parents[i] == Bone)
			{
				const FVector Arm = By.RotateVector(World[i].GetLocation() - From.GetLocation());
				Move(static_cast<int32>(i), FTransform((By * World[i].GetRotation()).GetNormalized(), To.GetLocation() + Arm));
			}
		}
	}
};
