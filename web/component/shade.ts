type Shade = "light" | "dark";

const NAME = "color_scheme";

/**
 * The markup of a component with its stylesheet in the chat's theme: browsers tell a document in a frame what the
 * reader's system prefers, and not what was chosen in the chat.
 */
export function inShade(markup: string, shade: Shade): string {
  return markup.replace(/(<link rel="stylesheet" href="[^"?]+)"/, `$1?${NAME}=${shade}"`);
}

/** The same for a component that is drawn already. */
export function recolour(host: Element, shade: Shade): void {
  for (const link of host.shadowRoot?.querySelectorAll("link") ?? []) {
    const address = new URL(link.href);
    if (address.searchParams.get(NAME) === shade) continue;
    address.searchParams.set(NAME, shade);
    link.href = address.href;
  }
}
