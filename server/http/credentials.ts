import type { FaultDetail } from "@berth/store";

const MASK = "***";

/** Names of fields whose values are credentials. */
const SECRET_FIELD_NAME =
  /api[-_]?key|secret|passw(?:or)?d|passphrase|authorization|cookie|credential|private[-_]?key|kubeconfig|(?:^|[-_])(?:token|pat)s?$/i;

/**
 * Credentials by their form: a login in an address, a key in PEM, a JSON Web Token, and keys with the documented prefixes of
 * Berth, LangSmith, OpenAI and Anthropic, GitHub, GitLab, Slack, AWS, Google, npm, Stripe and Hugging Face.
 */
const CREDENTIALS: readonly [form: RegExp, mask: string][] = [
  [/(\/\/)[^\s/@]+@/g, `$1${MASK}@`],
  [/[^\s/:@]+:[^\s/:@]+@/g, `${MASK}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g, MASK],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, MASK],
  [/\b(bearer|basic) +[\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  [
    /\b(?:berth_|ls__|lsv2_|sk-|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|ya29\.|npm_|[rs]k_(?:live|test)_|hf_|whsec_)[\w-]{8,}/g,
    MASK,
  ],
];

const maskText = (text: string): string =>
  CREDENTIALS.reduce((rest, [form, mask]) => rest.replaceAll(form, mask), text);

/** Without credentials: clients print answers into logs. What a field holds by its name, and what a text holds by its form. */
export function withoutCredentials(fault: FaultDetail): FaultDetail {
  const { input, ...others } = fault;
  const masked = { ...others, msg: maskText(fault.msg) };
  if (!("input" in fault)) return masked;
  const isSecret = fault.loc.some((name) => typeof name === "string" && SECRET_FIELD_NAME.test(name));
  if (isSecret) return input === null ? { ...masked, input } : masked;
  return { ...masked, input: maskValue(input, 0) };
}

/** Deeper values are not repeated. */
const MAX_DEPTH = 8;

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  const entries = Object.entries(value).map(([name, inside]) => [
    name,
    SECRET_FIELD_NAME.test(name) ? MASK : maskValue(inside, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
