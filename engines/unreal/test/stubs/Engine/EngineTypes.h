#pragma once

#include "CoreMinimal.h"

enum ECollisionChannel
{
	ECC_WorldStatic
};

struct FHitResult
{
	FVector ImpactPoint;
};
