//! Controllers: a model file's contract, network and motion rules.

use std::ffi::c_int;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use crate::error::{check, no_error, Result};
use crate::network::{c_path, text_of, with_desc};
use crate::{sys, Network, Options, Transform};

/// An open controller: immutable, shared by any number of crowds and threads. A clone is the same controller.
#[derive(Clone, Debug)]
pub struct Controller(Arc<Open>);

#[derive(Debug)]
struct Open(NonNull<sys::gal_controller>);

// gallop/crowd.h: "immutable, shared by any number of crowds and threads".
unsafe impl Send for Open {}
unsafe impl Sync for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        unsafe { sys::gal_controller_close(self.0.as_ptr()) }
    }
}

/// Facts of a controller.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerInfo {
    pub name: String,
    /// Frames per second that a step stands for.
    pub rate: f32,
    /// Metres in one unit of length.
    pub unit_metres: f32,
    pub joints: usize,
    /// Joints whose ground contact is predicted.
    pub contacts: usize,
    pub legs: usize,
    /// Units per second at full stick, not running.
    pub speed_walk: f32,
    /// The same, running fully.
    pub speed_run: f32,
    /// Whether [`Input::crouch`](crate::Input::crouch) counts.
    pub can_crouch: bool,
    /// Whether [`Input::jump`](crate::Input::jump) counts.
    pub can_jump: bool,
}

/// A joint of a controller's skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    pub name: String,
    /// Index of the parent, which stands before its children; None: the root joint.
    pub parent: Option<usize>,
    /// Rest transform in the parent's frame.
    pub rest: Transform,
}

impl Controller {
    /// Opens a model file.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Controller> {
        let path = c_path(path.as_ref())?;
        Controller::make(options, |out, desc, error| unsafe {
            sys::gal_controller_open(out, path.as_ptr(), desc, error)
        })
    }

    /// The same from the bytes of a model file, which are not needed afterwards.
    pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Controller> {
        Controller::make(options, |out, desc, error| unsafe {
            sys::gal_controller_open_memory(out, bytes.as_ptr().cast(), bytes.len(), desc, error)
        })
    }

    fn make(
        options: &Options,
        open: impl FnOnce(*mut *mut sys::gal_controller, &sys::gal_network_desc, &mut sys::gal_error) -> c_int,
    ) -> Result<Controller> {
        with_desc(options, |desc| {
            let (mut raw, mut error) = (ptr::null_mut(), no_error());
            check(open(&mut raw, desc, &mut error), &error)?;
            Ok(Controller(Arc::new(Open(NonNull::new(raw).expect("opened")))))
        })
    }

    pub(crate) fn raw(&self) -> *const sys::gal_controller {
        self.0 .0.as_ptr()
    }

    pub fn info(&self) -> ControllerInfo {
        let info = unsafe { sys::gal_controller_get_info(self.raw()) };
        ControllerInfo {
            name: text_of(info.name).into_owned(),
            rate: info.rate,
            unit_metres: info.unit_metres,
            joints: info.joints as usize,
            contacts: info.contacts as usize,
            legs: info.legs as usize,
            speed_walk: info.speed_walk,
            speed_run: info.speed_run,
            can_crouch: info.can_crouch != 0,
            can_jump: info.can_jump != 0,
        }
    }

    /// The skeleton: names, parents, rest pose.
    pub fn joints(&self) -> Vec<Joint> {
        let count = unsafe { sys::gal_controller_get_info(self.raw()) }.joints;
        (0..count)
            .map(|i| unsafe {
                Joint {
                    name: text_of(sys::gal_controller_joint_name(self.raw(), i)).into_owned(),
                    parent: usize::try_from(sys::gal_controller_joint_parent(self.raw(), i)).ok(),
                    rest: sys::gal_controller_joint_rest(self.raw(), i),
                }
            })
            .collect()
    }

    /// The joints that the contacts of [`State`](crate::State) touch the ground with, in their order.
    pub fn contact_joints(&self) -> Vec<usize> {
        let count = unsafe { sys::gal_controller_get_info(self.raw()) }.contacts;
        (0..count)
            .map(|i| unsafe { sys::gal_controller_contact_joint(self.raw(), i) } as usize)
            .collect()
    }

    /// Names of its gaits: "stand", "walk", "run", "crouch", "jump" or some of them.
    pub fn gaits(&self) -> Vec<String> {
        (0..)
            .map(|i| unsafe { sys::gal_controller_gait_name(self.raw(), i) })
            .take_while(|name| !name.is_null())
            .map(|name| text_of(name).into_owned())
            .collect()
    }

    /// The network inside.
    pub fn network(&self) -> Network<'_> {
        Network::borrowed(unsafe { sys::gal_controller_network(self.raw()) })
    }
}
