//! The lines of test/platforms/native_walk.c, by this crate; with `--layout`, what [`gallop::sys`] says of the structs.
//!
//!     cargo run --release --example golden [MODEL.gallop | --layout]

use gallop::{Controller, Crowd, CrowdOptions, Gate, Group, Input, Network, Options, Spawn, Transform};

const ROWS: usize = 11;
const WALKERS: usize = 8;
const FRAMES: usize = 600;

/// FNV-1a over the bytes of the floats, low byte first.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf29ce484222325)
    }

    fn add(&mut self, value: f32) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100000001b3);
        }
    }

    fn add_pose(&mut self, pose: &[Transform]) {
        for Transform { position: p, rotation: q } in pose {
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w].into_iter().for_each(|value| self.add(value));
        }
    }

    fn print(&self, what: &str) {
        println!("{what} {:016x}", self.0);
    }
}

fn draw(state: &mut u32) -> f32 {
    *state = state.wrapping_mul(1664525).wrapping_add(1013904223);
    (*state >> 8) as f32 / 4194304.0 - 2.0
}

fn run_network(network: &Network<'_>) -> gallop::Result<()> {
    let info = network.info();
    let mut state = 1;
    let x: Vec<f32> = (0..ROWS * info.inputs).map(|_| draw(&mut state)).collect();
    let phase: Vec<f32> = (0..ROWS).map(|_| draw(&mut state)).collect();
    let mut y = vec![0.0; ROWS * info.outputs];
    network.run(&x, Gate::Phase(&phase), &mut y, &mut network.workspace(ROWS as u32))?;
    println!("network {} to {} on {}", info.inputs, info.outputs, info.isa);
    let mut hash = Hash::new();
    y.into_iter().for_each(|value| hash.add(value));
    hash.print("rows");
    Ok(())
}

fn run_crowd(controller: &Controller) -> gallop::Result<()> {
    let mut crowd = Crowd::new(&[Group::of(controller, WALKERS as u32)], CrowdOptions::default())?;
    let mut pose = vec![Transform::default(); controller.info().joints];
    let who = (0..WALKERS)
        .map(|i| crowd.add(&Spawn { x: 200.0 * i as f32, phase: i as f32 / 2.0, ..Default::default() }))
        .collect::<gallop::Result<Vec<_>>>()?;
    let (mut poses, mut between, mut local) = (Hash::new(), Hash::new(), Hash::new());
    for frame in 0..FRAMES {
        for (i, &character) in who.iter().enumerate() {
            let (run, camera_yaw) = (i as f32 / 8.0, frame as f32 / 128.0);
            crowd.set_input(character, &Input { move_y: 1.0, run, camera_yaw, ..Default::default() })?;
        }
        crowd.step();
        for &character in &who {
            poses.add_pose(crowd.pose(character).expect("it was added"));
        }
    }
    for &character in &who {
        crowd.pose_between(character, 0.25, &mut pose)?;
        between.add_pose(&pose);
        crowd.pose_local(character, &mut pose)?;
        local.add_pose(&pose);
    }
    poses.print("poses");
    between.print("between");
    local.print("local");
    Ok(())
}

fn main() -> gallop::Result<()> {
    let argument = std::env::args().nth(1).unwrap_or("models/walker.gallop".into());
    if argument == "--layout" {
        gallop::sys::layout().iter().for_each(|line| println!("{line}"));
        return Ok(());
    }
    let controller = Controller::open(argument, &Options::default())?;
    run_network(&controller.network())?;
    run_crowd(&controller)?;
    if let Err(error) = Controller::open("no/such.gallop", &Options::default()) {
        println!("{}: {error}", error.status().text());
    }
    Ok(())
}
