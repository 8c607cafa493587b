import { detect } from "./detectors/index.ts";

/**
 * The detectors, but for runs whose metadata ask for a fault (`{"engine_fault": "what it says"}`): tests of a whole
 * process have no other way to make a scan fail.
 */
export const detectWithFaults: typeof detect = (whole, baseline) => {
  const { engine_fault: fault } = whole.trace.metadata;
  if (typeof fault === "string") throw new Error(fault);
  return detect(whole, baseline);
};
