/**
 * Gallop in JavaScript: neural character controllers run by its WebAssembly module, in node and in browsers.
 *
 * Space is right-handed, y up, z forward; lengths are in the controller's unit (info.unitMetres), angles in radians, 0
 * faces +z, positive turns +z towards +x. A transform is seven numbers: position x y z, rotation as a quaternion x y z w.
 *
 * Everything that the library refuses is a GallopError; misuse that JavaScript can see is a RangeError or TypeError.
 */

/** A model file or a module: its URL (in node also a path), its bytes, or the answer of a fetch. */
export type Source = string | URL | ArrayBuffer | ArrayBufferView | Response;

export class GallopError extends Error {
  /** The kind: "bad data", "bad argument", "out of memory", "full", "not found", "unsupported". */
  readonly status: string;
}

/**
 * Loads the WebAssembly module; the open functions do so by themselves, so this is for who keeps the modules elsewhere:
 * `relaxed` is dist/gallop.wasm, taken where the engine has relaxed SIMD, `simd` dist/gallop-simd.wasm. Later calls give the
 * module that is there.
 *
 * isas: ["wasm", ...] where the engine's multiply-add rounds once; every result is then the same, bit for bit, as in C on
 * any machine. ["wasm-unfused"] where it does not: results differ in the last bits.
 */
export function load(sources?: {
  relaxed?: Source | WebAssembly.Module;
  simd?: Source | WebAssembly.Module;
}): Promise<{ version: string; isas: string[] }>;

/** How to open a model; the words are those of the command's options. */
export interface Options {
  isa?: string;
  form?: "per-expert" | "blend";
  /** "measure", or the text of another network's `plan`. Changes speed, never results. */
  plan?: string | null;
  precision?: "stored" | "f32" | "fp16" | "bf16" | "bf16-dot" | "int16" | "int8" | "int8-dot";
  /** Inputs that share a scale of integers, a multiple of 16 up to 512; "row": all; 0: as the file says. */
  block?: number | "row";
}

export interface NetworkInfo {
  readonly inputs: number;
  readonly outputs: number;
  readonly liveInputs: number;
  readonly layers: number;
  readonly gate: "caller" | "cubic" | "linear" | "constant" | "network";
  readonly experts: number;
  readonly parameters: number;
  /** Bytes. */
  readonly memory: number;
  readonly isa: string;
  readonly precision: string;
}

/** A model file's network, open for running. */
export class Network {
  private constructor();
  static open(source: Source, options?: Options): Promise<Network>;
  readonly info: NetworkInfo;
  /** How it runs, layer by layer. */
  readonly plan: string;
  /**
   * Outputs [count * outputs] of raw features x [count * inputs]. A phase gate needs `phase`, radians, one or [count]; a
   * caller's gate of several experts `blend`, [experts] or [count * experts]; a gating network neither.
   */
  run(x: ArrayLike<number>, gate?: { phase?: number | ArrayLike<number>; blend?: ArrayLike<number> }): Float32Array;
  /** Frees it; a network that is forgotten is freed some time. */
  close(): void;
}

export interface Joint {
  readonly name: string;
  /** Index of the parent, which stands before its children; -1: none. */
  readonly parent: number;
  /** Rest transform in the parent's frame. */
  readonly rest: Float32Array;
}

export interface ControllerInfo {
  readonly name: string;
  /** Frames per second that a step stands for. */
  readonly rate: number;
  /** Metres in one unit of length. */
  readonly unitMetres: number;
  readonly contacts: number;
  readonly legs: number;
  /** Units per second at full stick. */
  readonly speedWalk: number;
  readonly speedRun: number;
  /** Whether `crouch` and `jump` of an Input do anything. */
  readonly canCrouch: boolean;
  readonly canJump: boolean;
}

/** A model file's contract, network and motion rules; shared by any number of crowds. */
export class Controller {
  private constructor();
  static open(source: Source, options?: Options): Promise<Controller>;
  readonly info: ControllerInfo;
  readonly joints: readonly Joint[];
  /** The joints that the contacts of a State touch the ground with, in their order. */
  readonly contactJoints: readonly number[];
  /** Names of its gaits: "stand", "walk", "run", "crouch", "jump" or some of them. */
  readonly gaits: readonly string[];
  /** The network inside, which lives as long as the controller. */
  readonly network: Network;
  /** Frees it, after its crowds. */
  close(): void;
}

/** heights [rows * columns], row r at z = originZ + r cell, column c at x = originX + c cell; bilinear between, clamped. */
export interface HeightField {
  heights: ArrayLike<number>;
  rows: number;
  columns: number;
  cell: number;
  originX?: number;
  originZ?: number;
}

