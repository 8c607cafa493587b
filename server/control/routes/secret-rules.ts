import { BadRequest, type FaultDetail, type Secret } from "@berth/store";
import { isReservedName } from "../../settings/index.ts";

const MOST_SECRETS = 200;
const MOST_BYTES = 65_536;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What no value of an environment variable can be. */
const isUnfit = (value: string) => value.includes("\0") || !value.isWellFormed();

/**
 * Secrets become environment variables of the deployment's processes.
 * @throws BadRequest a name that the platform needs, or too many of them
 */
export function checkSecrets(secrets: readonly Secret[]): void {
  if (secrets.length > MOST_SECRETS)
    throw new BadRequest(`A deployment has at most ${MOST_SECRETS} secrets, not ${secrets.length}`);
  const reserved = secrets.filter(({ name }) => isReservedName(name)).map(({ name }) => name);
  if (reserved.length > 0)
    throw new BadRequest(`No secret may have a name that the platform sets itself: ${reserved.join(", ")}`);
  const names = secrets.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new BadRequest(`The secret ${twice} is given twice`);
}

/** The faults of single secrets. Their values are in no message and in no echo. */
export function secretFaults(secrets: readonly Secret[]): FaultDetail[] {
  return secrets.flatMap(({ name, value }, at) => [
    ...(NAME.test(name) && name.length <= 255
      ? []
      : [fault(at, "name", "not a name of an environment variable")]),
    ...(Buffer.byteLength(value) <= MOST_BYTES
      ? []
      : [fault(at, "value", `longer than ${MOST_BYTES} bytes`)]),
    ...(isUnfit(value) ? [fault(at, "value", "not a text that an environment variable can hold")] : []),
  ]);
}

const fault = (at: number, field: "name" | "value", reason: string): FaultDetail => ({
  loc: ["body", "secrets", at, field],
  msg: `Value error, ${reason}`,
  type: "value_error",
});
