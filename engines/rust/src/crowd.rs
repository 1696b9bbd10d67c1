//! Crowds: what players want in, poses out.

use std::ffi::{c_int, c_void};
use std::num::NonZeroU32;
use std::ptr::{self, NonNull};
use std::time::Instant;

use crate::error::{check, check_about, no_error, Result};
use crate::ground::{Ground, Laid};
use crate::{sys, Controller, Error, Load, Pace, Spawn, State, Transform, Vec3};

/// A character's handle: good until it is removed, and not reused for a long time after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Character(NonZeroU32);

impl Character {
    /// The number that C has for it, to be kept beside a saved crowd.
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// The handle of a number; 0 is none.
    pub fn from_number(number: u32) -> Option<Character> {
        NonZeroU32::new(number).map(Character)
    }
}

/// What the player wants, kept until it is set again. Values out of range are clamped, NaN counts as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// Stick, -1..1, positive: right of the camera. One longer than 1 is cut to 1; a dead zone is yours.
    pub move_x: f32,
    /// Stick, -1..1, positive: away from the camera.
    pub move_y: f32,
    /// 0 walk .. 1 full run.
    pub run: f32,
    /// 0 face where you go .. 1 face where the camera looks.
    pub strafe: f32,
    /// 0..1.
    pub crouch: f32,
    /// Radians, 0: the camera looks along +z; positive turns towards +x.
    pub camera_yaw: f32,
    /// Quicker, less natural turns.
    pub responsive: bool,
    /// Jumps as soon as it is fast enough, if the controller can.
    pub jump: bool,
}

/// The host's threads.
///
/// # Safety
/// `run` calls `task` exactly once with each number in 0..count, on any threads, and returns when all calls have.
pub unsafe trait Parallel: Send + Sync {
    /// How many tasks may run at once, the caller's thread included.
    fn threads(&self) -> u32;
    fn run(&self, count: u32, task: &(dyn Fn(u32) + Sync));
}

/// The characters of one controller in a crowd.
#[derive(Clone, Copy)]
pub struct Group<'a> {
    pub controller: &'a Controller,
    /// Most of them at once; 0: 16.
    pub capacity: u32,
    /// Levels 1, 2 and 3, the cheaper the further: the same controller at another precision, or a smaller one of the same
    /// body. At most three.
    pub stand_ins: &'a [&'a Controller],
    /// Most frames that a budget lets one evaluation stand for: 1, 2, 4 or 8; 0: 8.
    pub frames_most: u32,
}

impl<'a> Group<'a> {
    /// Without stand-ins.
    pub fn of(controller: &'a Controller, capacity: u32) -> Group<'a> {
        Group { controller, capacity, stand_ins: &[], frames_most: 0 }
    }

    fn raw(&self) -> Result<sys::gal_group_desc> {
        let mut stand_ins = [ptr::null(); 3];
        if self.stand_ins.len() > stand_ins.len() {
            return Err(Error::argument("at most three stand-ins expected"));
        }
        for (raw, own) in stand_ins.iter_mut().zip(self.stand_ins) {
            *raw = own.raw();
        }
        Ok(sys::gal_group_desc {
            controller: self.controller.raw(),
            capacity: self.capacity,
            stand_ins,
            frames_most: self.frames_most,
        })
    }
}

/// What a step may cost, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// By this machine's clock, of which four fifths are spent.
    Measured(f32),
    /// By nominal costs, of which the same choices come on every machine: for lockstep.
    Nominal(f32),
}

unsafe extern "C" fn seconds_since(started: *mut c_void) -> f64 {
    (*started.cast::<Instant>()).elapsed().as_secs_f64()
}

/// What a crowd stands on and runs on.
#[derive(Default)]
pub struct CrowdOptions {
    pub ground: Ground,
    /// None: the stepping thread.
    pub parallel: Option<Box<dyn Parallel>>,
}

/// Characters of one controller, or of several: a group for each. A step allocates nothing, and what a character does does not
/// depend on who else is there.
///
/// ```
/// use gallop::{Controller, Crowd, CrowdOptions, Group, Input, Options, Spawn};
///
/// # fn main() -> gallop::Result<()> {
/// let controller = Controller::open("models/walker.gallop", &Options::default())?;
/// let mut crowd = Crowd::new(&[Group::of(&controller, 64)], CrowdOptions::default())?;
/// let who = crowd.add(&Spawn { x: 100.0, ..Default::default() })?;
/// crowd.set_input(who, &Input { move_y: 1.0, run: 0.5, ..Default::default() })?;
/// crowd.step();
/// let pose = crowd.pose(who).expect("it was added");
/// assert_eq!(pose.len(), controller.info().joints);
/// # Ok(())
/// # }
/// ```
pub struct Crowd {
    raw: NonNull<sys::gal_crowd>,
    controllers: Vec<Controller>,
    ground: Laid,
    _parallel: Option<Box<Box<dyn Parallel>>>,
    started: Box<Instant>, // the budget's clock counts from here
}

