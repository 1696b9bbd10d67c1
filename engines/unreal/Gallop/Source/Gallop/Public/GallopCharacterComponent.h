#pragma once

#include "Components/ActorComponent.h"
#include "CoreMinimal.h"

#include <gallop/crowd.h>

#include "GallopCharacterComponent.generated.h"

class UGallopCrowdComponent;
class UPoseableMeshComponent;

/**
 * A character of a crowd: starts where its actor stands, walks as its stick says, moves the actor, and poses the actor's
 * UPoseableMeshComponent.
 *
 * A bone is turned by what its joint turned away from rest, so its axes may be any, but the mesh's reference pose must be
 * the controller's (for the walker: a T pose) and look along the actor's forward.
 */
UCLASS(ClassGroup = (Gallop), meta = (BlueprintSpawnableComponent))
class GALLOP_API UGallopCharacterComponent : public UActorComponent
{
	GENERATED_BODY()

public:
	UPROPERTY(EditAnywhere, Category = Gallop)
	TObjectPtr<AActor> CrowdActor;

	/** Bone names by joint names, where they differ: LeftHip = thigh_l. */
	UPROPERTY(EditAnywhere, Category = Gallop)
	TMap<FName, FName> Bones;

	/** Right and away from the camera, each -1..1. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = Gallop)
	FVector2D Stick = FVector2D(0, 0);

	/** 0 walk .. 1 full run. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = Gallop)
	float Run = 0.f;

	/** 0 face where it goes .. 1 face where the camera looks. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = Gallop)
	float Strafe = 0.f;

	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = Gallop)
	float Crouch = 0.f;

	/** Where the stick's forward is, in degrees. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = Gallop)
	float CameraYaw = 0.f;

	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = Gallop)
	bool bJump = false;

	virtual void BeginPlay() override;
	virtual void EndPlay(const EEndPlayReason::Type EndPlayReason) override;

	/** For the crowd: before its steps, and after them. */
	void Steer(gal_crowd* Crowd);
	void Show(gal_crowd* Crowd, uint32 Steps, float Fraction);

private:
	void Bind(const gal_controller* Controller);
	void Follow(const gal_character_state& Now, uint32 Steps);

	UPROPERTY(Transient)
	TObjectPtr<UGallopCrowdComponent> CrowdComponent;

	UPROPERTY(Transient)
	TObjectPtr<UPoseableMeshComponent> Mesh;

	gal_character Handle = 0;
	TArray<FName> BoneOfJoint; /* none: the skeleton has no such bone */
	TArray<FQuat> Offsets;     /* from a joint's rotation to its bone's */
	TArray<gal_transform> Pose;
	float Tall = 1.f; /* the body's height to the model's */
	gal_character_state Before = {}, Last = {}; /* after the last two steps */
};
