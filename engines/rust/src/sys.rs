//! The C interface as it is: the structs of `include/gallop` by their own names, field by field, and the functions
//! that the safe part of this crate calls. `test/platforms/rust.sh` compares every size and offset with C.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void};

macro_rules! c_structs {
    ($($(#[$meta:meta])* $name:ident { $($field:ident: $kind:ty,)* })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            $(#[$meta])*
            pub struct $name { $(pub $field: $kind,)* }
        )*

        /// `STRUCT SIZE` and `STRUCT.FIELD OFFSET SIZE`, a line each.
        pub fn layout() -> Vec<String> {
            fn size_of_field<S, F>(_: fn(&S) -> &F) -> usize {
                std::mem::size_of::<F>()
            }
            vec![$(
                format!("{} {}", stringify!($name), std::mem::size_of::<$name>()),
                $(format!("{}.{} {} {}", stringify!($name), stringify!($field), std::mem::offset_of!($name, $field),
                          size_of_field(|s: &$name| &s.$field)),)*
            )*]
        }
    };
}

c_structs! {
    gal_error {
        status: c_int,
        message: [c_char; 256],
    }

    gal_parallel {
        parallel_for: Option<gal_parallel_for>,
        context: *mut c_void,
        threads: u32,
    }

    gal_network_desc {
        struct_size: u32,
        allocator: *const c_void,
        isa: c_int,
        form: c_int,
        plan: *const c_char,
        small_pages: u32,
        precision: c_int,
        block: u32,
    }

    gal_network_info {
        inputs: u32,
        outputs: u32,
        live_inputs: u32,
        layers: u32,
        gate: c_int,
        experts: u32,
        parameters: u64,
        memory: usize,
        isa: c_int,
        precision: c_int,
    }

    gal_network_batch {
        count: u32,
        x: *const f32,
        x_stride: usize,
        phase: *const f32,
        blend: *const f32,
        y: *mut f32,
        y_stride: usize,
        parallel: *const gal_parallel,
    }

    #[derive(Debug, Default, PartialEq)]
    gal_vec3 {
        x: f32,
        y: f32,
        z: f32,
    }

    #[derive(Debug, Default, PartialEq)]
    gal_quat {
        x: f32,
        y: f32,
        z: f32,
        w: f32,
    }

    #[derive(Debug, Default, PartialEq)]
    gal_transform {
        position: gal_vec3,
        rotation: gal_quat,
    }

    gal_controller_info {
        name: *const c_char,
        rate: f32,
        unit_metres: f32,
        joints: u32,
        contacts: u32,
        legs: u32,
        speed_walk: f32,
        speed_run: f32,
        can_crouch: c_int,
        can_jump: c_int,
    }

    gal_height_field {
        heights: *const f32,
        rows: u32,
        columns: u32,
        cell: f32,
        origin_x: f32,
        origin_z: f32,
    }

    gal_group_desc {
        controller: *const gal_controller,
        capacity: u32,
        stand_ins: [*const gal_controller; 3],
        frames_most: u32,
    }

    gal_crowd_desc {
        struct_size: u32,
        controller: *const gal_controller,
        capacity: u32,
        ground: Option<gal_ground_fn>,
        ground_context: *mut c_void,
        parallel: *const gal_parallel,
        allocator: *const c_void,
        groups: *const gal_group_desc,
        group_count: u32,
    }

    #[derive(Debug, Default, PartialEq)]
    gal_spawn {
        x: f32,
        z: f32,
        facing: f32,
        phase: f32,
        group: u32,
    }

    gal_input {
        move_x: f32,
        move_y: f32,
        run: f32,
        strafe: f32,
        crouch: f32,
        camera_yaw: f32,
        responsive: c_int,
        jump: c_int,
    }

    #[derive(Debug, Default, PartialEq, Eq)]
    gal_pace {
        frames: u32,
        level: u32,
    }

    gal_budget {
        microseconds: f32,
        clock: Option<gal_clock_fn>,
        clock_context: *mut c_void,
    }

    #[derive(Debug, Default, PartialEq)]
    gal_load {
        microseconds: f32,
        evaluated: u32,
        bridged: u32,
        waiting: u32,
        bar: f32,
    }

    #[derive(Debug, Default, PartialEq)]
    gal_character_state {
        root: gal_vec3,
        facing: f32,
        phase: f32,
        speed: f32,
        contacts: [f32; 16],
    }
}

#[repr(C)]
pub struct gal_network {
    _private: [u8; 0],
}

#[repr(C)]
pub struct gal_controller {
    _private: [u8; 0],
}

#[repr(C)]
pub struct gal_crowd {
    _private: [u8; 0],
}

pub type gal_ground_fn = unsafe extern "C" fn(context: *mut c_void, x: f32, z: f32) -> f32;
pub type gal_clock_fn = unsafe extern "C" fn(context: *mut c_void) -> f64;
pub type gal_task = unsafe extern "C" fn(argument: *mut c_void, index: u32);
pub type gal_parallel_for =
    unsafe extern "C" fn(context: *mut c_void, task: gal_task, argument: *mut c_void, count: u32);

extern "C" {
    pub fn gal_version() -> *const c_char;
    pub fn gal_status_text(status: c_int) -> *const c_char;
    pub fn gal_isa_name(isa: c_int) -> *const c_char;
    pub fn gal_precision_name(precision: c_int) -> *const c_char;
    pub fn gal_network_open(
        out: *mut *mut gal_network, path: *const c_char, desc: *const gal_network_desc, error: *mut gal_error,
    ) -> c_int;
    pub fn gal_network_open_memory(
        out: *mut *mut gal_network, data: *const c_void, size: usize, desc: *const gal_network_desc,
        error: *mut gal_error,
    ) -> c_int;
    pub fn gal_network_close(network: *mut gal_network);
    pub fn gal_network_get_info(network: *const gal_network) -> gal_network_info;
    pub fn gal_network_workspace_size(network: *const gal_network, capacity: u32) -> usize;
    pub fn gal_network_run(
        network: *const gal_network, batch: *const gal_network_batch, workspace: *mut c_void,
        workspace_size: usize, error: *mut gal_error,
    ) -> c_int;
    pub fn gal_controller_open(
        out: *mut *mut gal_controller, path: *const c_char, desc: *const gal_network_desc, error: *mut gal_error,
    ) -> c_int;
    pub fn gal_controller_open_memory(
        out: *mut *mut gal_controller, data: *const c_void, size: usize, desc: *const gal_network_desc,
        error: *mut gal_error,
    ) -> c_int;
    pub fn gal_controller_close(controller: *mut gal_controller);
    pub fn gal_controller_get_info(controller: *const gal_controller) -> gal_controller_info;
    pub fn gal_controller_network(controller: *const gal_controller) -> *const gal_network;
    pub fn gal_controller_joint_name(controller: *const gal_controller, joint: u32) -> *const c_char;
    pub fn gal_controller_joint_parent(controller: *const gal_controller, joint: u32) -> i32;
    pub fn gal_controller_contact_joint(controller: *const gal_controller, contact: u32) -> i32;
    pub fn gal_controller_gait_name(controller: *const gal_controller, gait: u32) -> *const c_char;
    pub fn gal_controller_joint_rest(controller: *const gal_controller, joint: u32) -> gal_transform;
    pub fn gal_height_field_ground(height_field: *mut c_void, x: f32, z: f32) -> f32;
    pub fn gal_crowd_create(
        out: *mut *mut gal_crowd, desc: *const gal_crowd_desc, error: *mut gal_error,
    ) -> c_int;
    pub fn gal_crowd_destroy(crowd: *mut gal_crowd);
    pub fn gal_crowd_add(crowd: *mut gal_crowd, spawn: *const gal_spawn, out: *mut u32) -> c_int;
    pub fn gal_crowd_remove(crowd: *mut gal_crowd, character: u32) -> c_int;
    pub fn gal_crowd_count(crowd: *const gal_crowd) -> u32;
    pub fn gal_crowd_controller(crowd: *const gal_crowd, character: u32) -> *const gal_controller;
    pub fn gal_crowd_at(crowd: *const gal_crowd, index: u32) -> u32;
    pub fn gal_crowd_set_input(crowd: *mut gal_crowd, character: u32, input: *const gal_input) -> c_int;
    pub fn gal_crowd_teleport(crowd: *mut gal_crowd, character: u32, x: f32, z: f32, facing: f32) -> c_int;
    pub fn gal_crowd_set_pace(crowd: *mut gal_crowd, character: u32, pace: *const gal_pace) -> c_int;
    pub fn gal_crowd_pace(crowd: *const gal_crowd, character: u32, out: *mut gal_pace) -> c_int;
    pub fn gal_crowd_set_priority(crowd: *mut gal_crowd, character: u32, priority: f32) -> c_int;
    pub fn gal_crowd_set_budget(crowd: *mut gal_crowd, budget: *const gal_budget) -> c_int;
    pub fn gal_crowd_load(crowd: *const gal_crowd) -> gal_load;
    pub fn gal_crowd_set_foot_lock(crowd: *mut gal_crowd, character: u32, on: c_int) -> c_int;
    pub fn gal_crowd_step(crowd: *mut gal_crowd);
    pub fn gal_crowd_advance(
        crowd: *mut gal_crowd, seconds: f32, max_frames: u32, fraction: *mut f32,
    ) -> u32;
    pub fn gal_crowd_resets(crowd: *const gal_crowd) -> u64;
    pub fn gal_crowd_pose(
        crowd: *const gal_crowd, character: u32, joint_count: *mut u32,
    ) -> *const gal_transform;
    pub fn gal_crowd_pose_between(
        crowd: *const gal_crowd, character: u32, fraction: f32, out: *mut gal_transform,
    ) -> c_int;
    pub fn gal_crowd_pose_local(crowd: *const gal_crowd, character: u32, out: *mut gal_transform) -> c_int;
    pub fn gal_crowd_state(
        crowd: *const gal_crowd, character: u32, out: *mut gal_character_state,
    ) -> c_int;
    pub fn gal_crowd_gaits(crowd: *const gal_crowd, character: u32, amounts: *mut f32, capacity: u32) -> u32;
    pub fn gal_crowd_trajectory(
        crowd: *const gal_crowd, character: u32, points: *mut gal_vec3, facings: *mut f32, capacity: u32,
    ) -> u32;
    pub fn gal_crowd_snapshot_size(crowd: *const gal_crowd) -> usize;
    pub fn gal_crowd_save(
        crowd: *const gal_crowd, data: *mut c_void, size: usize, used: *mut usize,
    ) -> c_int;
    pub fn gal_crowd_restore(
        crowd: *mut gal_crowd, data: *const c_void, size: usize, error: *mut gal_error,
    ) -> c_int;
}
