const upload = /^(?:\/api-host)?\/v2\/uploads\/[^/]+$/;
const pushHook = /^(?:\/api-host)?\/v2\/deployments\/[^/]+\/push-hook$/;

const shipments = /^\/langsmith\/instances\/[^/]+\/shipments$/;

/** Where the request itself shows that it may be made: by its address, its signature, or the token of an instance. */
export const isOpenControlPath = (pathname: string, method: string): boolean =>
  (method === "PUT" && upload.test(pathname)) ||
  (method === "POST" && (pushHook.test(pathname) || shipments.test(pathname)));
