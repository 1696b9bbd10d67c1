#pragma once

#include "CoreMinimal.h"

struct FFileHelper
{
	static bool LoadFileToArray(TArray<uint8>& Bytes, const TCHAR* Path)
	{
		std::FILE* File = std::fopen(Path, "rb");
		for (int Byte = File ? std::fgetc(File) : EOF; Byte != EOF; Byte = std::fgetc(File))
		{
			Bytes.Add(static_cast<uint8>(Byte));
		}
		return File && std::fclose(File) == 0;
	}
};
