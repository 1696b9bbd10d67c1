//! What characters walk on.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::sys;

/// Ground height at a point, in world units. Called many times a character and step, on all threads that step.
pub type GroundFn = Box<dyn Fn(f32, f32) -> f32 + Send + Sync>;

/// Heights over a grid: row r at z = `origin_z + r cell`, column c at x = `origin_x + c cell`; bilinear between,
/// clamped at the borders.
#[derive(Clone, Debug)]
pub struct HeightField {
    /// `[rows][columns]`, at least 2 by 2.
    pub heights: Vec<f32>,
    pub columns: u32,
    /// Width of a cell, above 0.
    pub cell: f32,
    pub origin_x: f32,
    pub origin_z: f32,
}

/// The ground of a crowd.
#[derive(Default)]
pub enum Ground {
    /// Height 0 everywhere.
    #[default]
    Flat,
    Field(HeightField),
    /// A panic in it ends the step's height as 0 and goes on once the step is done.
    Function(GroundFn),
}

/// The C side's view, boxed so that its address stays; it lives as long as the crowd.
pub(crate) enum Laid {
    Flat,
    Field { view: Box<sys::gal_height_field>, _heights: Vec<f32> },
    Function(Box<Called>),
}

pub(crate) struct Called {
    height: GroundFn,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// The view's pointer is to `_heights`, which nobody writes.
unsafe impl Send for Laid {}
unsafe impl Sync for Laid {}

unsafe extern "C" fn call(context: *mut c_void, x: f32, z: f32) -> f32 {
    let called = &*context.cast::<Called>();
    catch_unwind(AssertUnwindSafe(|| (called.height)(x, z))).unwrap_or_else(|panic| {
        called.panic.lock().unwrap().get_or_insert(panic);
        0.0
    })
}

impl Laid {
    pub(crate) fn new(ground: Ground) -> Result<Laid> {
        Ok(match ground {
            Ground::Flat => Laid::Flat,
            Ground::Field(field) => Laid::field(field)?,
            Ground::Function(height) => Laid::Function(Box::new(Called { height, panic: Mutex::new(None) })),
        })
    }

    fn field(field: HeightField) -> Result<Laid> {
        let (count, columns) = (field.heights.len(), field.columns as usize);
        let whole = columns >= 2 && count / columns >= 2 && count % columns == 0;
        let rows = u32::try_from(count / columns.max(1)).unwrap_or(0);
        if !whole || rows == 0 || !(field.cell > 0.0) {
            return Err(Error::argument("heights [>= 2][>= 2] and a cell above 0 expected"));
        }
        let view = Box::new(sys::gal_height_field {
            heights: field.heights.as_ptr(),
            rows,
            columns: field.columns,
            cell: field.cell,
            origin_x: field.origin_x,
            origin_z: field.origin_z,
        });
        Ok(Laid::Field { view, _heights: field.heights })
    }

    /// Function and context for the desc.
    pub(crate) fn raw(&self) -> (Option<sys::gal_ground_fn>, *mut c_void) {
        match self {
            Laid::Flat => (None, std::ptr::null_mut()),
            Laid::Field { view, .. } => {
                (Some(sys::gal_height_field_ground), raw_of(view.as_ref()).cast_mut().cast())
            }
            Laid::Function(called) => (Some(call), raw_of(called.as_ref()).cast_mut().cast()),
        }
    }

    /// Goes on with the panic of the ground's function, if there was one.
    pub(crate) fn resume(&mut self) {
        if let Laid::Function(called) = self {
            if let Some(panic) = called.panic.get_mut().unwrap().take() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

fn raw_of<T>(boxed: &T) -> *const T {
    boxed
}
