//! Neural character controllers: many walking, running characters, in one call that a game can afford every frame.
//!
//! A [`Controller`] is a model file, a [`Crowd`] the state of its characters: give each an [`Input`], step, read poses.
//! A [`Network`] is the bare network, rows of features in and out.
//!
//! Space is right-handed, y up, z forward; lengths are in the controller's unit
//! ([`ControllerInfo::unit_metres`]), angles in radians, positive turns +z towards +x, quaternions x, y, z, w.
//!
//! Controllers and networks are immutable, and shared by threads. A crowd is changed by one thread at a time, which
//! `&mut` says, and read by any number. The C library is compiled by this crate and depends on nothing.

mod controller;
mod crowd;
mod error;
mod ground;
mod network;
pub mod sys;

pub use controller::{Controller, ControllerInfo, Joint};
pub use crowd::{Budget, Character, Crowd, CrowdOptions, Group, Input, Parallel};
pub use error::{Error, Result, Status};
pub use ground::{Ground, GroundFn, HeightField};
pub use network::{Form, Gate, Network, NetworkInfo, Options, Precision, Workspace, BLOCK_ROW};

/// A point or direction.
pub use sys::gal_vec3 as Vec3;

/// A rotation, of unit length.
pub use sys::gal_quat as Quat;

/// Where a joint is and how it is turned.
pub use sys::gal_transform as Transform;

/// Where and how a character starts: world position x, z (the height comes from the ground), facing in radians
/// (0: +z), phase of the gait cycle in radians, and whose controller it has: an index of the crowd's groups.
pub use sys::gal_spawn as Spawn;

/// How a character is evaluated: frames that one evaluation stands for, 1..8, and by whom: 0 is its controller, else that
/// stand-in of its group.
pub use sys::gal_pace as Pace;

/// Of the last step under a budget: what it took, characters evaluated, on the way to their last evaluation and not yet
/// evaluated, and the priority from which on all are evaluated in every frame by their controller.
pub use sys::gal_load as Load;

/// A character's movement: root (y is the mean ground height around it), facing and phase in radians, speed of the
/// last step in units per second, contacts 0..1, of [`Controller::contact_joints`].
pub use sys::gal_character_state as State;

/// "MAJOR.MINOR.PATCH" of the C library.
pub fn version() -> &'static str {
    error::static_text(unsafe { sys::gal_version() })
}
