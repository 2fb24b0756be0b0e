// The machine as libra calibrate measures it, in the form in which libra simulate takes it.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runCalibrate } from "@libra/runtime";
import { readCluster } from "@libra/simulator";

export async function calibrateMachine(folder, seconds) {
  const [out, cluster] = [join(folder, "profile.json"), join(folder, "cluster.yaml")];
  const lines = [];
  const code = await runCalibrate(
    [
      "--out",
      out,
      "--cluster",
      cluster,
      "--overwrite",
      "--seconds",
      seconds,
      "--threads",
      "1",
      "--json",
    ],
    { print: (line) => lines.push(line) },
  );
  if (code !== 0) throw new Error("libra calibrate failed");
  const calibration = JSON.parse(lines.at(-1));
  const text = readFileSync(cluster, "utf8");
  const beside = (path) => readFileSync(resolve(dirname(cluster), path), "utf8");
  return { calibration, cluster: readCluster(text, beside) };
}
