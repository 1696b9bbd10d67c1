//! Networks: rows of features in, rows of features out.

use std::borrow::Cow;
use std::ffi::{c_int, c_void, CStr, CString};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::{self, NonNull};

use crate::error::{check, no_error, static_text, Error, Result};
use crate::sys;

/// What the layers are computed with (docs/numerics.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// float32, whatever width of float the file stores; its integers run as integers.
    #[default]
    Stored,
    F32,
    Fp16,
    Bf16,
    Bf16Dot,
    Int16,
    Int8,
    Int8Dot,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Precision; 8] = [
        Precision::Stored,
        Precision::F32,
        Precision::Fp16,
        Precision::Bf16,
        Precision::Bf16Dot,
        Precision::Int16,
        Precision::Int8,
        Precision::Int8Dot,
    ];

    /// "stored", "f32", "fp16", ...
    pub fn name(self) -> &'static str {
        static_text(unsafe { sys::gal_precision_name(self as c_int) })
    }
}

/// How a layer with several experts is computed (docs/plan.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    #[default]
    PerExpert,
    Blend,
}

/// How to open a network or a controller. The default is the best for the machine.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub precision: Precision,
    pub form: Form,
    /// Inputs that share a scale, where integers are asked for; 0: as the file or the precision has it;
    /// [`BLOCK_ROW`]: all of an output's.
    pub block: u32,
    /// Does not ask the system for 2 MB pages.
    pub small_pages: bool,
    /// `measure`, or a text of `gallop tune`; empty: from a table.
    pub plan: String,
}

/// [`Options::block`]: one scale for all inputs of an output.
pub const BLOCK_ROW: u32 = 0xffff_ffff;

/// Calls `open` with the C side of the options.
pub(crate) fn with_desc<T>(
    options: &Options, open: impl FnOnce(&sys::gal_network_desc) -> Result<T>,
) -> Result<T> {
    let plan = CString::new(options.plan.as_str()).map_err(|_| Error::argument("plan has a zero byte"))?;
    open(&sys::gal_network_desc {
        struct_size: std::mem::size_of::<sys::gal_network_desc>() as u32,
        allocator: ptr::null(),
        isa: 0,
        form: options.form as c_int,
        plan: if options.plan.is_empty() { ptr::null() } else { plan.as_ptr() },
        small_pages: options.small_pages.into(),
        precision: options.precision as c_int,
        block: options.block,
    })
}

/// A path as the library takes it: UTF-8, terminated.
pub(crate) fn c_path(path: &Path) -> Result<CString> {
    let text = path.to_str().ok_or_else(|| Error::argument(format!("{}: not UTF-8", path.display())))?;
    CString::new(text).map_err(|_| Error::argument("a path has a zero byte"))
}

/// An open network: immutable, used by any number of threads at once.
///
/// One inside a [`Controller`](crate::Controller) is borrowed from it.
#[derive(Debug)]
pub struct Network<'a> {
    raw: NonNull<sys::gal_network>,
    owned: bool,
    owner: PhantomData<&'a ()>,
}

// Immutable after opening; gallop/network.h: "may be used by any number of threads at once".
unsafe impl Send for Network<'_> {}
unsafe impl Sync for Network<'_> {}

/// Facts of a network, as `gal_network_info` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkInfo {
    pub inputs: usize,
    pub outputs: usize,
    pub layers: usize,
    /// Length of a row of [`Gate::Blend`].
    pub experts: usize,
    pub parameters: u64,
    /// Bytes that it holds.
    pub memory: usize,
    /// The instruction set in use.
    pub isa: &'static str,
}

