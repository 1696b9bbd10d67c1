#include "host.h"

#include <stddef.h>

typedef struct skeleton_method {
    const char *name;
    int64_t hash;
} skeleton_method;

/* Hashes of Godot 4.3 and 4.4; a Godot with other signatures gives no method for them. */
static const skeleton_method skeleton_methods[HOST_SKELETON_CALLS] = {
    [HOST_FIND_BONE] = {"find_bone", 1321353865},
    [HOST_GLOBAL_REST] = {"get_bone_global_rest", 1965739696},
    [HOST_GLOBAL_POSE] = {"get_bone_global_pose", 1965739696},
    [HOST_SET_GLOBAL_POSE] = {"set_bone_global_pose", 3616898986},
};

static const char class_name[] = "GallopCrowd", parent_name[] = "Node";

/* A function pointer that matches every other. */
typedef void (*any_function)(void);

static any_function look_up(GDExtensionInterfaceGetProcAddress find, const char *name) {
    return (any_function)find(name);
}

int host_find(host *self, GDExtensionInterfaceGetProcAddress find) {
    self->register_class =
        (GDExtensionInterfaceClassdbRegisterExtensionClass2)look_up(find, "classdb_register_extension_class2");
    self->register_method = (GDExtensionInterfaceClassdbRegisterExtensionClassMethod)look_up(
        find, "classdb_register_extension_class_method");
    self->unregister_class = (GDExtensionInterfaceClassdbUnregisterExtensionClass)look_up(
        find, "classdb_unregister_extension_class");
    self->construct = (GDExtensionInterfaceClassdbConstructObject)look_up(find, "classdb_construct_object");
    self->method_bind = (GDExtensionInterfaceClassdbGetMethodBind)look_up(find, "classdb_get_method_bind");
    self->set_instance = (GDExtensionInterfaceObjectSetInstance)look_up(find, "object_set_instance");
    self->ptrcall = (GDExtensionInterfaceObjectMethodBindPtrcall)look_up(find, "object_method_bind_ptrcall");
    self->new_name =
        (GDExtensionInterfaceStringNameNewWithLatin1Chars)look_up(find, "string_name_new_with_latin1_chars");
    self->new_string = (GDExtensionInterfaceStringNewWithUtf8Chars)look_up(find, "string_new_with_utf8_chars");
    self->string_to_utf8 = (GDExtensionInterfaceStringToUtf8Chars)look_up(find, "string_to_utf8_chars");
    self->from_type =
        (GDExtensionInterfaceGetVariantFromTypeConstructor)look_up(find, "get_variant_from_type_constructor");
    self->to_type =
        (GDExtensionInterfaceGetVariantToTypeConstructor)look_up(find, "get_variant_to_type_constructor");
    self->new_nil = (GDExtensionInterfaceVariantNewNil)look_up(find, "variant_new_nil");
    GDExtensionInterfaceVariantGetPtrDestructor destructor =
        (GDExtensionInterfaceVariantGetPtrDestructor)look_up(find, "variant_get_ptr_destructor");
    if (!self->register_class || !self->register_method || !self->unregister_class || !self->construct ||
        !self->method_bind || !self->set_instance || !self->ptrcall || !self->new_name || !self->new_string ||
        !self->string_to_utf8 || !self->from_type || !self->to_type || !self->new_nil || !destructor) {
        return 0;
    }
    self->destroy_name = destructor(GDEXTENSION_VARIANT_TYPE_STRING_NAME);
    self->destroy_string = destructor(GDEXTENSION_VARIANT_TYPE_STRING);
    return 1;
}

int host_find_skeleton(host *self) {
    host_value owner;
    int good = 1;
    self->new_name(&owner, "Skeleton3D", 1);
    for (int i = 0; i < HOST_SKELETON_CALLS; i++) {
        host_value name;
        self->new_name(&name, skeleton_methods[i].name, 1);
        self->skeleton[i] = self->method_bind(&owner, &name, skeleton_methods[i].hash);
        self->destroy_name(&name);
        good &= self->skeleton[i] != NULL;
    }
    self->destroy_name(&owner);
    return good;
}

static uint32_t argument_count(const host_method *method) {
    uint32_t count = 0;
    while (count < HOST_ARGUMENTS_MAX && method->arguments[count] != GDEXTENSION_VARIANT_TYPE_NIL) {
        count++;
    }
    return count;
}

static void call_by_pointers(void *userdata, GDExtensionClassInstancePtr instance,
                             const GDExtensionConstTypePtr *arguments, GDExtensionTypePtr result) {
    const host_bound *bound = userdata;
    bound->method->call((crowd *)instance, arguments, result);
}

