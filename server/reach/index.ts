export {
  addressesOf,
  checkUrl,
  hostOf,
  isClosedPort,
  judgingLookup,
  lookUp,
  portOf,
  type Resolve,
  readUrl,
  resolveName,
  UnknownHost,
} from "./destination.ts";
export { isLoopbackHost, isLoopbackOrigin } from "./loopback.ts";
export { blockList, PRIVATE_TOO, Reach, Refused } from "./reach.ts";
