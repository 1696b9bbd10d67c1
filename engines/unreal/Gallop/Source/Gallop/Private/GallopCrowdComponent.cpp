#include "GallopCrowdComponent.h"

#include "Engine/World.h"
#include "GallopAxes.h"
#include "GallopCharacterComponent.h"
#include "Misc/FileHelper.h"
#include "Misc/Paths.h"

DEFINE_LOG_CATEGORY_STATIC(LogGallop, Log, All);

UGallopCrowdComponent::UGallopCrowdComponent()
{
	PrimaryComponentTick.bCanEverTick = true;
	PrimaryComponentTick.TickGroup = TG_PrePhysics;
}

float UGallopCrowdComponent::GroundAt(void* Context, float X, float Z)
{
	const UGallopCrowdComponent* Self = static_cast<const UGallopCrowdComponent*>(Context);
	const FVector Place = GallopAxes::Place(gal_vec3{X, 0.f, Z}, Self->Scale);
	const FVector Up(0, 0, Self->TraceFrom);
	FHitResult Hit;
	if (Self->GetWorld()->LineTraceSingleByChannel(Hit, Place + Up, Place - Up, Self->GroundChannel))
	{
		return static_cast<float>(Hit.ImpactPoint.Z) / Self->Scale;
	}
	return 0.f;
}

bool UGallopCrowdComponent::Open()
{
	const FString Path = FPaths::ProjectContentDir() / Model;
	TArray<uint8> Bytes;
	gal_error Error = {};
	if (!FFileHelper::LoadFileToArray(Bytes, *Path))
	{
		UE_LOG(LogGallop, Error, TEXT("%s cannot be read"), *Path);
		return false;
	}
	if (gal_controller_open_memory(&Controller, Bytes.GetData(), static_cast<size_t>(Bytes.Num()), nullptr, &Error) == GAL_OK)
	{
		gal_crowd_desc Desc = {};
		Desc.struct_size = sizeof(Desc);
		Desc.controller = Controller;
		Desc.capacity = static_cast<uint32_t>(Capacity);
		Desc.ground = bTraceGround ? GroundAt : nullptr;
		Desc.ground_context = this;
		Scale = 100.f * gal_controller_get_info(Controller).unit_metres;
		gal_crowd_create(&Crowd, &Desc, &Error);
	}
	if (!Crowd)
	{
		UE_LOG(LogGallop, Error, TEXT("%s: %s"), *Path, UTF8_TO_TCHAR(Error.message));
	}
	return Crowd != nullptr;
}

gal_crowd* UGallopCrowdComponent::GetCrowd()
{
	if (!bTried)
	{
		bTried = true;
		Open();
	}
	return Crowd;
}

gal_character UGallopCrowdComponent::Join(UGallopCharacterComponent* Character, const gal_spawn& Spawn)
{
	gal_character Handle = 0;
	if (GetCrowd() && gal_crowd_add(Crowd, &Spawn, &Handle) == GAL_OK)
	{
		Characters.Add(Character);
	}
	return Handle;
}

void UGallopCrowdComponent::Leave(UGallopCharacterComponent* Character, gal_character Handle)
{
	if (Crowd)
	{
		gal_crowd_remove(Crowd, Handle);
	}
	Characters.Remove(Character);
}

void UGallopCrowdComponent::TickComponent(float DeltaTime, ELevelTick TickType, FActorComponentTickFunction* ThisTickFunction)
{
	Super::TickComponent(DeltaTime, TickType, ThisTickFunction);
	if (!GetCrowd())
	{
		return;
	}
	for (UGallopCharacterComponent* Character : Characters)
	{
		Character->Steer(Crowd);
	}
	const uint32 Steps = gal_crowd_advance(Crowd, DeltaTime, 0, &Fraction);
	for (UGallopCharacterComponent* Character : Characters)
	{
		Character->Show(Crowd, Steps, Fraction);
	}
}

void UGallopCrowdComponent::EndPlay(const EEndPlayReason::Type EndPlayReason)
{
	gal_crowd_destroy(Crowd);
	gal_controller_close(Controller);
	Crowd = nullptr;
	Controller = nullptr;
	Characters.Empty();
	Super::EndPlay(EndPlayReason);
}
