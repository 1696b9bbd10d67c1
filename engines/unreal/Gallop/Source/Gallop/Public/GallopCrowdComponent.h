#pragma once

#include "Components/ActorComponent.h"
#include "CoreMinimal.h"
#include "Engine/EngineTypes.h"

#include <gallop/crowd.h>

#include "GallopCrowdComponent.generated.h"

class UGallopCharacterComponent;

/**
 * A crowd in a level: opens a model file, steps all characters that joined it once a frame, and shows their poses.
 * Put one on an actor; characters (UGallopCharacterComponent) name that actor.
 */
UCLASS(ClassGroup = (Gallop), meta = (BlueprintSpawnableComponent))
class GALLOP_API UGallopCrowdComponent : public UActorComponent
{
	GENERATED_BODY()

public:
	UGallopCrowdComponent();

	/** Under the project's Content, for example Gallop/walker.gallop; staged as a non-asset file. */
	UPROPERTY(EditAnywhere, Category = Gallop)
	FString Model = TEXT("Gallop/walker.gallop");

	/** Most characters at once. */
	UPROPERTY(EditAnywhere, Category = Gallop, meta = (ClampMin = 1, ClampMax = 65535))
	int32 Capacity = 64;

	/** Ground by traces against this channel, many a character and frame; else height 0. */
	UPROPERTY(EditAnywhere, Category = Gallop)
	bool bTraceGround = true;

	UPROPERTY(EditAnywhere, Category = Gallop)
	TEnumAsByte<ECollisionChannel> GroundChannel = ECC_WorldStatic;

	/** The same for a height to look from and how far down, in centimetres. */
	UPROPERTY(EditAnywhere, Category = Gallop)
	float TraceFrom = 100000.f;

	virtual void TickComponent(float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* ThisTickFunction) override;
	virtual void EndPlay(const EEndPlayReason::Type EndPlayReason) override;

	/** Opened when it is first asked for, as actors begin play in any order; null, with a line in the log, if it cannot be. */
	gal_crowd* GetCrowd();
	const gal_controller* GetController() const { return Controller; }

	/** Centimetres in a unit of the model. */
	float GetScale() const { return Scale; }

	/** Where this frame stands between the last two steps, for gal_crowd_pose_between. */
	float GetFraction() const { return Fraction; }

	/** Adds a character where the spawn says; 0 if there is no room or no model. */
	gal_character Join(UGallopCharacterComponent* Character, const gal_spawn& Spawn);
	void Leave(UGallopCharacterComponent* Character, gal_character Handle);

private:
	static float GroundAt(void* Context, float X, float Z);
	bool Open();

	UPROPERTY(Transient)
	TArray<TObjectPtr<UGallopCharacterComponent>> Characters;

	gal_controller* Controller = nullptr;
	gal_crowd* Crowd = nullptr;
	float Scale = 1.f;
	float Fraction = 0.f;
	bool bTried = false;
};
