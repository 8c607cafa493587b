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
export {
  blockList,
  isLoopbackHost,
  isLoopbackOrigin,
  isOwnAddress,
  PRIVATE_TOO,
  Reach,
  Refused,
} from "./reach.ts";
