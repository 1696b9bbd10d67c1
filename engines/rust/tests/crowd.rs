//! Crowds through the crate: walking, handles, ground, threads, snapshots, and what is refused.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use gallop::{
    Budget, Character, Controller, Crowd, CrowdOptions, Ground, Group, HeightField, Input, Options, Pace, Parallel, Precision,
    Spawn, Status, Transform,
};

fn controller() -> Controller {
    Controller::open("models/walker.gallop", &Options::default()).unwrap()
}

fn crowd_on(ground: Ground) -> Crowd {
    Crowd::new(&[Group::of(&controller(), 2)], CrowdOptions { ground, ..Default::default() }).unwrap()
}

const FORWARD: Input = Input {
    move_x: 0.0,
    move_y: 1.0,
    run: 0.0,
    strafe: 0.0,
    crouch: 0.0,
    camera_yaw: 0.0,
    responsive: false,
    jump: false,
};

fn walk(crowd: &mut Crowd, who: Character, frames: usize) -> Vec<Transform> {
    crowd.set_input(who, &FORWARD).unwrap();
    (0..frames).for_each(|_| crowd.step());
    crowd.pose(who).unwrap().to_vec()
}

#[test]
fn walks_forward() {
    let mut crowd = crowd_on(Ground::Flat);
    let who = crowd.add(&Spawn::default()).unwrap();
    walk(&mut crowd, who, 120);
    let (state, info) = (crowd.state(who).unwrap(), crowd.controller(who).unwrap().info());
    assert!(state.root.z > 0.5 * info.speed_walk && state.root.x.abs() < 0.2 * info.speed_walk, "{state:?}");
    let controller = crowd.controller(who).unwrap();
    let (joints, touching) = (controller.joints(), controller.contact_joints());
    let names: Vec<_> = touching.iter().map(|&joint| joints[joint].name.as_str()).collect();
    assert_eq!(names, ["LeftAnkle", "LeftToe", "RightAnkle", "RightToe"]);
    assert_eq!(controller.gaits(), ["stand", "walk", "run"]);
    let gaits = crowd.gaits(who);
    assert!(gaits.len() == 3 && gaits[1] > 0.9 && gaits[0] < 0.1, "{gaits:?}");
    let (points, facings) = crowd.trajectory(who);
    assert!(!points.is_empty() && points.len() == facings.len());
    assert!(points.windows(2).all(|pair| pair[0].z < pair[1].z));
}

#[test]
fn handles_are_checked() {
    let mut crowd = crowd_on(Ground::Flat);
    let (first, second) = (crowd.add(&Spawn::default()).unwrap(), crowd.add(&Spawn::default()).unwrap());
    assert_eq!(crowd.add(&Spawn::default()).unwrap_err().status(), Status::Full);
    assert_eq!(crowd.characters().collect::<Vec<_>>(), [first, second]);
    crowd.remove(first).unwrap();
    assert_eq!(crowd.len(), 1);
    assert!(crowd.pose(first).is_none());
    for error in [
        crowd.remove(first).unwrap_err(),
        crowd.set_input(first, &FORWARD).unwrap_err(),
        crowd.state(first).unwrap_err(),
        crowd.pose_local(first, &mut []).unwrap_err(),
    ] {
        assert_eq!(error.status(), Status::NotFound);
        assert!(error.to_string().contains(&first.number().to_string()), "{error}");
    }
    let nowhere = Spawn { x: f32::NAN, ..Default::default() };
    assert_eq!(crowd.add(&nowhere).unwrap_err().status(), Status::BadArgument);
}

#[test]
#[should_panic(expected = "a transform for each joint")]
fn a_short_pose_is_a_panic() {
    let mut crowd = crowd_on(Ground::Flat);
    let who = crowd.add(&Spawn::default()).unwrap();
    let _ = crowd.pose_between(who, 0.5, &mut [Transform::default(); 3]);
}

#[test]
fn advances_by_seconds() {
    let mut crowd = crowd_on(Ground::Flat);
    let who = crowd.add(&Spawn::default()).unwrap();
    crowd.set_input(who, &FORWARD).unwrap();
    let (ran, fraction) = crowd.advance(2.5 / crowd.controller(who).unwrap().info().rate, 0);
    assert!(ran == 2 && (fraction - 0.5).abs() < 1e-3);
    let mut pose = vec![Transform::default(); crowd.controller(who).unwrap().info().joints];
    crowd.pose_between(who, 1.0, &mut pose).unwrap();
    let after = crowd.pose(who).unwrap();
    assert!(pose.iter().zip(after).all(|(a, b)| (a.position.z - b.position.z).abs() < 1e-3));
}

