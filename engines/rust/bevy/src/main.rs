//! Walkers in Bevy: an entity each, one crowd for all, shown at the display's frames between its own steps.
//!
//!     cargo run --release [MODEL.gallop]
//!
//! It runs without a window: bevy_app and bevy_ecs alone. In a game the seconds of a frame come from bevy_time's `Time`,
//! and `show` is where a pose goes to the entities of a skinned mesh's joints: each in its parent's frame
//! (samples/actor.c), in Bevy's axes, which are the crowd's turned about y by half a turn (docs/game.md, Godot's row),
//! times `unit_metres`.

use bevy_app::{App, Startup, Update};
use bevy_ecs::prelude::*;

use gallop::{Character, Controller, Group, Input, Options, Spawn, Transform};

const FRAMES: u32 = 5 * 144;
const SECONDS: f32 = 1.0 / 144.0; // of a frame

#[derive(Resource)]
struct Walkers {
    crowd: gallop::Crowd,
    fraction: f32, // where the frame lies between the last two steps
}

/// An entity's place in the crowd.
#[derive(Component)]
struct Walker(Character);

/// What its player wants; any system may write it.
#[derive(Component, Default)]
struct Wish(Input);

/// Where its hips are, in metres, in Bevy's axes.
#[derive(Component, Default, Debug)]
struct Hips([f32; 3]);

fn spawn(mut commands: Commands, mut walkers: ResMut<Walkers>) {
    for i in 0..8 {
        let start = Spawn { x: 200.0 * i as f32, phase: i as f32, ..Default::default() };
        let who = walkers.crowd.add(&start).expect("the crowd has room for eight");
        let wish = Input { move_y: 1.0, run: i as f32 / 7.0, ..Default::default() };
        commands.spawn((Walker(who), Wish(wish), Hips::default()));
    }
}

fn think(mut walkers: ResMut<Walkers>, wishes: Query<(&Walker, &Wish), Changed<Wish>>) {
    for (walker, wish) in &wishes {
        walkers.crowd.set_input(walker.0, &wish.0).expect("a walker is in the crowd");
    }
}

fn step(mut walkers: ResMut<Walkers>) {
    walkers.fraction = walkers.crowd.advance(SECONDS, 0).1;
}

fn show(walkers: Res<Walkers>, mut shown: Query<(&Walker, &mut Hips)>, mut pose: Local<Vec<Transform>>) {
    for (walker, mut hips) in &mut shown {
        let controller = walkers.crowd.controller(walker.0).expect("a walker is in the crowd");
        let info = controller.info();
        pose.resize(info.joints, Transform::default());
        walkers.crowd.pose_between(walker.0, walkers.fraction, &mut pose).expect("a walker is in the crowd");
        let at = pose[0].position;
        hips.0 = [-at.x * info.unit_metres, at.y * info.unit_metres, -at.z * info.unit_metres];
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = std::env::args().nth(1).unwrap_or("../../../models/walker.gallop".into());
    let controller = Controller::open(model, &Options::default())?;
    let crowd = gallop::Crowd::new(&[Group::of(&controller, 64)], Default::default())?;
    let mut app = App::new();
    app.insert_resource(Walkers { crowd, fraction: 0.0 })
        .add_systems(Startup, spawn)
        .add_systems(Update, (think, step, show).chain());
    for _ in 0..FRAMES {
        app.update();
    }
    let world = app.world_mut();
    for (walker, hips) in world.query::<(&Walker, &Hips)>().iter(world) {
        let [x, y, z] = hips.0;
        println!("character {}  hips at {x:6.2} {y:5.2} {z:6.2} m", walker.0.number());
    }
    Ok(())
}
