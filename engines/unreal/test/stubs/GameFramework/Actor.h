#pragma once

#include "CoreMinimal.h"

class UActorComponent;
class UWorld;

class AActor
{
public:
	UWorld* World = nullptr;
	std::vector<UActorComponent*> Components;

	FVector GetActorLocation() const { return Location; }
	FRotator GetActorRotation() const { return FRotator(0, Yaw, 0); }
	FQuat GetActorQuat() const { return FQuat(0, 0, std::sin(Yaw * 0.008726646259971648), std::cos(Yaw * 0.008726646259971648)); }
	void SetActorLocationAndRotation(const FVector& To, const FRotator& Turn)
	{
		Location = To;
		Yaw = Turn.Yaw;
	}
	template <typename T> T* FindComponentByClass() const
	{
		for (UActorComponent* Component : Components)
		{
			if (T* Found = dynamic_cast<T*>(Component))
			{
				return Found;
			}
		}
		return nullptr;
	}

private:
	FVector Location;
	double Yaw = 0;
};
