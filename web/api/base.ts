/** What addresses of our documents end with: the chat's, the console's, and where one signs in. */
const OWN = /\/(?:chat\/[^/]*|sign-in|console(?:\/.*)?)?$/;

/**
 * The path in front of every address of this server, with no slash at the end: a deployment's chat is at
 * `/d/{deployment_id}/`. Read from the address under which the page was opened.
 */
export const base: string = (globalThis.location?.pathname ?? "/").replace(OWN, "");

/** The address of the console: a deployment's chat is below the Berth that has it. */
export const consoleAddress: string = `${base.replace(/\/d\/[^/]+$/, "")}/console`;
