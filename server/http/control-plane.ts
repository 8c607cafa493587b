const paths = /^\/(?:api-host\/)?(?:v1|v2|deployments|api-host|d|langsmith|internal\/truncate)(?:\/|$)/;

/** What belongs to whoever runs this server, and not to the project that it serves: keys alone count there. */
export const isControlPlane = (pathname: string): boolean => paths.test(pathname);

/** A path as logs may have it: whoever knows the address of an upload may send one. */
export const loggedPath = (pathname: string): string => pathname.replace(/(\/v2\/uploads\/+)[^/]+/, "$1…");

/** Whether a deployed process answers there, which minds its origins itself: preflights are for it to answer. */
export const isBehindGateway = (pathname: string): boolean => pathname.startsWith("/d/");
