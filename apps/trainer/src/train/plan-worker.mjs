// Plain JavaScript, so that a worker thread can run it from the sources and from the build alike.
// A plan over the whole world takes longer than a step's native work hides, so it is made here.
import { parentPort } from "node:worker_threads";
import { pairsCost } from "@libra/cost-model";
import { plannerByName } from "@libra/scheduler";

const planners = new Map();

function plannerOf(name, options) {
  const key = JSON.stringify([name, options]);
  if (!planners.has(key)) planners.set(key, plannerByName(name, options));
  return planners.get(key);
}

/** The memory of every typed array in a plan: it moves to the other thread, uncopied. */
function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) buffersOf(part, found);
  }
  return found;
}

parentPort.on("message", ({ id, planner, options, input, rowBlock }) => {
  try {
    const plan = plannerOf(planner, options).plan({ ...input, cost: pairsCost(rowBlock) });
    parentPort.postMessage({ id, plan }, [...buffersOf(plan)]);
  } catch ({ code, message }) {
    parentPort.postMessage({ id, error: { code, message } });
  }
});
