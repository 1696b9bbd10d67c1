/*
 * What the extension takes of Godot's interface, looked up once, and the table of a class's methods from which Godot is
 * told of them. There is no global state: the host is passed about as user data.
 */
#ifndef GALLOP_GODOT_HOST_H
#define GALLOP_GODOT_HOST_H

#include <gdextension_interface.h>

#include "axes.h"

enum { HOST_ARGUMENTS_MAX = 6, HOST_METHODS_MAX = 16 };

/* A value of Godot's that is handled by its address: at most as large as a Transform3D or a Variant. */
typedef union host_value {
    int64_t integer;
    double number;
    uint8_t truth;
    struct {
        float x, y;
    } vector2;
    gal_vec3 vector3;
    godot_transform transform;
    void *pointer; /* String, StringName, Object */
    uint64_t variant[5];
} host_value;

typedef struct host host;
typedef struct crowd crowd;

/* One method: arguments and result as Godot's pointer calls have them. Unused argument types are NIL. */
typedef struct host_method {
    const char *name;
    GDExtensionVariantType result; /* NIL: none */
    GDExtensionVariantType arguments[HOST_ARGUMENTS_MAX];
    void (*call)(crowd *self, const void *const *arguments, void *result);
} host_method;

/* A method as Godot gives it back with a call. */
typedef struct host_bound {
    host *host;
    const host_method *method;
} host_bound;

/* A method of Skeleton3D that is called: its name and the hash that Godot's API description has for it. */
typedef enum host_skeleton_call {
    HOST_FIND_BONE,
    HOST_GLOBAL_REST,
    HOST_GLOBAL_POSE,
    HOST_SET_GLOBAL_POSE,
    HOST_SKELETON_CALLS
} host_skeleton_call;

struct host {
    GDExtensionClassLibraryPtr library;
    GDExtensionInterfaceClassdbRegisterExtensionClass2 register_class;
    GDExtensionInterfaceClassdbRegisterExtensionClassMethod register_method;
    GDExtensionInterfaceClassdbUnregisterExtensionClass unregister_class;
    GDExtensionInterfaceClassdbConstructObject construct;
    GDExtensionInterfaceClassdbGetMethodBind method_bind;
    GDExtensionInterfaceObjectSetInstance set_instance;
    GDExtensionInterfaceObjectMethodBindPtrcall ptrcall;
    GDExtensionInterfaceStringNameNewWithLatin1Chars new_name;
    GDExtensionInterfaceStringNewWithUtf8Chars new_string;
    GDExtensionInterfaceStringToUtf8Chars string_to_utf8;
    GDExtensionInterfaceGetVariantFromTypeConstructor from_type;
    GDExtensionInterfaceGetVariantToTypeConstructor to_type;
    GDExtensionInterfaceVariantNewNil new_nil;
    GDExtensionPtrDestructor destroy_name, destroy_string;
    GDExtensionMethodBindPtr skeleton[HOST_SKELETON_CALLS]; /* looked up when the first crowd is made */
    host_bound bound[HOST_METHODS_MAX];
};

/* 0 if this Godot lacks a function of the interface. */
int host_find(host *self, GDExtensionInterfaceGetProcAddress find);

/* 0 if this Godot's Skeleton3D has other methods. */
int host_find_skeleton(host *self);

void host_register(host *self, const host_method *methods, uint32_t count,
                   GDExtensionClassCreateInstance create, GDExtensionClassFreeInstance release);

/* A new object of the parent class that belongs to instance. */
GDExtensionObjectPtr host_construct(host *self, crowd *instance);

void host_unregister(host *self);

/* Calls a method of a Skeleton3D. */
void host_call_skeleton(host *self, host_skeleton_call which, GDExtensionObjectPtr skeleton,
                        const void *const *arguments, void *result);

#endif
