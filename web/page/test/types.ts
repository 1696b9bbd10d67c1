// What a user of the types writes; the compiler checks it, nothing runs it.
import { Controller, Crowd, GallopError, load, Network } from "gallop";
import type { HeightField, Input, Options } from "gallop";

const options: Options = { precision: "int8", block: "row" };
const field: HeightField = { heights: new Float32Array(4), rows: 2, columns: 2, cell: 1 };

export async function walk(bytes: Uint8Array): Promise<Float32Array> {
  const { isas }: { isas: string[] } = await load();
  const controller = await Controller.open(bytes, options);
  const crowd = new Crowd(controller, { capacity: isas.length, ground: field });
  const input: Input = { moveY: 1, run: 0.5 };
  const who: number = crowd.add({ x: 1 });
  crowd.setInput(who, input);
  crowd.advance(1 / 60);
  // @ts-expect-error: a stick is a number
  crowd.setInput(who, { moveX: "left" });
  // @ts-expect-error: no such precision
  await Network.open(bytes, { precision: "int9" });
  try {
    return crowd.pose(who);
  } catch (error) {
    throw error instanceof GallopError ? new Error(error.status) : error;
  }
}
