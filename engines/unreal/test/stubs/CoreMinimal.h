// A stand-in for the few names of Unreal's public API that the plug-in uses, written from what its documentation says of
// them, so that the sources compile and run without Unreal. Nothing of Unreal is in it.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

using uint8 = std::uint8_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;
using TCHAR = char;

#define TEXT(Text) Text
#define UTF8_TO_TCHAR(Text) (Text)
#define GALLOP_API
#define UCLASS(...)
#define UPROPERTY(...)
#define GENERATED_BODY()
#define INDEX_NONE (-1)
#define DEFINE_LOG_CATEGORY_STATIC(Category, Default, Most) struct Category
#define UE_LOG(Category, Level, ...) StubLog(__VA_ARGS__)

inline std::string& StubLogged()
{
	static std::string Logged;
	return Logged;
}

template <typename... Arguments> void StubLog(const TCHAR* Format, Arguments... Values)
{
	char Text[1024];
	std::snprintf(Text, sizeof Text, Format, Values...);
	StubLogged() = Text;
}

struct FMath
{
	/** An angle, radians, to -pi..pi. */
	static float UnwindRadians(float A) { return std::remainder(A, 6.2831853f); }
	static float DegreesToRadians(float Degrees) { return Degrees * 0.017453292519943295f; }
	static float RadiansToDegrees(float Radians) { return Radians * 57.29577951308232f; }
};

struct FVector
{
	double X = 0, Y = 0, Z = 0;

	FVector() = default;
	FVector(double InX, double InY, double InZ) : X(InX), Y(InY), Z(InZ) {}
	FVector operator+(const FVector& B) const { return FVector(X + B.X, Y + B.Y, Z + B.Z); }
	FVector operator-(const FVector& B) const { return FVector(X - B.X, Y - B.Y, Z - B.Z); }
	FVector operator*(double Scale) const { return FVector(X * Scale, Y * Scale, Z * Scale); }
	double Length() const { return std::sqrt(X * X + Y * Y + Z * Z); }
};

struct FVector2D
{
	double X = 0, Y = 0;

	FVector2D(double InX, double InY) : X(InX), Y(InY) {}
};

struct FRotator
{
	double Pitch, Yaw, Roll;

	FRotator(double InPitch, double InYaw, double InRoll) : Pitch(InPitch), Yaw(InYaw), Roll(InRoll) {}
};

/** A * B turns by B first. */
struct FQuat
{
	double X = 0, Y = 0, Z = 0, W = 1;
	static const FQuat Identity;

	FQuat() = default;
	FQuat(double InX, double InY, double InZ, double InW) : X(InX), Y(InY), Z(InZ), W(InW) {}
	FQuat Inverse() const { return FQuat(-X, -Y, -Z, W); }
	FQuat GetNormalized() const
	{
		const double Length = std::sqrt(X * X + Y * Y + Z * Z + W * W);
		return FQuat(X / Length, Y / Length, Z / Length, W / Length);
	}
	FQuat operator*(const FQuat& B) const
	{
		return FQuat(W * B.X + X * B.W + Y * B.Z - Z * B.Y, W * B.Y - X * B.Z + Y * B.W + Z * B.X,
			W * B.Z + X * B.Y - Y * B.X + Z * B.W, W * B.W - X * B.X - Y * B.Y - Z * B.Z);
	}
	FVector RotateVector(const FVector& V) const
	{
		const FQuat Turned = *this * FQuat(V.X, V.Y, V.Z, 0) * Inverse();
		return FVector(Turned.X, Turned.Y, Turned.Z);
	}
};
inline const FQuat FQuat::Identity;

class FTransform
{
public:
	FTransform() = default;
	FTransform(const FQuat& InRotation, const FVector& InLocation) : Rotation(InRotation), Location(InLocation) {}
	FQuat GetRotation() const { return Rotation; }
	FVector GetLocation() const { return Location; }
	void SetRotation(const FQuat& To) { Rotation = To; }
	void SetLocation(const FVector& To) { Location = To; }

private:
	FQuat Rotation;
	FVector Location;
};

class FString
{
public:
	FString(const TCHAR* InText = "") : Text(InText) {}
	const TCHAR* operator*() const { return Text.c_str(); }
	friend FString operator/(const FString& A, const FString& B) { return FString((A.Text + "/" + B.Text).c_str()); }

private:
	std::string Text;
};

class FName
{
public:
	FName(const TCHAR* InText = "") : Text(InText) {}
	bool operator==(const FName& Other) const { return Text == Other.Text; }
	bool operator<(const FName& Other) const { return Text < Other.Text; }

private:
	std::string Text;
};

template <typename T> using TObjectPtr = T*;
template <typename T> using TEnumAsByte = T;

template <typename T> class TArray
{
public:
	int32 Num() const { return static_cast<int32>(Items.size()); }
	T* GetData() { return Items.data(); }
	T& operator[](int32 i) { return Items.at(static_cast<std::size_t>(i)); }
	void Add(const T& Item) { Items.push_back(Item); }
	void SetNumZeroed(int32 Count) { Items.assign(static_cast<std::size_t>(Count), T{}); }
	void Empty() { Items.clear(); }
	void Remove(const T& Item)
	{
		for (std::size_t i = Items.size(); i-- > 0;)
		{
			if (Items[i] == Item)
			{
				Items.erase(Items.begin() + static_cast<std::ptrdiff_t>(i));
			}
		}
	}
	auto begin() { return Items.begin(); }
	auto end() { return Items.end(); }

private:
	std::vector<T> Items;
};

template <typename K, typename V> class TMap
{
public:
	void Add(const K& Key, const V& Value) { Items[Key] = Value; }
	const V* Find(const K& Key) const
	{
		const auto Found = Items.find(Key);
		return Found == Items.end() ? nullptr : &Found->second;
	}

private:
	std::map<K, V> Items;
};