#[test]
fn the_field_is_the_ground() {
    let heights = vec![0.0, 0.0, 50.0, 50.0, 100.0, 100.0];
    let field = HeightField { heights, columns: 2, cell: 100.0, origin_x: -50.0, origin_z: 0.0 };
    let mut sloped = crowd_on(Ground::Field(field));
    let mut same = crowd_on(Ground::Function(Box::new(|_, z| z.clamp(0.0, 200.0) / 2.0)));
    let (a, b) = (sloped.add(&Spawn::default()).unwrap(), same.add(&Spawn::default()).unwrap());
    let (a, b) = (walk(&mut sloped, a, 60), walk(&mut same, b, 60));
    assert!(a[0].position.y > 60.0);
    assert!(a.iter().zip(&b).all(|(a, b)| (a.position.y - b.position.y).abs() < 0.1));
}

#[test]
fn a_field_that_is_none_is_refused() {
    for (count, columns, cell) in [(6, 4, 1.0), (2, 2, 1.0), (6, 0, 1.0), (6, 2, 0.0), (6, 2, f32::NAN)] {
        let field = HeightField { heights: vec![0.0; count], columns, cell, origin_x: 0.0, origin_z: 0.0 };
        let options = CrowdOptions { ground: Ground::Field(field), ..Default::default() };
        assert_eq!(Crowd::new(&[Group::of(&controller(), 0)], options).err().unwrap().status(), Status::BadArgument);
    }
}

#[test]
fn a_panic_in_the_ground_comes_out_of_the_step() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let mut crowd = crowd_on(Ground::Function(Box::new(move |_, z| {
        counted.fetch_add(1, Ordering::Relaxed);
        assert!(z < 150.0, "the world ends here");
        0.0
    })));
    let who = crowd.add(&Spawn::default()).unwrap();
    let ended = catch_unwind(AssertUnwindSafe(|| walk(&mut crowd, who, 600)));
    assert_eq!(*ended.unwrap_err().downcast::<&str>().unwrap(), "the world ends here");
    assert!(calls.load(Ordering::Relaxed) > 10);
    crowd.remove(who).unwrap();
}

/// Threads that are made for each call: for a test, not for a game.
struct TwoThreads(Arc<AtomicU32>);

unsafe impl Parallel for TwoThreads {
    fn threads(&self) -> u32 {
        2
    }

    fn run(&self, count: u32, task: &(dyn Fn(u32) + Sync)) {
        self.0.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for thread in 0..2 {
                scope.spawn(move || (thread..count).step_by(2).for_each(task));
            }
        });
    }
}

#[test]
fn threads_change_no_bit() {
    let poses = [false, true].map(|threaded| {
        let calls = Arc::new(AtomicU32::new(0));
        let parallel = threaded.then(|| Box::new(TwoThreads(calls.clone())) as Box<dyn Parallel>);
        let options = CrowdOptions { parallel, ..Default::default() };
        let mut crowd = Crowd::new(&[Group::of(&controller(), 20)], options).unwrap();
        for i in 0..20 {
            let who = crowd.add(&Spawn { phase: i as f32, ..Default::default() }).unwrap();
            crowd.set_input(who, &FORWARD).unwrap();
        }
        (0..30).for_each(|_| crowd.step());
        assert_eq!(calls.load(Ordering::Relaxed) > 0, threaded);
        let all: Vec<Character> = crowd.characters().collect();
        all.into_iter().flat_map(|who| crowd.pose(who).unwrap().to_vec()).collect::<Vec<_>>()
    });
    assert_eq!(poses[0], poses[1]);
}

#[test]
fn a_restored_crowd_goes_on_as_the_saved_one_did() {
    let (mut crowd, mut bytes) = (crowd_on(Ground::Flat), Vec::new());
    let who = crowd.add(&Spawn::default()).unwrap();
    walk(&mut crowd, who, 40);
    crowd.save(&mut bytes);
    let first = walk(&mut crowd, who, 40);
    crowd.restore(&bytes).unwrap();
    assert_eq!(walk(&mut crowd, who, 40), first);
    assert_eq!(crowd.restore(&bytes[..100]).unwrap_err().status(), Status::BadData);
    assert_eq!(crowd.len(), 1);
}