/// What says each row's blend of experts.
#[derive(Clone, Copy, Debug)]
pub enum Gate<'a> {
    /// The network itself, or there is one expert.
    Own,
    /// Radians, one for each row: of a phase gate.
    Phase(&'a [f32]),
    /// `[rows][experts]`: where the caller gives the blend.
    Blend(&'a [f32]),
}

impl<'a> Network<'a> {
    /// Opens a model file's network.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Network<'static>> {
        let path = c_path(path.as_ref())?;
        Network::make(options, |out, desc, error| unsafe {
            sys::gal_network_open(out, path.as_ptr(), desc, error)
        })
    }

    /// The same from the bytes of a model file, which are not needed afterwards.
    pub fn from_bytes(bytes: &[u8], options: &Options) -> Result<Network<'static>> {
        Network::make(options, |out, desc, error| unsafe {
            sys::gal_network_open_memory(out, bytes.as_ptr().cast(), bytes.len(), desc, error)
        })
    }

    fn make(
        options: &Options,
        open: impl FnOnce(*mut *mut sys::gal_network, &sys::gal_network_desc, &mut sys::gal_error) -> c_int,
    ) -> Result<Network<'static>> {
        with_desc(options, |desc| {
            let (mut raw, mut error) = (ptr::null_mut(), no_error());
            check(open(&mut raw, desc, &mut error), &error)?;
            let raw = NonNull::new(raw).expect("opened");
            Ok(Network { raw, owned: true, owner: PhantomData })
        })
    }

    /// The network of a controller that lives for 'a.
    pub(crate) fn borrowed(raw: *const sys::gal_network) -> Network<'a> {
        let raw = NonNull::new(raw.cast_mut()).expect("a controller has a network");
        Network { raw, owned: false, owner: PhantomData }
    }

    pub fn info(&self) -> NetworkInfo {
        let info = unsafe { sys::gal_network_get_info(self.raw.as_ptr()) };
        NetworkInfo {
            inputs: info.inputs as usize,
            outputs: info.outputs as usize,
            layers: info.layers as usize,
            experts: info.experts as usize,
            parameters: info.parameters,
            memory: info.memory,
            isa: static_text(unsafe { sys::gal_isa_name(info.isa) }),
        }
    }

    /// Room for runs of up to `rows` rows.
    pub fn workspace(&self, rows: u32) -> Workspace {
        let bytes = unsafe { sys::gal_network_workspace_size(self.raw.as_ptr(), rows) };
        Workspace { lines: vec![Line([0; 64]); bytes.div_ceil(64)] }
    }

    /// Runs the network: x `[rows][inputs]` to y `[rows][outputs]`, both raw features. Allocates nothing. Fails, with
    /// nothing written, if the lengths do not fit each other or the workspace, or a phase or a blend is not finite.
    pub fn run(&self, x: &[f32], gate: Gate<'_>, y: &mut [f32], workspace: &mut Workspace) -> Result<()> {
        let info = unsafe { sys::gal_network_get_info(self.raw.as_ptr()) };
        let rows = rows_of("x", x.len(), info.inputs)?;
        let (phase, blend) = match gate {
            Gate::Own => (ptr::null(), ptr::null()),
            Gate::Phase(phase) => (fitting("phase", phase, rows, 1)?, ptr::null()),
            Gate::Blend(blend) => (ptr::null(), fitting("blend", blend, rows, info.experts)?),
        };
        fitting("y", y, rows, info.outputs)?;
        let batch = sys::gal_network_batch {
            count: rows,
            x: x.as_ptr(),
            x_stride: 0,
            phase,
            blend,
            y: y.as_mut_ptr(),
            y_stride: 0,
            parallel: ptr::null(),
        };
        let (room, mut error) = (&mut workspace.lines, no_error());
        let status = unsafe {
            let memory = room.as_mut_ptr().cast::<c_void>();
            sys::gal_network_run(self.raw.as_ptr(), &batch, memory, room.len() * 64, &mut error)
        };
        check(status, &error)
    }
}

impl Drop for Network<'_> {
    fn drop(&mut self) {
        if self.owned {
            unsafe { sys::gal_network_close(self.raw.as_ptr()) }
        }
    }
}

fn rows_of(what: &str, length: usize, width: u32) -> Result<u32> {
    let width = width as usize;
    if width == 0 || length % width != 0 {
        return Err(Error::argument(format!("{what} has {length} values, a multiple of {width} expected")));
    }
    u32::try_from(length / width).map_err(|_| Error::argument(format!("{what} has too many rows")))
}

fn fitting(what: &str, values: &[f32], rows: u32, width: u32) -> Result<*const f32> {
    let expected = rows as usize * width as usize;
    if values.len() != expected {
        let got = values.len();
        return Err(Error::argument(format!("{what} has {got} values, {expected} expected for {rows} rows")));
    }
    Ok(values.as_ptr())
}

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// What a run works in; it holds nothing between runs.
pub struct Workspace {
    lines: Vec<Line>,
}

/// A text of the library that lives as long as its owner; what is not UTF-8 in it is replaced.
pub(crate) fn text_of<'a>(text: *const std::ffi::c_char) -> Cow<'a, str> {
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}
