#pragma once

#include "CoreMinimal.h"

#include <gallop/crowd.h>

/**
 * Between Gallop's space (right-handed, y up, z forward, x to the left) and Unreal's (left-handed, z up, x forward, y to
 * the right), whose unit is the centimetre.
 */
namespace GallopAxes
{
	inline FVector Place(const gal_vec3& Place, float Scale)
	{
		return FVector(Place.z * Scale, -Place.x * Scale, Place.y * Scale);
	}

	inline FQuat Turn(const gal_quat& Turn)
	{
		return FQuat(-Turn.z, Turn.x, -Turn.y, Turn.w);
	}

	/** Radians about up, of a yaw in degrees. */
	inline float Yaw(float Degrees)
	{
		return -FMath::DegreesToRadians(Degrees);
	}

	inline float Degrees(float Yaw)
	{
		return -FMath::RadiansToDegrees(Yaw);
	}
}
