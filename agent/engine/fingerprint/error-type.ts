/** Says nothing: nearly everything is one. */
const GENERIC = /^(?:error|exception|toolmessage)?$/i;

const NO_TYPE = "Error";

const PREFIX =
  /^(?:Uncaught )?((?:[a-z_][\w]*\.)+[A-Z]\w+|[A-Z]\w*(?:Error|Exception|Fault|Warning)|[A-Z][a-z0-9]+[A-Z]\w+|[Ee]rror)(?:: |:\n|:?$)/;
const REPR = /^((?:[a-z_]\w*\.)*[A-Z]\w+)\((["'])([\s\S]*)\2,?\)$/;

/** Finds the type of an error in its message, where programs put it, and takes it out. */
export function typeAndText(given: string | null, message: string): { error_type: string; text: string } {
  let type = lastPart(given ?? "");
  let text = message.trim();
  for (;;) {
    const [, reprType, , inner] = REPR.exec(text) ?? [];
    const [prefix = "", prefixType] = PREFIX.exec(text) ?? [];
    const found = lastPart(reprType ?? prefixType ?? "");
    if (found === "" || !(GENERIC.test(type) || GENERIC.test(found) || found === type)) break;
    if (GENERIC.test(type) && !(GENERIC.test(found) && type !== "")) type = found;
    text = inner === undefined ? text.slice(prefix.length).trim() : inner.replace(/\\(["'\\])/g, "$1");
  }
  return { error_type: GENERIC.test(type) ? NO_TYPE : type, text };
}

/** Modules are moved around more often than classes are renamed. */
const lastPart = (type: string) => type.split(".").at(-1) ?? type;