#[test]
fn characters_are_moved_and_unlocked() {
    let mut crowd = crowd_on(Ground::Flat);
    let who = crowd.add(&Spawn::default()).unwrap();
    walk(&mut crowd, who, 10);
    crowd.set_foot_lock(who, false).unwrap();
    crowd.teleport(who, 1000.0, -500.0, 0.0).unwrap();
    let root = crowd.state(who).unwrap().root;
    assert!((root.x - 1000.0).abs() < 1e-2 && (root.z + 500.0).abs() < 1e-2);
    assert_eq!(crowd.resets(), 0);
}

#[test]
fn crowds_go_to_other_threads() {
    fn both<T: Send + Sync>() {}
    both::<Controller>();
    both::<Crowd>();
    let mut crowd = crowd_on(Ground::Flat);
    let who = crowd.add(&Spawn::default()).unwrap();
    let walked = std::thread::spawn(move || walk(&mut crowd, who, 20)).join().unwrap();
    assert_eq!(walked.len(), controller().info().joints);
}

#[test]
fn groups_have_their_own_controllers() {
    let (first, second) = (controller(), controller());
    let mut crowd = Crowd::new(&[Group::of(&first, 1), Group::of(&second, 2)], CrowdOptions::default()).unwrap();
    let who = crowd.add(&Spawn { group: 1, ..Default::default() }).unwrap();
    crowd.add(&Spawn::default()).unwrap();
    assert_eq!(crowd.add(&Spawn::default()).unwrap_err().status(), Status::Full);
    let nowhere = Spawn { group: 2, ..Default::default() };
    assert_eq!(crowd.add(&nowhere).unwrap_err().status(), Status::BadArgument);
    assert!(crowd.controller(who).is_some());
    assert!(crowd.controller(Character::from_number(77).unwrap()).is_none());
    assert_eq!(Crowd::new(&[], CrowdOptions::default()).err().unwrap().status(), Status::BadArgument);
}

#[test]
fn a_stand_in_takes_over() {
    let own = controller();
    let cheap = Options { precision: Precision::Int8, ..Default::default() };
    let stand_in = Controller::open("models/walker.gallop", &cheap).unwrap();
    let group = Group { stand_ins: &[&stand_in], ..Group::of(&own, 1) };
    let mut crowd = Crowd::new(&[group], CrowdOptions::default()).unwrap();
    drop(stand_in); // the crowd has it
    let who = crowd.add(&Spawn::default()).unwrap();
    let pace = Pace { frames: 2, level: 1 };
    crowd.set_pace(who, Some(pace)).unwrap();
    walk(&mut crowd, who, 60);
    assert_eq!(crowd.pace(who).unwrap(), pace);
    let none = Pace { frames: 1, level: 2 };
    assert_eq!(crowd.set_pace(who, Some(none)).unwrap_err().status(), Status::BadArgument);
    crowd.set_pace(who, None).unwrap();
    walk(&mut crowd, who, 9);
    assert_eq!(crowd.pace(who).unwrap(), Pace { frames: 1, level: 0 });
    let many = Group { stand_ins: &[&own; 4], ..Group::of(&own, 1) };
    assert_eq!(Crowd::new(&[many], CrowdOptions::default()).err().unwrap().status(), Status::BadArgument);
}

#[test]
fn a_budget_thins_evaluations_out() {
    let own = controller();
    let mut crowd = Crowd::new(&[Group::of(&own, 8)], CrowdOptions::default()).unwrap();
    for i in 0..8 {
        let who = crowd.add(&Spawn { x: 100.0 * i as f32, ..Default::default() }).unwrap();
        crowd.set_input(who, &FORWARD).unwrap();
        crowd.set_priority(who, if i == 0 { 8.0 } else { 1.0 }).unwrap();
    }
    (0..20).for_each(|_| crowd.step());
    assert_eq!(crowd.load().evaluated, 0); // not told without a budget
    crowd.set_budget(Some(Budget::Nominal(1.0))).unwrap();
    (0..40).for_each(|_| crowd.step());
    let load = crowd.load();
    assert!(load.evaluated < 8 && load.evaluated + load.bridged == 8, "{load:?}");
    crowd.set_budget(Some(Budget::Measured(1e6))).unwrap();
    (0..40).for_each(|_| crowd.step());
    assert!(crowd.load().evaluated == 8 && crowd.load().microseconds > 0.0, "{:?}", crowd.load());
    assert_eq!(crowd.set_budget(Some(Budget::Nominal(-1.0))).unwrap_err().status(), Status::BadArgument);
}