/* From a script that does not know the types: variants to values, the same call, and its result to a variant. */
static void call_by_variants(void *userdata, GDExtensionClassInstancePtr instance,
                             const GDExtensionConstVariantPtr *arguments, GDExtensionInt count,
                             GDExtensionVariantPtr result, GDExtensionCallError *error) {
    const host_bound *bound = userdata;
    const host_method *method = bound->method;
    uint32_t expected = argument_count(method);
    host_value values[HOST_ARGUMENTS_MAX], returned = {.variant = {0}};
    const void *pointers[HOST_ARGUMENTS_MAX] = {0};
    if (count != expected) {
        error->error = count < expected ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS
                                        : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS;
        error->expected = (int32_t)expected;
        return;
    }
    for (uint32_t i = 0; i < expected; i++) {
        bound->host->to_type(method->arguments[i])(&values[i], (GDExtensionVariantPtr)arguments[i]);
        pointers[i] = &values[i];
    }
    method->call((crowd *)instance, pointers, &returned);
    for (uint32_t i = 0; i < expected; i++) {
        if (method->arguments[i] == GDEXTENSION_VARIANT_TYPE_STRING) {
            bound->host->destroy_string(&values[i]);
        }
    }
    if (method->result == GDEXTENSION_VARIANT_TYPE_NIL) {
        bound->host->new_nil(result);
        return;
    }
    bound->host->from_type(method->result)(result, &returned);
    if (method->result == GDEXTENSION_VARIANT_TYPE_STRING) {
        bound->host->destroy_string(&returned);
    }
}

static void register_method(host *self, const host_bound *bound, GDExtensionConstStringNamePtr owner) {
    host_value name, empty, text;
    GDExtensionPropertyInfo infos[HOST_ARGUMENTS_MAX + 1];
    GDExtensionClassMethodArgumentMetadata metadata[HOST_ARGUMENTS_MAX] = {0};
    self->new_name(&name, bound->method->name, 1);
    self->new_name(&empty, "", 1);
    self->new_string(&text, "");
    for (int i = 0; i <= HOST_ARGUMENTS_MAX; i++) {
        GDExtensionVariantType type =
            i < HOST_ARGUMENTS_MAX ? bound->method->arguments[i] : bound->method->result;
        infos[i] =
            (GDExtensionPropertyInfo){.type = type, .name = &empty, .class_name = &empty, .hint_string = &text};
    }
    GDExtensionClassMethodInfo info = {
        .name = &name,
        .method_userdata = (void *)bound,
        .call_func = call_by_variants,
        .ptrcall_func = call_by_pointers,
        .method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT,
        .has_return_value = bound->method->result != GDEXTENSION_VARIANT_TYPE_NIL,
        .return_value_info = &infos[HOST_ARGUMENTS_MAX],
        .argument_count = argument_count(bound->method),
        .arguments_info = infos,
        .arguments_metadata = metadata,
    };
    self->register_method(self->library, owner, &info);
    self->destroy_string(&text);
    self->destroy_name(&empty);
    self->destroy_name(&name);
}

void host_register(host *self, const host_method *methods, uint32_t count,
                   GDExtensionClassCreateInstance create, GDExtensionClassFreeInstance release) {
    host_value own, parent;
    self->new_name(&own, class_name, 1);
    self->new_name(&parent, parent_name, 1);
    GDExtensionClassCreationInfo2 info = {
        .is_exposed = 1, .create_instance_func = create, .free_instance_func = release, .class_userdata = self};
    self->register_class(self->library, &own, &parent, &info);
    for (uint32_t i = 0; i < count && i < HOST_METHODS_MAX; i++) {
        self->bound[i] = (host_bound){self, &methods[i]};
        register_method(self, &self->bound[i], &own);
    }
    self->destroy_name(&parent);
    self->destroy_name(&own);
}

void host_unregister(host *self) {
    host_value own;
    self->new_name(&own, class_name, 1);
    self->unregister_class(self->library, &own);
    self->destroy_name(&own);
}

GDExtensionObjectPtr host_construct(host *self, crowd *instance) {
    host_value own, parent;
    self->new_name(&own, class_name, 1);
    self->new_name(&parent, parent_name, 1);
    GDExtensionObjectPtr object = self->construct(&parent);
    self->set_instance(object, &own, (GDExtensionClassInstancePtr)instance);
    self->destroy_name(&parent);
    self->destroy_name(&own);
    return object;
}

void host_call_skeleton(host *self, host_skeleton_call which, GDExtensionObjectPtr skeleton,
                        const void *const *arguments, void *result) {
    self->ptrcall(self->skeleton[which], skeleton, (const GDExtensionConstTypePtr *)arguments, result);
}
