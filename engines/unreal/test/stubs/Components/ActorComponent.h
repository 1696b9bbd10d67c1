#pragma once

#include "GameFramework/Actor.h"

enum ELevelTick
{
	LEVELTICK_All
};

enum ETickingGroup
{
	TG_PrePhysics
};

namespace EEndPlayReason
{
	enum Type
	{
		Destroyed
	};
}

struct FActorComponentTickFunction
{
	bool bCanEverTick = false;
	ETickingGroup TickGroup = TG_PrePhysics;
};

class UActorComponent
{
public:
	using Super = UActorComponent;
	FActorComponentTickFunction PrimaryComponentTick;
	AActor* Owner = nullptr;

	virtual ~UActorComponent() = default;
	virtual void BeginPlay() {}
	virtual void EndPlay(const EEndPlayReason::Type) {}
	virtual void TickComponent(float, ELevelTick, FActorComponentTickFunction*) {}
	AActor* GetOwner() const { return Owner; }
	UWorld* GetWorld() const { return Owner->World; }
};