// gallop/crowd.h: any one thread changes it; what takes it const (here: &self) only reads, on several at once.
unsafe impl Send for Crowd {}
unsafe impl Sync for Crowd {}

impl Drop for Crowd {
    fn drop(&mut self) {
        unsafe { sys::gal_crowd_destroy(self.raw.as_ptr()) }
    }
}

struct Task {
    call: sys::gal_task,
    argument: *mut c_void,
}

// A task of the library may be called from any thread.
unsafe impl Sync for Task {}

impl Task {
    fn run(&self, index: u32) {
        unsafe { (self.call)(self.argument, index) }
    }
}

/// A panic here has nowhere to go: tasks are half done. The process ends, as it does for every function that C calls.
unsafe extern "C" fn spread(context: *mut c_void, call: sys::gal_task, argument: *mut c_void, count: u32) {
    let parallel = &*context.cast::<Box<dyn Parallel>>();
    let task = Task { call, argument };
    parallel.run(count, &|index| task.run(index));
}

impl Crowd {
    /// A crowd of these groups, whose controllers have one rate and one unit; [`Spawn::group`] is an index of `groups`.
    pub fn new(groups: &[Group<'_>], options: CrowdOptions) -> Result<Crowd> {
        let every = groups.iter().flat_map(|group| std::iter::once(&group.controller).chain(group.stand_ins));
        let controllers = every.copied().cloned().collect();
        let raw_groups = groups.iter().map(Group::raw).collect::<Result<Vec<_>>>()?;
        let ground = Laid::new(options.ground)?;
        let parallel = options.parallel.map(Box::new);
        let spread = parallel.as_deref().map(|own| sys::gal_parallel {
            parallel_for: Some(spread),
            context: ptr::from_ref(own).cast_mut().cast(),
            threads: own.threads().max(1),
        });
        let (function, context) = ground.raw();
        let desc = sys::gal_crowd_desc {
            struct_size: std::mem::size_of::<sys::gal_crowd_desc>() as u32,
            controller: ptr::null(),
            capacity: 0,
            ground: function,
            ground_context: context,
            parallel: spread.as_ref().map_or(ptr::null(), ptr::from_ref),
            allocator: ptr::null(),
            groups: raw_groups.as_ptr(),
            group_count: raw_groups.len() as u32,
        };
        let (mut raw, mut error) = (ptr::null_mut(), no_error());
        check(unsafe { sys::gal_crowd_create(&mut raw, &desc, &mut error) }, &error)?;
        let raw = NonNull::new(raw).expect("created");
        Ok(Crowd { raw, controllers, ground, _parallel: parallel, started: Box::new(Instant::now()) })
    }

    /// The controller of a character; None if there is no such character.
    pub fn controller(&self, who: Character) -> Option<&Controller> {
        let raw = unsafe { sys::gal_crowd_controller(self.raw.as_ptr(), who.number()) };
        self.controllers.iter().find(|controller| controller.raw() == raw)
    }

    /// Adds a character at rest. Fails if its group is full or not there, or `spawn` is not finite.
    pub fn add(&mut self, spawn: &Spawn) -> Result<Character> {
        let mut who = 0;
        let status = unsafe { sys::gal_crowd_add(self.raw.as_ptr(), spawn, &mut who) };
        self.ground.resume();
        check_about(status, "a character to add")?;
        Ok(Character::from_number(who).expect("added"))
    }

    /// Removes it, at any frame; the others are not touched.
    pub fn remove(&mut self, who: Character) -> Result<()> {
        let status = unsafe { sys::gal_crowd_remove(self.raw.as_ptr(), who.number()) };
        found(status, who)
    }

    /// Characters in the crowd now.
    pub fn len(&self) -> usize {
        unsafe { sys::gal_crowd_count(self.raw.as_ptr()) as usize }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All characters, in an order that changes only when one is removed.
    pub fn characters(&self) -> impl Iterator<Item = Character> + '_ {
        (0..self.len() as u32)
            .filter_map(|i| Character::from_number(unsafe { sys::gal_crowd_at(self.raw.as_ptr(), i) }))
    }

    /// What the player wants from the next step on.
    pub fn set_input(&mut self, who: Character, input: &Input) -> Result<()> {
        let input = sys::gal_input {
            move_x: input.move_x,
            move_y: input.move_y,
            run: input.run,
            strafe: input.strafe,
            crouch: input.crouch,
            camera_yaw: input.camera_yaw,
            responsive: c_int::from(input.responsive),
            jump: c_int::from(input.jump),
        };
        found(unsafe { sys::gal_crowd_set_input(self.raw.as_ptr(), who.number(), &input) }, who)
    }

    /// Puts a character elsewhere as it is, in the middle of its step; `facing` in radians.
    pub fn teleport(&mut self, who: Character, x: f32, z: f32, facing: f32) -> Result<()> {
        let status = unsafe { sys::gal_crowd_teleport(self.raw.as_ptr(), who.number(), x, z, facing) };
        self.ground.resume();
        found(status, who)
    }

    /// How a character is evaluated from its next evaluation on; None: as the crowd decides, which is every frame by its
    /// controller.
    pub fn set_pace(&mut self, who: Character, pace: Option<Pace>) -> Result<()> {
        let pace = pace.as_ref().map_or(ptr::null(), ptr::from_ref);
        found(unsafe { sys::gal_crowd_set_pace(self.raw.as_ptr(), who.number(), pace) }, who)
    }

    /// How a character was evaluated last.
    pub fn pace(&self, who: Character) -> Result<Pace> {
        let mut pace = Pace::default();
        found(unsafe { sys::gal_crowd_pace(self.raw.as_ptr(), who.number(), &mut pace) }, who)?;
        Ok(pace)
    }

    /// How much a character matters under a budget: 1 / its distance, say. 1 at the start.
    pub fn set_priority(&mut self, who: Character, priority: f32) -> Result<()> {
        found(unsafe { sys::gal_crowd_set_priority(self.raw.as_ptr(), who.number(), priority) }, who)
    }

    /// Lets the crowd decide how its characters are evaluated, so that a step keeps to a budget; None: every frame by
    /// their controllers, as at the start.
    pub fn set_budget(&mut self, budget: Option<Budget>) -> Result<()> {
        let clock_context = ptr::from_ref(self.started.as_ref()).cast_mut().cast();
        let raw = budget.map(|budget| match budget {
            Budget::Measured(microseconds) => {
                sys::gal_budget { microseconds, clock: Some(seconds_since), clock_context }
            }
            Budget::Nominal(microseconds) => {
                sys::gal_budget { microseconds, clock: None, clock_context: ptr::null_mut() }
            }
        });
        let raw = raw.as_ref().map_or(ptr::null(), ptr::from_ref);
        check_about(unsafe { sys::gal_crowd_set_budget(self.raw.as_ptr(), raw) }, "a budget")
    }

    /// Of the last step; all 0 without a budget.
    pub fn load(&self) -> Load {
        unsafe { sys::gal_crowd_load(self.raw.as_ptr()) }
    }

    /// Foot locking of one character (on at the start): changes the pose, not how it moves.
    pub fn set_foot_lock(&mut self, who: Character, on: bool) -> Result<()> {
        let status = unsafe { sys::gal_crowd_set_foot_lock(self.raw.as_ptr(), who.number(), c_int::from(on)) };
        found(status, who)
    }

    /// One frame of 1 / rate seconds for all characters.
    pub fn step(&mut self) {
        unsafe { sys::gal_crowd_step(self.raw.as_ptr()) }
        self.ground.resume();
    }

    /// Runs the whole frames that are due after `seconds` more (at most `max_frames`, 0: 4; the rest is dropped).
    /// Returns how many ran and the fraction of a frame left over, for [`pose_between`](Crowd::pose_between).
    pub fn advance(&mut self, seconds: f32, max_frames: u32) -> (u32, f32) {
        let mut fraction = 0.0;
        let ran = unsafe { sys::gal_crowd_advance(self.raw.as_ptr(), seconds, max_frames, &mut fraction) };
        self.ground.resume();
        (ran, fraction)
    }

    /// Times a character was set back to rest because its state became non-finite.
    pub fn resets(&self) -> u64 {
        unsafe { sys::gal_crowd_resets(self.raw.as_ptr()) }
    }

    /// The pose after the last step, world space, a transform for each joint. None if there is no such character.
    pub fn pose(&self, who: Character) -> Option<&[Transform]> {
        let mut joints = 0;
        let pose = unsafe { sys::gal_crowd_pose(self.raw.as_ptr(), who.number(), &mut joints) };
        // It stays where it is until a call that changes the crowd, which needs &mut self.
        NonNull::new(pose.cast_mut())
            .map(|pose| unsafe { std::slice::from_raw_parts(pose.as_ptr(), joints as usize) })
    }

    /// The pose between the last two steps, world space, into `out`: fraction 0 is before the last step, 1 after it.
    ///
    /// # Panics
    /// If `out` is not as long as the character's pose.
    pub fn pose_between(&self, who: Character, fraction: f32, out: &mut [Transform]) -> Result<()> {
        self.expect_fit(who, out)?;
        let status = unsafe {
            sys::gal_crowd_pose_between(self.raw.as_ptr(), who.number(), fraction, out.as_mut_ptr())
        };
        found(status, who)
    }

    /// The pose after the last step with each joint in its parent's frame (the root joint: in the world), into `out`.
    ///
    /// # Panics
    /// If `out` is not as long as the character's pose.
    pub fn pose_local(&self, who: Character, out: &mut [Transform]) -> Result<()> {
        self.expect_fit(who, out)?;
        let status =
            unsafe { sys::gal_crowd_pose_local(self.raw.as_ptr(), who.number(), out.as_mut_ptr()) };
        found(status, who)
    }

    fn expect_fit(&self, who: Character, out: &[Transform]) -> Result<()> {
        const NOT_FOUND: c_int = crate::Status::NotFound as c_int;
        let joints = self.pose(who).map(<[Transform]>::len);
        if joints.is_none() {
            return found(NOT_FOUND, who);
        }
        assert_eq!(joints, Some(out.len()), "a transform for each joint expected");
        Ok(())
    }

    /// A character's movement, for game logic and sound.
    pub fn state(&self, who: Character) -> Result<State> {
        let mut state = State::default();
        found(unsafe { sys::gal_crowd_state(self.raw.as_ptr(), who.number(), &mut state) }, who)?;
        Ok(state)
    }

    /// How much a character is in each of [`Controller::gaits`], 0..1. Empty if there is no such character.
    pub fn gaits(&self, who: Character) -> Vec<f32> {
        let read = |amounts: *mut f32, room: u32| unsafe {
            sys::gal_crowd_gaits(self.raw.as_ptr(), who.number(), amounts, room)
        };
        let mut amounts = vec![0.0; read(ptr::null_mut(), 0) as usize];
        read(amounts.as_mut_ptr(), amounts.len() as u32);
        amounts
    }

    /// The trajectory, for drawing: world points and facing angles at the contract's sample offsets. Empty if there is
    /// no such character.
    pub fn trajectory(&self, who: Character) -> (Vec<Vec3>, Vec<f32>) {
        let read = |points: *mut Vec3, facings: *mut f32, room: u32| unsafe {
            sys::gal_crowd_trajectory(self.raw.as_ptr(), who.number(), points, facings, room)
        };
        let count = read(ptr::null_mut(), ptr::null_mut(), 0);
        let (mut points, mut facings) = (vec![Vec3::default(); count as usize], vec![0.0; count as usize]);
        read(points.as_mut_ptr(), facings.as_mut_ptr(), count);
        (points, facings)
    }

    /// All that the crowd goes on from, into `bytes`, whose memory is used again.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        let mut used = 0;
        bytes.resize(unsafe { sys::gal_crowd_snapshot_size(self.raw.as_ptr()) }, 0);
        let data = bytes.as_mut_ptr().cast();
        let status = unsafe { sys::gal_crowd_save(self.raw.as_ptr(), data, bytes.len(), &mut used) };
        assert_eq!(status, 0, "a snapshot fits into its largest size");
        bytes.truncate(used);
    }

    /// Makes the crowd what the saved one was. The bytes are checked; after an error the crowd is as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let mut error = no_error();
        let status = unsafe {
            sys::gal_crowd_restore(self.raw.as_ptr(), bytes.as_ptr().cast(), bytes.len(), &mut error)
        };
        check(status, &error)
    }
}

/// Of a call whose one failure but bad arguments is that there is no such character.
fn found(status: c_int, who: Character) -> Result<()> {
    check_about(status, format_args!("character {}", who.number()))
}
