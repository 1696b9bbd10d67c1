#pragma once

#include "CoreMinimal.h"

struct FPaths
{
	static FString ProjectContentDir() { return FString("."); }
};
