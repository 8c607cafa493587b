// Starts an instance in the data folder that it is given, says which, and waits to be killed.
import { openRig, started } from "./rig.ts";

const rig = openRig({ dataDir: process.argv[2] ?? "" });
const { instance, deployment } = await started(rig);
process.stdout.write(`${JSON.stringify({ row: rig.row(instance.id), deployment })}\n`);
setInterval(() => undefined, 60_000);
