#pragma once

#include "Engine/EngineTypes.h"

/** Its ground is a plane through the origin that rises along x. */
class UWorld
{
public:
	double Slope = 0;

	bool LineTraceSingleByChannel(FHitResult& Hit, const FVector& Start, const FVector& End, ECollisionChannel) const
	{
		Hit.ImpactPoint = FVector(Start.X, Start.Y, Slope * Start.X);
		return Start.Z > Hit.ImpactPoint.Z && End.Z < Hit.ImpactPoint.Z;
	}
};
