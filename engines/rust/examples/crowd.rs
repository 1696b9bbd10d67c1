//! Eight characters walk a circle each; their places are printed once a second.
//!
//!     cargo run --release --example crowd [MODEL.gallop]

use gallop::{Controller, Crowd, CrowdOptions, Group, Input, Options, Spawn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = std::env::args().nth(1).unwrap_or("models/walker.gallop".into());
    let controller = Controller::open(model, &Options::default())?;
    let mut crowd = Crowd::new(&[Group::of(&controller, 8)], CrowdOptions::default())?;
    let who = (0..8)
        .map(|i| crowd.add(&Spawn { x: 200.0 * i as f32, phase: i as f32, ..Default::default() }))
        .collect::<Result<Vec<_>, _>>()?;
    for frame in 0..5 * 60 {
        for (i, &character) in who.iter().enumerate() {
            let (run, camera_yaw) = (i as f32 / 7.0, 0.01 * frame as f32);
            crowd.set_input(character, &Input { move_y: 1.0, run, camera_yaw, ..Default::default() })?;
        }
        crowd.step();
        for (i, &character) in who.iter().enumerate().filter(|_| frame % 60 == 59) {
            let hips = crowd.pose(character).expect("it was added")[0].position;
            println!("{:4}  character {i}  hips at {:8.2} {:7.2} {:8.2}", frame + 1, hips.x, hips.y, hips.z);
        }
    }
    Ok(())
}
