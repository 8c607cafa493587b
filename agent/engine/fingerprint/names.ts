import type { Kept } from "./kept.ts";

/** What a JavaScript engine says it could not evaluate: `(evaluating 'order.items.map')`, `(In 'a.b(1)', 'a.b' is undefined)`. */
const EVALUATED = /\b(evaluating|In|near) '((?:[^'\\]|\\.|'(?![,)]))*)'/g;
const IS_UNDEFINED = /(?<=', )'((?:[^'\\]|\\.)*)'(?= is )/g;
/** `s3Client is not defined`, `order.total is not a function`: the expression tells which. */
const EXPRESSION =
  /(?<![\w.$'"])([A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\(\.\.\.\)|\[\d+\])*)(?= is not (?:defined|a function|a constructor|iterable)\b)/g;
const VARIABLE =
  /(?<=\b(?:variable|symbol|import|function|method|name):? )([A-Za-z_$][\w$]*)\b(?=$|[\s.,;)])/g;

/** A model is told by its name, which has digits in it. */
const MODEL =
  /(?<![\w/-])(?:[\w-]+\/)?(?:gpt|chatgpt|o[1-9]|claude|gemini|gemma|llama|mistral|mixtral|codestral|qwen|deepseek|command|text-embedding|phi|grok|nova|titan|dall-e|whisper)[-.:]?[\w.:-]*\w/gi;
/** Which bucket or model of Amazon's it was. */
const ARN = /\barn:aws[\w-]*:(?:s3:::([\w.-]+)|bedrock:[^\s"',]*\/)/g;
/** Behind these a word with digits in it is a name. */
const NAMED =
  /(?<=\b(?:model|tool|node|step|function|table|column|field|index|constraint|queue|topic|bucket|service|host|cluster|deployment|region|setting|variable)[:= ]{1,2}["'`]?)([A-Za-z][\w./-]*[A-Za-z_]\d{1,3}\b|[A-Za-z][\w-]*-\d{1,2}(?:-\d)?(?:-[a-z]+)*)(?=["'`]?(?:[\s,.;:)]|$))/gi;

/** `redis:6379`, `api.stripe.com`: which host it was tells which program does not answer. */
const HOST_BEHIND =
  /(?<=\b(?:E[A-Z_]{4,}|[Cc]onnection refused:?|[Hh]ost(?:name)?:?|[Cc]onnect(?:ing|ed|ion)? to|resolve(?! keyword)|server at|(?:reach|reaching)) (?:to )?["'`]?)((?:[\w-]+\.)*[\w-]*[A-Za-z][\w-]*|(?:\d{1,3}\.){3}\d{1,3}|\[?::1\]?)(?::(\d{2,5}))?(?=["'`]?(?:[\s,;)]|[.:](?:\s|$)|$))/g;
const URL_HOST =
  /\b((?:https?|wss?|postgres(?:ql)?|mysql|redis|rediss|mongodb(?:\+srv)?|amqps?|grpc|s3|gs|ftp):\/\/)(?:[^\s/@"'<>]*@)?([\w.-]+)(?::(\d{1,5}))?(\/[^\s"'<>)\]}»,;]*)?/gi;
/** Python's requests: `HTTPSConnectionPool(host='api.example', port=443)` */
const POOL_HOST = /\b(HTTPS?ConnectionPool)\(host='([\w.-]+)', port=(\d+)\)/g;
/** Where a page explains an error, its last part tells which. */
const EXPLAINED = /^(?:docs?|developers?|help|support)\.|^(?:.*\.)?readthedocs\.io$/i;
/** Elements of a page that a program looks for: `#submit`, `h1.title`, `[data-test=price]`, `getByRole('button')` */
const SELECTOR =
  /(\b(?:selector|locator|matches|matching|element|violation|waiting for):? )("[^"\n]+"|`[^`\n]+`|'[^'\n]+'|\w*[.#[][\w.#[\]="-]+|(?:locator|frameLocator|getBy\w+)\([^\n]+\))/gi;
/** `bash: line 3: tesseract: command not found` */
const PROGRAM = /(?<=^|: |\n)[A-Za-z][\w.+-]*(?=: (?:command )?not found\b)/g;
/** `--dry-run` */
const FLAG = /(?<![\w'"`-])--[a-z][a-z-]+(?![\w'"`=])/g;
/** Their paths name packages. */
const REGISTRY = /^(?:registry\.(?:npmjs\.org|yarnpkg\.com)|pypi\.org|crates\.io|proxy\.golang\.org)$/i;
const SERVICE_PORTS = new Set(
  "22 25 53 80 443 587 1433 1521 3306 5432 5672 6379 9092 9200 11211 27017".split(" "),
);
/** From here on systems give out ports to whoever asks. */
const FIRST_EPHEMERAL = 32_768;

/** Keeps what programs call things by, which later rules would take for data: expressions, models, hosts. */
export function namesKept(text: string, kept: Kept): string {
  return text
    .replace(URL_HOST, (_, scheme: string, host: string, port?: string, path?: string) =>
      isNamed(host)
        ? kept.keep(`${scheme.toLowerCase()}${hostText(host, port)}${pathText(path, host)}`)
        : "<url>",
    )
    .replace(
      POOL_HOST,
      (_, pool: string, host: string, port: string) => `${pool} ${kept.keep(hostText(host, port))}`,
    )
    .replace(
      SELECTOR,
      (_, ahead: string, found: string) => `${ahead}${kept.keep(`'${selectorText(found)}'`)}`,
    )
    .replace(FLAG, (found) => kept.keep(`'${found}'`))
    .replace(PROGRAM, (found) => kept.keep(`'${found}'`))
    .replace(ARN, (_, bucket?: string) => (bucket ? `bucket ${kept.keep(bucket)} ` : "model "))
    .replace(EVALUATED, (_, how: string, code: string) => `${how} ${kept.keep(`'${bare(code)}'`)}`)
    .replace(IS_UNDEFINED, (_, code: string) => kept.keep(`'${bare(code)}'`))
    .replace(EXPRESSION, (found) => kept.keep(found))
    .replace(VARIABLE, (found) => kept.keep(found))
    .replace(MODEL, (found) => (/\d/.test(found) ? kept.keep(found) : found))
    .replace(NAMED, (found) => kept.keep(found))
    .replace(HOST_BEHIND, (_, host: string, port?: string) => kept.keep(hostText(host, port)));
}

/** An expression without the values in it. */
function bare(code: string): string {
  return code
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""')
    .replace(/(?<![\w$.])\d+(?:\.\d+)?/g, "0")
    .replace(/'/g, "")
    .replace(/\s+/g, " ");
}

/** A selector without its quotes; which of many elements it was does not matter. */
const selectorText = (selector: string) =>
  selector.replace(/["'`]/g, "").replace(/(?<![a-z])\d+|\d{3,}/gi, "0");

/** Of a path only the model that was asked for tells anything. */
function pathText(path: string | undefined, host: string): string {
  if (path === undefined) return "";
  if (REGISTRY.test(host)) return path.replace(/\/+$/, "");
  if (EXPLAINED.test(host))
    return path.replace(/^[^#]*#?(?:(.+))?$/, (_, part?: string) => (part ? `/… '${part}'` : "/…"));
  const [, model] = /\/models?\/([\w.-]+)/.exec(path) ?? [];
  return path.length < 2 ? "" : model === undefined ? "/…" : `/…/${model}`;
}

const isNamed = (host: string) => /[a-z]/i.test(host) && host !== "localhost";

/** Copies of a program have numbers in their names. */
function hostText(host: string, port: string | undefined): string {
  const isName = isNamed(host);
  const name = isName
    ? host.replace(/(?<=-)[a-z0-9]*\d[a-z0-9]*(?=[-.]|$)/gi, "<n>").replace(/\d{2,}/g, "<n>")
    : "<host>";
  const tells =
    port !== undefined &&
    (SERVICE_PORTS.has(port) ||
      (host !== "" && (isName || host === "localhost") && Number(port) < FIRST_EPHEMERAL));
  return tells ? `${name}:${port}` : name;
}
