//! What the library refuses: its status and its own words.

use std::ffi::{c_char, c_int, CStr};
use std::fmt;

use crate::sys;

/// The kind of a failure, as `gal_status` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// A file or an input is malformed; the message names the place.
    BadData = 1,
    /// An argument is outside its stated range.
    BadArgument,
    /// A file could not be opened, read or written.
    Io,
    /// There was not enough memory.
    NoMemory,
    /// The crowd has no free place.
    Full,
    /// No such character.
    NotFound,
    /// This build or this CPU cannot do it.
    Unsupported,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 7] = [
        Status::BadData,
        Status::BadArgument,
        Status::Io,
        Status::NoMemory,
        Status::Full,
        Status::NotFound,
        Status::Unsupported,
    ];

    /// The library's word for it: "bad data".
    pub fn text(self) -> &'static str {
        static_text(unsafe { sys::gal_status_text(self as c_int) })
    }
}

/// A failure. Its text is the library's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: Status,
    message: String,
}

/// What fallible functions of this crate return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn status(&self) -> Status {
        self.status
    }

    pub(crate) fn argument(message: impl Into<String>) -> Error {
        Error { status: Status::BadArgument, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Room for the message of a call that gives one.
pub(crate) fn no_error() -> sys::gal_error {
    sys::gal_error { status: 0, message: [0; 256] }
}

/// Of a call that fills an error.
pub(crate) fn check(status: c_int, said: &sys::gal_error) -> Result<()> {
    let message = unsafe { CStr::from_ptr(said.message.as_ptr()) };
    fail_unless_ok(status, || message.to_string_lossy().into_owned())
}

/// Of a call that has a status alone; `about` is what it was about.
pub(crate) fn check_about(status: c_int, about: impl fmt::Display) -> Result<()> {
    fail_unless_ok(status, || format!("{about}: {}", static_text(unsafe { sys::gal_status_text(status) })))
}

fn fail_unless_ok(status: c_int, message: impl FnOnce() -> String) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    let known = Status::ALL.into_iter().find(|known| *known as c_int == status);
    Err(Error { status: known.unwrap_or(Status::Unsupported), message: message() })
}

/// A constant text of the library.
pub(crate) fn static_text(text: *const c_char) -> &'static str {
    unsafe { CStr::from_ptr(text) }.to_str().expect("the library's constant texts are ASCII")
}