/** What the player wants; numbers out of range are clamped. */
export interface Input {
  /** Stick, -1..1: to the right of the camera, and away from it; longer than 1 is cut to 1. A dead zone is yours. */
  moveX?: number;
  moveY?: number;
  /** 0 walk .. 1 full run. */
  run?: number;
  /** 0 face where you go .. 1 face where the camera looks. */
  strafe?: number;
  crouch?: number;
  /** Radians, 0: the camera looks along +z. */
  cameraYaw?: number;
  /** Quicker, less natural turns. */
  responsive?: boolean;
  jump?: boolean;
}

export interface State {
  readonly root: [x: number, y: number, z: number];
  readonly facing: number;
  readonly phase: number;
  /** Units per second. */
  readonly speed: number;
  /** 0..1, of the controller's `contactJoints`. */
  readonly contacts: number[];
}

/** Up to `capacity` characters of one controller. What one does never depends on who else is there. */
export class Crowd {
  /**
   * ground: the height at a point; null: flat. A function is called many times a character and step. standIns: up to three
   * cheaper controllers of the same body, for `setPace`: another precision, or a smaller network.
   */
  constructor(
    controller: Controller,
    options?: {
      capacity?: number;
      ground?: HeightField | ((x: number, z: number) => number) | null;
      standIns?: readonly Controller[];
    },
  );
  readonly controller: Controller;
  /** The controller and its stand-ins. */
  readonly controllers: readonly Controller[];
  readonly count: number;
  /** Handles of all, in the order of `poses`. */
  readonly characters: number[];
  /** Times a character whose state became non-finite was set back to rest. */
  readonly resets: number;
  /** Adds a character at rest; returns its handle. */
  add(spawn?: { x?: number; z?: number; facing?: number; phase?: number }): number;
  remove(character: number): void;
  /** What the player wants from the next step on; what is left out is 0. */
  setInput(character: number, input: Input): void;
  /** Puts a character elsewhere as it is, in the middle of its step. */
  teleport(character: number, x: number, z: number, facing: number): void;
  /** Foot locking of one character, on at the start. */
  setFootLock(character: number, on: boolean): void;
  /**
   * How a character is evaluated: `frames`, 1..8, that one evaluation stands for, and by which `level`: 0 the controller, else
   * that stand-in. null: as the crowd decides, which is every frame by the controller.
   */
  setPace(character: number, pace: { frames: number; level?: number } | null): void;
  /** How much a character matters to the budget, against the others: 1 / its distance, ...; 1 at the start. */
  setPriority(character: number, priority: number): void;
  /**
   * What a step may cost: the crowd then decides how often, and by which stand-in, each character is evaluated, once in 8
   * frames at least. nominal: by no clock but nominal costs, so that the same choices come everywhere. null: no budget.
   */
  setBudget(milliseconds: number | null, options?: { nominal?: boolean }): void;
  /** Of the last step: its time, characters evaluated, on the way to their last evaluation, and new ones that wait. */
  readonly load: {
    readonly milliseconds: number;
    readonly evaluated: number;
    readonly bridged: number;
    readonly waiting: number;
    readonly bar: number;
  };
  /** One frame of 1 / rate seconds for all. */
  step(): void;
  /** The whole frames due after `seconds` more (at most `most`, 0: 4): how many ran, and the part of one left over. */
  advance(seconds: number, most?: number): { frames: number; fraction: number };
  /** World transforms [joints * 7] after the last step, in `out` where it is given. */
  pose(character: number, out?: Float32Array): Float32Array;
  /** The same between the last two steps, for displays of another rate: 0 the earlier, 1 the later. */
  poseBetween(character: number, fraction: number, out?: Float32Array): Float32Array;
  /** Transforms in each parent's frame. */
  poseLocal(character: number, out?: Float32Array): Float32Array;
  /** World transforms of all, [count * joints * 7], between the last two steps; 1, the default: after the last. */
  poses(fraction?: number, out?: Float32Array): Float32Array;
  state(character: number): State;
  /** How much a character is in each of the controller's `gaits`, 0..1, by name: a jump's is 1 at its top. */
  gaits(character: number): Record<string, number>;
  /** World points [samples * 3] and facings [samples] of a character's path. */
  trajectory(character: number): { points: Float32Array; facings: Float32Array };
  /** All that the crowd goes on from, as bytes: equal states give equal bytes. */
  save(): Uint8Array;
  /** Makes the crowd what the saved one was, bit for bit. What is refused leaves it as it is. */
  restore(snapshot: ArrayBuffer | ArrayBufferView): void;
  /** Frees it; a crowd that is forgotten is freed some time. */
  close(): void;
}
