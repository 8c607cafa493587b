import { partition, unknownSettings, unknownText } from "../settings/index.ts";
import { type DoctorVerdict, ok, warning } from "./finding.ts";
import type { Patient } from "./patient.ts";

/** Whether something was set that nobody reads. */
export function checkSettings({ environment }: Patient): DoctorVerdict {
  const [mistaken, others] = partition(unknownSettings(environment)).map((some) => some.map(unknownText));
  if (mistaken && mistaken.length > 0)
    return warning(
      `Berth has no setting of this name: ${mistaken.join(", ")}`,
      "correct it or leave it out; docs/configuration.md has all of them",
    );
  const rest = others && others.length > 0 ? `; not Berth's, as it seems: ${others.join(", ")}` : "";
  return ok(`every name is known${rest}`);
}
