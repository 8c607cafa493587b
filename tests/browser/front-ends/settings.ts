/** Where a front-end's page finds the agent: from the page's own address. */
const query = new URLSearchParams(location.search);

export const apiUrl = query.get("url") ?? "";
export const apiKey = query.get("key") ?? "";
export const assistantId = query.get("assistant") ?? "";
