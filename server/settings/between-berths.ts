import { type Read, SettingError, secret, taking } from "./setting.ts";
import { boolean, path, url } from "./setting-values.ts";

/** A token that can be guessed is none. */
const LEAST_TOKEN = 16;

/** For tests, and between a Berth and what it deploys. */
export const betweenBerths = (read: Read) => ({
  isTest: read("BERTH_TEST", boolean, false, {
    means:
      "`true` adds `POST /internal/truncate`, which empties the database. Use it for tests of clients only",
  }),
  /** Every request that does not bring it is refused. */
  gatewayToken: read("GATEWAY_TOKEN", secret(taking(`${LEAST_TOKEN} characters or more`, token)), null, {
    means: "Berth sets it in a deployed process: the token with which the gateway proves itself",
  }),
  /** Written when the process listens, as JSON. */
  instanceFile: read("INSTANCE_FILE", path, null, {
    means: "Berth sets it in a deployed process: the file into which the process writes its pid and port",
  }),
  standby: read("STANDBY", boolean, false, {
    means:
      "Berth sets it in a deployed process: whether the process starts no runs until the gateway tells it to",
  }),
  shipTracesTo: read(["SHIP_TRACES_TO", "SHIP_IMAGE_TRACES_TO"], url, null, {
    means:
      "Berth sets it in a [deployed process](traces.md#from-deployments): the address to which the process sends its traces",
  }),
});

function token(given: string, name: string): string {
  if (given.length < LEAST_TOKEN)
    throw new SettingError(name, given, `must have at least ${LEAST_TOKEN} characters`);
  return given;
}
