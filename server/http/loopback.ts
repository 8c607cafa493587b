const loopbackAddress = /^127(?:\.\d{1,3}){3}$/;

/** Whether a `Host` value (`localhost:8123`, `[::1]`) names this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name === "localhost" || name === "[::1]" || loopbackAddress.test(name);
}

/** Whether an `Origin` value is a page served by this machine; the opaque origin `null` is not. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return host !== undefined && isLoopbackHost(host);
}
