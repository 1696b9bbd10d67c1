using System.IO;
using UnrealBuildTool;

// The runtime is a static library that CMake made (README.md says how) in ThirdParty/lib, its headers in
// ThirdParty/include: its files have flags of their own for each instruction set, which a module cannot give.
public class Gallop : ModuleRules
{
    public Gallop(ReadOnlyTargetRules Target) : base(Target)
    {
        PCHUsage = PCHUsageMode.UseExplicitOrSharedPCHs;
        PublicDependencyModuleNames.AddRange(new[] { "Core", "CoreUObject", "Engine" });

        string Runtime = Path.Combine(PluginDirectory, "ThirdParty");
        bool Windows = Target.Platform == UnrealTargetPlatform.Win64;
        PublicSystemIncludePaths.Add(Path.Combine(Runtime, "include"));
        PublicAdditionalLibraries.Add(Path.Combine(Runtime, "lib", Target.Platform.ToString(),
            Windows ? "gallop.lib" : "libgallop.a"));
    }
}
