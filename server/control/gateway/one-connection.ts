/** Headers of an answer that are said of one connection only (RFC 9110 §7.6.1). */
export const ANSWERED_ON_ONE_CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Headers of a request that are not passed on, whoever stands behind us. */
export const ASKED_ON_ONE_CONNECTION = [
  ...ANSWERED_ON_ONE_CONNECTION,
  // Said anew with the body that there is: whoever announces one that never comes would be sent others' requests as it.
  "content-length",
  "expect",
  "proxy-authorization",
  "te",
];
