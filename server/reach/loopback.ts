const loopbackAddress = /^127(?:\.\d{1,3}){3}$/;

/** Whether a `Host` value (`localhost:8123`, `[::1]`), or an address to listen at (`::1`), is this machine's only. */
export function isLoopbackHost(host: string): boolean {
  if (host === "::1") return true;
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name === "localhost" || name === "[::1]" || loopbackAddress.test(name);
}

/** Whether an `Origin` value is a page served by this machine; the opaque origin `null` is not. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return host !== undefined && isLoopbackHost(host);
}
