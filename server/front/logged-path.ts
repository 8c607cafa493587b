/** A path as logs may have it: whoever knows the address of an upload may send one. */
export const loggedPath = (pathname: string): string => pathname.replace(/(\/v2\/uploads\/+)[^/]+/, "$1…");
