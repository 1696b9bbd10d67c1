//! The bare network: rows by themselves or together are the same, wrong lengths are refused with nothing written.

use gallop::{Controller, Error, Gate, Network, Options, Precision, Status};

const WALKER: &str = "models/walker.gallop";

fn open(options: &Options) -> Network<'static> {
    Network::open(WALKER, options).unwrap()
}

fn some(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 % 101) as f32 - 50.0) / 25.0).collect()
}

#[test]
fn a_row_does_not_depend_on_the_others() {
    let network = open(&Options::default());
    let info = network.info();
    let (x, phase) = (some(5 * info.inputs), some(5));
    let mut together = vec![0.0; 5 * info.outputs];
    network.run(&x, Gate::Phase(&phase), &mut together, &mut network.workspace(5)).unwrap();
    let mut workspace = network.workspace(1);
    for i in 0..5 {
        let mut alone = vec![0.0; info.outputs];
        let row = &x[i * info.inputs..(i + 1) * info.inputs];
        network.run(row, Gate::Phase(&phase[i..=i]), &mut alone, &mut workspace).unwrap();
        assert_eq!(alone, together[i * info.outputs..(i + 1) * info.outputs]);
        assert!(alone.iter().any(|value| *value != 0.0));
    }
}

fn refused(x: usize, phase: &[f32], y: usize, rows: u32) -> Error {
    let network = open(&Options::default());
    let mut out = vec![7.0; y];
    let error = network.run(&some(x), Gate::Phase(phase), &mut out, &mut network.workspace(rows)).unwrap_err();
    assert!(out.iter().all(|value| *value == 7.0));
    error
}

#[test]
fn what_does_not_fit_is_refused() {
    let info = open(&Options::default()).info();
    let (inputs, outputs) = (info.inputs, info.outputs);
    assert_eq!(refused(inputs + 1, &[0.0], outputs, 1).status(), Status::BadArgument);
    assert!(refused(inputs, &[0.0, 0.0], outputs, 1).to_string().contains("phase has 2 values, 1 expected"));
    assert!(refused(inputs, &[0.0], outputs - 1, 1).to_string().contains("y has"));
    assert_eq!(refused(inputs, &[f32::NAN], outputs, 1).status(), Status::BadArgument);
    assert_eq!(refused(2 * inputs, &[0.0, 0.0], 2 * outputs, 1).status(), Status::NoMemory);
}

#[test]
fn names_are_the_library_s() {
    let names = ["stored", "f32", "fp16", "bf16", "bf16-dot", "int16", "int8", "int8-dot"];
    assert_eq!(Precision::ALL.map(Precision::name), names);
    let words = Status::ALL.map(Status::text);
    assert_eq!(words[0], "bad data");
    assert_eq!(words[6], "unsupported");
}

#[test]
fn options_reach_the_library() {
    let stored = open(&Options::default()).info();
    let halved = open(&Options { precision: Precision::Int8, ..Default::default() }).info();
    assert!(halved.memory < stored.memory);
    let plan = Options { plan: "nonsense".into(), ..Default::default() };
    assert_eq!(Network::open(WALKER, &plan).unwrap_err().status(), Status::BadArgument);
}

#[test]
fn bytes_open_as_the_file_does() {
    let bytes = std::fs::read(WALKER).unwrap();
    let network = Network::from_bytes(&bytes, &Options::default()).unwrap();
    assert_eq!(network.info(), open(&Options::default()).info());
    let broken = Network::from_bytes(&bytes[..1000], &Options::default()).unwrap_err();
    assert_eq!(broken.status(), Status::BadData);
}

#[test]
fn threads_share_a_controller() {
    let controller = Controller::open(WALKER, &Options::default()).unwrap();
    let outputs: Vec<Vec<f32>> = std::thread::scope(|scope| {
        let run = || {
            let network = controller.network();
            let mut y = vec![0.0; network.info().outputs];
            let x = some(network.info().inputs);
            network.run(&x, Gate::Phase(&[1.0]), &mut y, &mut network.workspace(1)).unwrap();
            y
        };
        let started = [scope.spawn(run), scope.spawn(run)];
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outputs[0], outputs[1]);
}
