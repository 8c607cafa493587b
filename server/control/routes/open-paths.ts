const upload = /^(?:\/api-host)?\/v2\/uploads\/[^/]+$/;
const pushHook = /^(?:\/api-host)?\/v2\/deployments\/[^/]+\/push-hook$/;

/** Where the request itself shows that it may be made: by its address, or by its signature. */
export const isOpenControlPath = (pathname: string, method: string): boolean =>
  (method === "PUT" && upload.test(pathname)) || (method === "POST" && pushHook.test(pathname));
